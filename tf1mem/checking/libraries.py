"""Tables of other libraries: their distributions on PyPI, those written for TensorFlow 1, and names that they removed.

A library that stops more than a few programs is repaired instead: see tf1mem/era. Each row of `GONE` was checked with
the last release that has the name and the first one that lacks it.
"""

from __future__ import annotations

from typing import NamedTuple

# The requirement of the library that `tf1mem run` imports instead of gym.
GYMNASIUM = "gymnasium>=1.0"

# Module -> the requirement that pip needs to install it, where that isn't the module's name.
DISTRIBUTIONS = {
    "Crypto": "pycryptodome",
    "OpenGL": "PyOpenGL",
    "PIL": "pillow",
    "attr": "attrs",
    "bs4": "beautifulsoup4",
    "cv2": "opencv-python",
    "dateutil": "python-dateutil",
    "faiss": "faiss-cpu",
    "google": "protobuf",
    "gym": f"'{GYMNASIUM}'",
    "Levenshtein": "python-Levenshtein",
    "magic": "python-magic",
    "mpl_toolkits": "matplotlib",
    "pyDOE": "'pyDOE<0.8'",  # a later one draws other numbers, and pyDOE 1.0 is imported as pydoe
    "mujoco_py": "mujoco-py",
    "pylab": "matplotlib",
    "serial": "pyserial",
    "skimage": "scikit-image",
    "sklearn": "scikit-learn",
    "skvideo": "sk-video",
    "sonnet": "dm-sonnet",
    "tensorflow_hub": "tensorflow-hub",
    "tensorflow_probability": "tensorflow-probability",
    "yaml": "PyYAML",
    "zmq": "pyzmq",
}

# Module -> (distribution, first release that isn't for TensorFlow 1; "" if all are).
FOR_TENSORFLOW_1 = {
    "baselines": ("baselines", ""),
    "edward": ("edward", ""),
    "sonnet": ("dm-sonnet", "2.0"),
    "stable_baselines": ("stable-baselines", ""),
    "t3f": ("t3f", "1.2"),
    "tensor2tensor": ("tensor2tensor", ""),
    "tensorlayer": ("tensorlayer", "2.0"),
    "tensorpack": ("tensorpack", ""),
    "tflearn": ("tflearn", ""),
}

# The verb, in `Gone.did`, for a method that is still there and returns more values than before.
GIVES_MORE = "returns more values since"
DRAWS_OTHERS = "draws other numbers, and ignores np.random.seed, since"


class Gone(NamedTuple):
    """Names that a release of a library removed or changed.

    Attributes:
        since: The first release without them, by distribution: "scikit-learn 0.20".
        owner: The module that had them; "" for attributes of instances.
        names: The names; "Name(argument=)" if only calls with that argument fail, "name[]" if only reading an item,
            "name=" if only a result counts that replaces the method's own object, as in `x = x.name()`.
        instead: The replacement, for people.
        is_sure: False for a method whose name other classes have, too, so that a use may be one of those.
        did: The verb between a name and `since`. With `GIVES_MORE`, only calls count whose whole result is assigned to
            one name; with `DRAWS_OTHERS`, programs run.
    """

    since: str
    owner: str
    names: str
    instead: str
    did: str = "was removed in"
    is_sure: bool = True

    @property
    def pin(self) -> str:
        """Returns pip's requirement for an older release, "scikit-learn<0.20", or of its replacement."""
        return GYMNASIUM if self.since.startswith("gym ") else self.since.replace(" ", "<")


