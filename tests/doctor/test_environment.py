"""The doctor's findings about the environment: of this machine, and of tables of environments."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest
from runs import codes, finding, tf1mem

from tests.processes.environment import clean
from tf1mem.doctor.checkup import Checkup
from tf1mem.doctor.checkup.cuda_libraries import Libraries, sonames
from tf1mem.doctor.checkup.driver import Driver, PhysicalGpu, query
from tf1mem.doctor.checkup.installed import Installed
from tf1mem.doctor.checkup.listed_devices import Devices
from tf1mem.doctor.checkup.variables import look as variables_of
from tf1mem.doctor.finding import worst_first
from tf1mem.doctor.judges import ending, growth, losses, of_machine
from tf1mem.doctor.report.checkup_page import page as checkup_page
from tf1mem.doctor.watch.record import read
from tf1mem.gpusim.launching import simulation
from tf1mem.gpusim.trace import read as read_trace
from tf1mem.machine.architectures import CANNOT, COMPILES, NATIVE, Architectures
from tf1mem.machine.builds import capability, how_and_failure
from tf1mem.machine.child import ask
from tf1mem.machine.tensorflow import installed_version

GIB = 2**30


def test_files_of_this_folder_are_not_taken_for_modules(tmp_path, monkeypatch):
    (tmp_path / "json.py").write_text("raise SystemExit", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert ask("tf1mem.doctor.checkup.driver.answer", 60).state == "answered"


@pytest.mark.proof
def test_a_simulated_machine(tmp_path):
    """The doctor examines a simulated machine without making a CUDA context."""
    with simulation(["8GiB", "16GiB,name=V100"], tmp_path / "trace.jsonl", ["1GiB", "0B"]) as machine:
        settings = {"CUDA_VISIBLE_DEVICES": "1,7", "TF_FORCE_GPU_ALLOW_GROWTH": "1", "TF1MEM_MEMORY_FRACTION": "much"}
        done = tf1mem("doctor", "--format", "json", **machine.environment, **settings)
    assert (done.returncode, done.stderr) == (0, "")
    checkup = json.loads(done.stdout)
    assert checkup["tensorflow"]["version"] == str(installed_version())
    assert checkup["python"] == "{}.{}.{}".format(*sys.version_info[:3])
    assert [(gpu["name"], gpu["total_bytes"], gpu["used_bytes"]) for gpu in checkup["physical_gpus"]] == [
        ("Simulated GPU", 8 * GIB, GIB),
        ("V100", 16 * GIB, 0),
    ]
    assert checkup["driver"]["state"] == "answered"
    assert checkup["driver"]["simulated"] is True
    assert {variable["name"] for variable in checkup["environment"]} == {*settings, "TF_CPP_MIN_LOG_LEVEL"}
    assert "names '7', and the machine has 2 GPUs" in finding(checkup, "TFD121")["message"]
    assert "TF_FORCE_GPU_ALLOW_GROWTH=1 does nothing" in finding(checkup, "TFD123")["message"]
    assert "TF1MEM_MEMORY_FRACTION='much'" in finding(checkup, "TFD129")["message"]
    assert "Of GPU 0's 8 GiB, 1 GiB is taken" in finding(checkup, "TFD117")["message"]
    if checkup["tensorflow"]["build"] == "CUDA":
        assert checkup["cuda_libraries"]["missing"] == []
        assert len(checkup["cuda_libraries"]["wanted"]) >= 6
        assert "7.0" in checkup["gpu_code"]["sass"]  # the simulated GPUs'
        assert not {"TFD130", "TFD131", "TFD132"} & set(codes(checkup))
        assert not {"TFD102", "TFD105"} & set(codes(checkup)), done.stdout  # TensorFlow was imported, and in time
        assert checkup["physical_devices"] == ["CPU:0", "GPU:0"]
    else:
        assert finding(checkup, "TFD110")
    assert "context" not in {event.event for event in read_trace(tmp_path / "trace.jsonl")}


@pytest.mark.proof
def test_cards_that_the_installed_tensorflow_has_no_code_for():
    with simulation(["K80", "B200", "RTX 5090", "A100-80GB"]) as machine:
        checkup = json.loads(tf1mem("doctor", "--format", "json", **machine.environment).stdout)
    if checkup["tensorflow"]["build"] != "CUDA":
        assert finding(checkup, "TFD110")
        return
    architectures = Architectures(*(tuple(map(capability, checkup["gpu_code"][kind])) for kind in ("sass", "ptx")))
    for gpu in machine.gpus:
        runs, failure = how_and_failure(architectures, checkup["cuda_libraries"]["cuda"], gpu.compute_capability)
        code = "TFD132" if failure else {NATIVE: "", COMPILES: "TFD131", CANNOT: "TFD130"}[runs]
        of_code = [it["code"] for it in checkup["findings"] if gpu.name + " (compute" in it["message"]]
        assert of_code == [code] * bool(code)


@pytest.fixture
def wedged(tmp_path):
    """Returns a folder with a driver whose cuInit never returns."""
    source = tmp_path / "wedged.c"
    source.write_text("#include <unistd.h>\nint cuDriverGetVersion(int *v) { *v = 12040; return 0; }\n"
                      "int cuInit(unsigned f) { for (;;) sleep(1000); }\n")  # fmt: skip
    compiler = shutil.which("cc") or shutil.which("gcc") or "cc"
    subprocess.run([compiler, "-shared", "-fPIC", "-o", str(tmp_path / "libcuda.so.1"), str(source)], check=True)
    return str(tmp_path)


def test_a_wedged_driver_is_a_finding(wedged):
    silent = query(clean(LD_LIBRARY_PATH=wedged), seconds=3)
    assert silent.state == "silent"
    findings = list(of_machine(replace(MACHINE, driver=silent)))
    assert "TFD113" in {it.code for it in findings}
    assert findings[0].code == "TFD113"
    page = checkup_page(replace(MACHINE, driver=silent), findings, 80)
    assert "does not answer" in page
    assert "not listed: the driver doesn't answer" in " ".join(page.split())


GPUS = (
    PhysicalGpu("A", "GPU-11111111-1111-1111-1111-111111111111", 8 * GIB, 0, "8.0"),
    PhysicalGpu("B", "", 8 * GIB, 0, "8.0"),
)
MACHINE = Checkup(
    Installed(
        "3.11.7", "Linux x86_64", "2.21.0", ("tensorflow 2.21.0",), "/tensorflow", "CUDA", "3.9", None, "Keras 3"
    ),
    Libraries("12.5.1", "9", ("libcudart.so.12",), ()),
    Driver("answered", "550.54", "12.8", "", GPUS),
    Devices("answered", ("CPU:0", "GPU:0", "GPU:1")),
    (),
    {},
    Architectures(((6, 0), (8, 0)), ((9, 0),)),
)


def gpu(capability):
    return {"gpus": (PhysicalGpu("NVIDIA X", "", 8 * GIB, 0, capability),)}


def machine(variables=None, **parts):
    changed = {name: replace(getattr(MACHINE, name), **part) for name, part in parts.items()}
    installed = changed.get("installed", MACHINE.installed)
    environment = variables or {}
    return replace(MACHINE, **changed, environment=environment, variables=tuple(variables_of(environment, installed)))


@pytest.mark.parametrize(
    ("checked", "code", "says"),
    [
        (machine(installed={"folder": None}), "TFD101", "3.11.7"),
        (machine(devices={"state": "failed", "error": "ImportError: no libstdc++"}), "TFD102", "no libstdc++"),
        (
            machine(installed={"distributions": ("tensorflow 2.4", "tensorflow-gpu 2.4")}),
            "TFD103",
            "tensorflow-gpu 2.4 overwrite each other's files in /tensorflow",
        ),
        (machine(installed={"tensorflow": "1.12.0"}), "TFD104", "1.12.0 is older"),
        (machine(devices={"state": "silent"}), "TFD105", "did not end within 300 seconds"),
        (machine(installed={"build": "CPU"}), "TFD110", "2 GPUs"),
        (machine(libraries={"missing": ("libcudart.so.12",)}), "TFD111", "no libcudart.so.12"),
        (machine(driver={"state": "absent", "gpus": ()}), "TFD112", "libcuda.so.1"),
        (machine(driver={"state": "error", "error": "cuInit: CUDA_ERROR_UNKNOWN"}), "TFD114", "CUDA_ERROR_UNKNOWN"),
        (machine(driver={"cuda": "11.4"}), "TFD115", "up to 11.4"),
        (machine(devices={"physical": ("CPU:0",)}), "TFD116", "2 GPUs, and TensorFlow lists none"),
        (machine(driver=gpu("7.5")), "TFD130", "no code that the NVIDIA X (compute capability 7.5) can run"),
        (machine(driver={**gpu("10.0"), "cuda": "12.4"}), "TFD130", "no code that the NVIDIA X"),
        (machine(driver=gpu("10.0")), "TFD131", "the driver compiles its PTX"),
        (machine(driver=gpu("12.0")), "TFD132", "CUDA_ERROR_INVALID_PTX"),
        (machine(), "TFD133", "On the A TensorFlow 2.21.0 computes matmuls and convolutions of float32 in TF32"),
        (machine({"CUDA_VISIBLE_DEVICES": "-1"}), "TFD120", "hides every GPU"),
        (machine({"CUDA_VISIBLE_DEVICES": "2,0"}), "TFD121", "shows none"),
        (machine({"TF_FORCE_GPU_ALLOW_GROWTH": "true"}), "TFD122", "growth is on"),
        (machine({"TF_GPU_ALLOCATOR": "bfc"}), "TFD123", "TF_GPU_ALLOCATOR=bfc"),
        (
            machine({"TF_GPU_ALLOCATOR": "cuda_malloc_async"}, installed={"tensorflow": "2.4.4"}),
            "TFD123",
            "2.4 and before don't know it",
        ),
        (machine({"TF1MEM_MEMORY_FRACTON": "0.4"}), "TFD123", "did you mean TF1MEM_MEMORY_FRACTION"),
        (machine({"TF_ENABLE_GPU_GARBAGE_COLLECTION": "0"}), "TFD123", "true and false only"),
        (machine({"TF_USE_LEGACY_KERAS": "1"}), "TFD124", "tf_keras"),
        (machine(), "TFD125", "Keras 3"),
        (machine({"TF_GPU_ALLOCATOR": "cuda_malloc_async"}), "TFD126", "CUDA's own pool"),
        (machine(), "TFD127", "the package from which tf1mem.v1 restores it is missing"),
        (machine({"NVIDIA_VISIBLE_DEVICES": "void"}, driver={"gpus": ()}), "TFD128", "void"),
        (machine({"TF1MEM_ALLOW_GROWTH": "perhaps"}), "TFD129", "perhaps"),
    ],
    ids=lambda value: value if isinstance(value, str) and value.startswith("TFD") else "",
)
def test_findings(checked, code, says):
    matching = [it for it in of_machine(checked) if it.code == code]
    assert len(matching) == 1
    assert says in matching[0].message
    page = checkup_page(checked, of_machine(checked), 80)
    assert max(map(len, page.splitlines())) <= 80
    assert code in page


def test_a_sound_machine_has_no_findings():
    exact = {"TF1MEM_TF32": "false"}
    sound = machine(exact, installed={"tensorflow": "2.15.1", "keras_in_use": "Keras 2 (2.15.0)"})
    assert list(of_machine(sound)) == []
    by_uuid = machine({**exact, "CUDA_VISIBLE_DEVICES": "GPU-1111,1"}, installed={"tensorflow": "2.15.1"})
    assert list(of_machine(by_uuid)) == []


@pytest.mark.parametrize(
    ("variables", "parts"),
    [
        ({"NVIDIA_TF32_OVERRIDE": "0"}, {}),
        ({"CUDA_VISIBLE_DEVICES": "-1"}, {}),
        ({}, {"driver": gpu("7.5")}),
        ({}, {"installed": {"tensorflow": "2.3.4"}}),
    ],
)
def test_no_finding_about_tf32_where_nothing_is_computed_in_it(variables, parts):
    assert "TFD133" not in {it.code for it in of_machine(machine(variables, **parts))}


def test_a_gpu_without_code_is_not_missed_and_the_tensorflows_that_drive_it_are_named():
    old = machine(driver=gpu("3.7"), devices={"physical": ("CPU:0",)})
    findings = {it.code: it for it in of_machine(old)}
    assert "TFD116" not in findings
    assert findings["TFD130"].remedy == "TensorFlow 1.13 to 2.14 have machine code for it"
    hidden = machine({"CUDA_VISIBLE_DEVICES": "-1"}, driver=gpu("3.7"), devices={"physical": ("CPU:0",)})
    assert "TFD130" not in {it.code for it in of_machine(hidden)}


@pytest.mark.parametrize(
    ("versions", "expected"),
    [
        ({}, ()),
        # The versions are those in the headers of the wheels of 1.15, 2.4 and 2.21.
        (
            {"CUDA": "10.0", "CUDNN": "7"},
            "libcudart.so.10.0 libcublas.so.10.0 libcufft.so.10.0 libcurand.so.10.0 libcusolver.so.10.0 "
            "libcusparse.so.10.0 libcudnn.so.7",
        ),
        (
            {
                **dict.fromkeys(("CUBLAS", "CUSPARSE"), "11"),
                **dict.fromkeys(("CUSOLVER", "CURAND", "CUFFT"), "10"),
                "CUDA": "11.0",
                "CUDART": "11.0",
                "CUDNN": "8",
            },
            "libcudart.so.11.0 libcublas.so.11 libcublasLt.so.11 libcufft.so.10 libcurand.so.10 libcusolver.so.10 "
            "libcusparse.so.11 libcudnn.so.8",
        ),
    ],
)
def test_sonames(versions, expected):
    assert sonames(versions) == (tuple(expected.split()) if expected else ())


@pytest.mark.parametrize(
    ("kind", "says", "code"),
    [
        ("AttributeError", "module 'tensorflow' has no attribute 'GPUOptions'", "TFD215"),
        ("AttributeError", "module 'tensorflow._api.v2.train' has no attribute 'AdamOptimizer'", "TFD215"),
        ("ImportError", "cannot import name 'Session' from 'tensorflow' (x.py)", "TFD215"),
        ("AttributeError", "module 'tensorflow.keras.backend' has no attribute 'set_session'", "TFD216"),
        ("AttributeError", "module 'keras._tf_keras.keras.backend' has no attribute 'set_session'", "TFD216"),
        ("AttributeError", "`tf.compat.v1.keras` is not available with Keras 3. Keras 3 has", "TFD216"),
        ("ModuleNotFoundError", "No module named 'tensorflow.contrib'", "TFD217"),
        ("ModuleNotFoundError", "No module named 'tensorflow'", "TFD101"),
        ("AttributeError", "module 'tensorflow' has no attribute 'estimator'", "TFD217"),
        ("AttributeError", "module 'tensorflow._api.v2.config' has no attribute 'set_memory_growth'", "TFD218"),
        ("AttributeError", "module 'tensorflow._api.v2.config' has no attribute 'gpu'", "TFD218"),
        ("ResourceExhaustedError", "OOM when allocating tensor with shape[2]", "TFD219"),
        ("InvalidArgumentError", "Cannot assign a device for operation a: it was explicitly", "TFD230"),
        ("RuntimeError", "tf.placeholder() is not compatible with eager execution.", "TFD232"),
        ("AttributeError", "module 'tensorflow' has no attribute 'no_such_name'", "TFD220"),
        ("AttributeError", "module 'numpy' has no attribute 'bool'", "TFD220"),
        ("KeyError", "'x'", "TFD220"),
    ],
)
def test_errors_that_end_a_script(kind, says, code):
    lines = ['{"event": "begin", "pid": 1, "environment": {}}']
    lines.append(
        json.dumps({"event": "error", "pid": 1, "kind": kind, "message": says, "file": "a.py", "line": 3, "note": None})
    )
    (only,) = ending.findings(read(lines), "a.py", 1)
    assert (only.code, only.file, only.line) == (code, "a.py", 3)
    assert f"{kind} at a.py:3: {says}" == only.message


@pytest.mark.parametrize(
    ("version", "settings", "cap", "expected"),
    [
        ("2.22.0", {"gpu_options.per_process_gpu_memory_fraction": 0.1}, 858993459, ["TFD233"]),
        ("2.22.0", {"gpu_options.per_process_gpu_memory_fraction": 0.125}, GIB, []),
        ("2.22.0", {"gpu_options.experimental.virtual_devices": "[memory_limit_mb: 1023]"}, None, ["TFD233"]),
        ("2.22.0", {"gpu_options.experimental.virtual_devices": "[memory_limit_mb: 1024]"}, None, []),
        ("2.22.0", {"gpu_options.allow_growth": True}, 8080000001, []),
        ("2.21.0", {"gpu_options.per_process_gpu_memory_fraction": 0.1}, 858993459, []),
    ],
)
def test_caps_that_are_not_whole_pages(version, settings, cap, expected):
    where = {"file": "a.py", "line": 3, "call": "tf.Session", "through": None}
    events = [
        {"event": "begin", "environment": {}},
        {"event": "start", "by": "Session", "where": where, "settings": settings, "first": True,
         "devices": [{"name": "GPU:0", "memory_limit_bytes": cap}]},
        {"event": "end", "tensorflow": version, "tf1mem": []},
    ]  # fmt: skip
    history = read(json.dumps({"pid": 1, **event}) for event in events)
    assert [it.code for it in growth.findings(history) if it.code == "TFD233"] == expected


SUPPLIED = "not in this TensorFlow; tf1mem.v1 and tf1mem run supply it"


@pytest.mark.parametrize(
    ("there", "estimator", "contrib"),
    [
        ({"tensorflow": "2.19.0", "tensorflow_estimator": "2.15.0"}, f"{SUPPLIED}, from {{}} 2.15.0", SUPPLIED),
        ({"tensorflow": "2.19.0", "tensorflow_estimator": None}, "no: the package {} is not installed", SUPPLIED),
        ({"tensorflow": "2.10.1", "tensorflow_estimator": "2.10.0"}, "yes ({} 2.10.0)", SUPPLIED),
        ({"tensorflow": "1.15.5", "tensorflow_estimator": "1.15.1", "contrib": True}, "yes ({} 1.15.1)", "yes"),
    ],
)
def test_estimators_and_contrib_have_rows(there, estimator, contrib):
    page = checkup_page(machine(installed=there), (), 120)
    rows = dict(line.split(maxsplit=1) for line in page.splitlines() if line.startswith("  tf."))
    assert rows == {"tf.estimator": estimator.format("tensorflow-estimator"), "tf.contrib": contrib}


def test_the_remedy_names_the_packages_that_tf_estimator_lacks():
    def remedy(**there):
        return [it.remedy for it in of_machine(machine(installed=there)) if it.code == "TFD127"]

    (both,) = remedy()
    assert "pip install tf_keras, then pip install --no-deps tensorflow-estimator==2.15.0;" in both
    (advice,) = remedy(tf_keras="2.19.0")
    assert "tf_keras" not in advice
    assert remedy(tf_keras="2.19.0", tensorflow_estimator="2.15.0") == []


@pytest.mark.proof
def test_strict_fails_on_an_error_of_the_environment():
    done = tf1mem("doctor", "--strict", "-q", "--color", "always", TF1MEM_MEMORY_FRACTION="much")
    assert done.returncode == 1
    assert done.stdout.startswith("\x1b[1mFindings: 1 error")
    assert "  \x1b[31m\x1b[1mTFD129 error\x1b[0m  " in done.stdout


def test_the_order_of_findings():
    findings = [
        growth.NOTHING_ASKED.finding("a", "b"),
        losses.SESSIONS_DIFFER.finding("a", "b"),
        losses.LATE.finding("a", "b"),
        growth.NOTHING_ASKED.finding("a", "b"),
    ]
    assert [it.code for it in worst_first(findings)] == ["TFD201", "TFD207", "TFD222"]
