"""Findings: what the doctor says, each under a code that stays the same; the guide's page has them all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable

ERROR = "error"
WARNING = "warning"
NOTE = "note"
_ORDER = (ERROR, WARNING, NOTE)

# Code -> how bad it is, what it means in a line, and what mends it in a few words of Markdown.
CODES = {
    # what is installed and in force
    "TFD101": (
        ERROR,
        "No TensorFlow is installed for this Python.",
        "`pip install tensorflow`, or run the doctor with the Python that has it",
    ),
    "TFD102": (
        ERROR,
        "TensorFlow is installed and can't be imported.",
        "Read the error; a fresh environment with one TensorFlow",
    ),
    "TFD103": (
        WARNING,
        "Several TensorFlow packages lie over each other.",
        "Uninstall all of them, install one",
    ),
    "TFD104": (
        ERROR,
        "TensorFlow is older than 1.13.",
        "`pip install 'tensorflow>=1.13'`",
    ),
    "TFD105": (
        WARNING,
        "TensorFlow's import doesn't end in time.",
        "`python -X faulthandler -c 'import tensorflow'`; a slow disk or a driver that hangs",
    ),
    "TFD110": (
        ERROR,
        "This TensorFlow is built for the CPU, and the machine has a GPU.",
        "Install the build for GPUs: `'tensorflow[and-cuda]'`; `tensorflow` before 2.14, `tensorflow-gpu` before 2.1",
    ),
    "TFD111": (
        ERROR,
        "CUDA libraries that TensorFlow opens are missing: it uses no GPU.",
        "`pip install 'tensorflow[and-cuda]'` (2.14 and up), or CUDA and cuDNN of the versions named",
    ),
    "TFD112": (
        NOTE,
        "There is no CUDA driver: TensorFlow runs on the CPU.",
        "Install the driver; `--gpus all` for a container; or `tf1mem doctor --sim 8GiB -- script.py`",
    ),
    "TFD113": (
        ERROR,
        "The driver doesn't answer: whatever asks it hangs.",
        "Look into `dmesg` for Xid errors; reload the driver or restart the machine",
    ),
    "TFD114": (
        ERROR,
        "The driver answers with an error.",
        "Restart after an update of the driver; in a container it has to be the host's",
    ),
    "TFD115": (
        ERROR,
        "The driver is older than the CUDA that TensorFlow is built with.",
        "Update the driver",
    ),
    "TFD116": (
        ERROR,
        "The driver shows GPUs that TensorFlow doesn't list.",
        "TensorFlow's log says why: compute capability, or libraries of another version",
    ),
    "TFD117": (
        NOTE,
        "Others have taken memory of a GPU.",
        "`nvidia-smi` shows who; growth or a smaller fraction",
    ),
    "TFD120": (
        WARNING,
        "CUDA_VISIBLE_DEVICES hides every GPU.",
        "Unset it, or name the GPUs",
    ),
    "TFD121": (
        WARNING,
        "CUDA_VISIBLE_DEVICES names a GPU that isn't there: it and all that come after it are hidden.",
        "Name GPUs that are there",
    ),
    "TFD122": (
        WARNING,
        "TF_FORCE_GPU_ALLOW_GROWTH overrides what programs say of growth.",
        "Unset it where programs are to decide",
    ),
    "TFD123": (
        WARNING,
        "A variable has a value that is not understood, and so does nothing.",
        "Correct it, or unset it",
    ),
    "TFD124": (
        ERROR,
        "TF_USE_LEGACY_KERAS asks for tf_keras, which isn't installed.",
        "`pip install tf_keras`, or unset it: TensorFlow before 2.16 has Keras 2 anyway",
    ),
    "TFD125": (
        NOTE,
        "Keras 3 is in use: Keras code of TensorFlow 1 finds its Sessions gone.",
        "`tf1mem run`, `tf1mem.v1`, or TF_USE_LEGACY_KERAS=1 before the import; each needs `tf_keras`",
    ),
    "TFD126": (
        WARNING,
        "TF_GPU_ALLOCATOR takes TensorFlow's own allocator away, and its settings with it.",
        "Unset it for TensorFlow 1's meaning of growth and fraction",
    ),
    "TFD127": (
        NOTE,
        "tf.estimator is gone from this TensorFlow.",
        "`tensorflow-estimator` 2.15.0, `tf_keras` and `tf1mem.v1`; or TensorFlow 2.15",
    ),
    "TFD128": (
        WARNING,
        "This container is given no GPU.",
        "`--gpus all`, or `nvidia.com/gpu` in the manifest",
    ),
    "TFD129": (
        ERROR,
        "A variable of tf1mem's is malformed.",
        "As the finding says",
    ),
    # what a script did
    "TFD201": (
        ERROR,
        "A config came after the GPU runtime had started, and was ignored.",
        "`tf1mem.apply(config)` before the line that started the runtime",
    ),
    "TFD202": (
        ERROR,
        "A tf.config call came after the GPU runtime had started, and was refused.",
        "Move the call before that line; in a notebook, restart the kernel",
    ),
    "TFD203": (
        ERROR,
        "What tf.config set was overridden by a Session's ConfigProto.",
        "Say all of it in the ConfigProto; `tf1mem.apply(config)` holds for both",
    ),
    "TFD204": (
        ERROR,
        "Growth was dropped by a memory limit on the same GPU.",
        "`tf1mem.apply(tf1mem.config(allow_growth=True, memory_limit_mib=…))`",
    ),
    "TFD205": (
        ERROR,
        "Growth was refused, because the GPU had a memory limit.",
        "`tf1mem.apply(tf1mem.config(allow_growth=True, memory_limit_mib=…))`",
    ),
    "TFD206": (
        ERROR,
        "Growth differs between GPUs, which TensorFlow refuses.",
        "Set it for every GPU, or hide the others first",
    ),
    "TFD207": (
        WARNING,
        "Sessions ask different things of the GPUs: the first counts.",
        "One config for all, or all that is to hold in the first",
    ),
    "TFD208": (
        ERROR,
        "Sessions have different visible_device_lists, which TensorFlow refuses.",
        "Make all GPUs visible, and place ops by `tf.device`; or a process for each",
    ),
    "TFD209": (
        WARNING,
        "TF_FORCE_GPU_ALLOW_GROWTH overrode what the script says of growth.",
        "Unset it, if the script is to decide",
    ),
    "TFD210": (
        ERROR,
        "A variable was set after it had been read.",
        "Set it before TensorFlow is imported, or outside of the script",
    ),
    "TFD211": (
        WARNING,
        "Thread pools were asked for after they had been made.",
        "Say it first, or `use_per_session_threads=True`",
    ),
    "TFD212": (
        WARNING,
        "Ops asked for a device that isn't there, and ran on another.",
        "Name a device that is there; `tf.config.set_soft_device_placement(False)` makes it an error",
    ),
    "TFD213": (
        WARNING,
        "Placement is logged, and TF_CPP_MIN_LOG_LEVEL hides the log (eager ops before TensorFlow 2.10).",
        "TF_CPP_MIN_LOG_LEVEL=0 before TensorFlow is imported",
    ),
    "TFD214": (
        ERROR,
        "A config given to enable_eager_execution was ignored.",
        "`tf1mem.apply(config)` in its place",
    ),
    "TFD215": (
        ERROR,
        "The script uses a name of TensorFlow 1 that is gone.",
        "`tf1mem run`, or `import tf1mem.v1 as tf`",
    ),
    "TFD216": (
        ERROR,
        "The script uses Sessions of Keras, which Keras 3 doesn't have.",
        "`tf1mem run`, or `import tf1mem.v1 as tf`",
    ),
    "TFD217": (
        ERROR,
        "The script uses tf.estimator or tf.contrib, which is gone.",
        "`tf1mem run`, or `import tf1mem.v1 as tf`: what lives on elsewhere is found there",
    ),
    "TFD218": (
        ERROR,
        "The script uses a name that TensorFlow never had.",
        "The name that is meant; the codemod knows them",
    ),
    "TFD219": (
        ERROR,
        "The script ran out of GPU memory.",
        "A smaller batch, a larger cap, growth; `tf1mem.explain_oom`",
    ),
    "TFD220": (
        NOTE,
        "The script ended with an error that isn't about settings.",
        "Its own traceback",
    ),
    "TFD221": (
        WARNING,
        "A listing of devices started the GPU runtime, before any setting.",
        "`tf.config.list_physical_devices('GPU')`, or `tf1mem.apply(config)` before it",
    ),
    "TFD222": (
        NOTE,
        "Nothing asked for growth or a cap: TensorFlow takes all of each GPU.",
        "`tf1mem.apply(tf1mem.config(allow_growth=True))`, or a fraction",
    ),
    "TFD223": (
        NOTE,
        "The GPU runtime was never started.",
        "Run the doctor on the process that does the work",
    ),
    "TFD224": (
        WARNING,
        "A Server was given no config: it takes all of each GPU.",
        "`tf.distribute.Server(…, config=tf1mem.apply(config))`",
    ),
    "TFD225": (
        WARNING,
        "tf1mem says that a setting was lost.",
        "`print(tf1mem.report())`",
    ),
    "TFD226": (
        WARNING,
        "The script was ended from outside, or by os._exit.",
        "What was seen until then still holds",
    ),
    "TFD227": (
        WARNING,
        "TensorFlow refused a setting.",
        "TensorFlow's words",
    ),
    "TFD228": (
        NOTE,
        "Something could not be watched.",
        "Report it, with TensorFlow's version",
    ),
    "TFD229": (
        NOTE,
        "A visible_device_list counts the GPUs that CUDA_VISIBLE_DEVICES leaves.",
        "Choose GPUs in one of the two places",
    ),
    "TFD230": (
        ERROR,
        "An op asks for a device that isn't there, and soft placement is off.",
        "Name a device that is there, or `allow_soft_placement=True`",
    ),
    "TFD231": (
        NOTE,
        "Placement is logged where notebooks, sys.stdout and sys.stderr don't show it.",
        "Look in the terminal, or `> placement.log 2>&1`",
    ),
    "TFD232": (
        ERROR,
        "The script is written for graphs of TensorFlow 1, and eager execution is on.",
        "`tf1mem run`, or `import tf1mem.v1 as tf`",
    ),
    "TFD233": (
        ERROR,
        "A cap is no whole number of 2 MiB pages, and TensorFlow 2.22 and up don't hold it.",
        "`tf1mem.apply(config)` rounds it down; or another fraction",
    ),
}


@dataclass(frozen=True)
class Finding:
    """One thing that the doctor found.

    Attributes:
        code: Such as "TFD201".
        says: What it is, in a sentence or two.
        mend: What to do about it.
        file: The user's file that it is about, or None.
        line: The line in it, from 1, or 0.
        detail: More, in lines of its own, or "".
    """

    code: str
    says: str
    mend: str
    file: str | None = None
    line: int = 0
    detail: str = ""

    @property
    def severity(self) -> str:
        """How bad it is: "error", "warning" or "note"."""
        return CODES[self.code][0]

    def as_dict(self) -> dict[str, Any]:
        """The finding as plain values, for JSON."""
        return {
            "code": self.code,
            "severity": self.severity,
            "says": self.says,
            "mend": self.mend,
            "file": self.file,
            "line": self.line or None,
            "detail": self.detail or None,
        }


def worst_first(findings: Iterable[Finding]) -> list[Finding]:
    """Findings in the order in which they are told: each once, the worst first, else as they came."""
    told: list[Finding] = []
    for finding in findings:
        if finding not in told:
            told.append(finding)
    return sorted(told, key=lambda finding: _ORDER.index(finding.severity))


def as_markdown() -> str:
    """The table of all codes, as the guide has it."""
    rows = ["| code | | what it means | what mends it |", "|---|---|---|---|"]
    rows += ["| {} | {} | {} | {} |".format(code, *about) for code, about in CODES.items()]
    return "\n".join(rows) + "\n"