GONE = (
    Gone("scikit-learn 0.20", "sklearn", "cross_validation grid_search learning_curve", "sklearn.model_selection"),
    Gone("scikit-learn 0.20", "sklearn.mixture", "GMM", "sklearn.mixture.GaussianMixture"),
    Gone("scikit-learn 0.22", "sklearn.preprocessing", "Imputer", "sklearn.impute.SimpleImputer"),
    Gone("scikit-learn 0.22", "sklearn.datasets", "fetch_mldata", "sklearn.datasets.fetch_openml"),
    Gone("scikit-learn 0.23", "sklearn.metrics", "jaccard_similarity_score", "sklearn.metrics.jaccard_score"),
    Gone("scikit-learn 0.23", "sklearn.externals", "joblib six", "the package of that name"),
    Gone("scikit-learn 0.23", "sklearn.utils", "linear_assignment_", "scipy.optimize.linear_sum_assignment"),
    Gone("scikit-learn 0.24", "sklearn.datasets", "samples_generator", "sklearn.datasets"),
    Gone("scikit-learn 0.24", "sklearn.ensemble", "forest", "sklearn.ensemble"),
    Gone("scikit-learn 0.24", "sklearn.preprocessing", "label", "sklearn.preprocessing"),
    Gone("scikit-learn 0.24", "sklearn.utils", "testing", "numpy.testing"),
    Gone("scikit-learn 1.2", "sklearn.datasets", "load_boston", "sklearn.datasets.fetch_openml"),
    Gone("scikit-learn 1.2", "", "get_feature_names", "get_feature_names_out", is_sure=False),
    Gone("scikit-learn 1.2", "sklearn.metrics", "plot_confusion_matrix", "sklearn.metrics.ConfusionMatrixDisplay"),
    Gone("scikit-learn 1.4", "sklearn.preprocessing", "OneHotEncoder(sparse=)", "sparse_output"),
    Gone("scikit-learn 1.7", "sklearn.manifold", "TSNE(n_iter=)", "max_iter"),
    Gone("pandas 0.20", "", "sort=", "sort_values or sort_index", is_sure=False),
    Gone("pandas 1.0", "", "ix", "loc or iloc"),
    Gone("pandas 1.0", "", "weekday_name", "day_name()"),
    Gone("pandas 1.0", "", "get_dtype_counts", "dtypes.value_counts()"),
    Gone("pandas 1.0", "pandas", "concat(join_axes=)", "reindex"),
    Gone("pandas 1.0", "pandas", "Panel", "a frame with a MultiIndex"),
    Gone("pandas 2.0", "pandas", "Int64Index Float64Index UInt64Index", "pandas.Index"),
    Gone("pandas 2.0", "", "weekofyear", "isocalendar().week"),
    Gone("pandas 3.0", "pandas", "value_counts", "Series.value_counts"),
    Gone("pyDOE 0.8", "pyDOE", "lhs", "lhs(seed=…), with other numbers", DRAWS_OTHERS),
    Gone("networkx 2.0", "", "nodes_iter edges_iter degree_iter neighbors_iter", "nodes, edges, degree and neighbors"),
    Gone("networkx 2.0", "", "predecessors_iter successors_iter", "predecessors and successors"),
    Gone("networkx 2.4", "", "node[]", "nodes"),
    Gone("networkx 2.4", "", "selfloop_edges nodes_with_selfloops number_of_selfloops", "networkx's functions"),
    Gone(
        "networkx 2.4",
        "networkx",
        "connected_component_subgraphs weakly_connected_component_subgraphs strongly_connected_component_subgraphs",
        "connected_components and others, with Graph.subgraph",
    ),
    Gone(
        "networkx 3.0", "networkx", "info adj_matrix OrderedGraph OrderedDiGraph", "print, adjacency_matrix and Graph"
    ),
    Gone("networkx 3.0", "networkx", "from_scipy_sparse_matrix to_scipy_sparse_matrix", "…_scipy_sparse_array"),
    Gone("networkx 3.0", "networkx", "from_numpy_matrix to_numpy_matrix", "networkx.from_numpy_array and others"),
    Gone("networkx 3.0", "networkx", "read_gpickle write_gpickle", "pickle"),
    Gone("scikit-image 0.18", "skimage.measure", "compare_ssim compare_psnr compare_mse", "skimage.metrics"),
    Gone("moviepy 2.0", "moviepy", "editor", "moviepy itself"),
    Gone("pyglet 1.4", "pyglet.clock", "set_fps_limit", "pyglet.clock.schedule_interval"),
    # These don't count where gymnasium is installed, which `tf1mem run` then imports instead of gym.
    Gone("gym 0.23", "gym.wrappers", "Monitor", "gym.wrappers.RecordVideo"),
    Gone("gym 0.26", "", "seed", "env.reset(seed=…)"),
    Gone("gym 0.26", "", "reset", "observation, info = env.reset()", GIVES_MORE),
)

# Modules that Python removed and `tf1mem run` doesn't replace -> the first Python without them.
GONE_FROM_PYTHON = {
    **dict.fromkeys("dummy_threading _dummy_thread".split(), (3, 9)),
    **dict.fromkeys("formatter parser symbol".split(), (3, 10)),
    "binhex": (3, 11),
    **dict.fromkeys("asynchat asyncore smtpd".split(), (3, 12)),
    **dict.fromkeys(
        "aifc audioop cgi cgitb chunk crypt imghdr lib2to3 mailcap msilib nis nntplib ossaudiodev pipes sndhdr spwd "
        "sunau telnetlib uu xdrlib".split(),
        (3, 13),
    ),
}
