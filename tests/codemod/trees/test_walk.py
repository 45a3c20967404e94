"""The walk through folders finds Python files and notebooks, and leaves out what git or `--exclude` ignores."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from tests.codemod.trees import build
from tf1mem.codemod.trees.patterns import Patterns
from tf1mem.codemod.trees.walk import Exclusion, File, LeftOut, Leftover, PassedOver, Unreadable, kind_of, walk


def listed(*paths: Path | str, exclude: tuple[str, ...] = (), folder: Path | None = None, docs: bool = False) -> list:
    exclusions = [Exclusion(str(folder or os.getcwd()), Patterns([pattern])) for pattern in exclude]
    return list(walk(map(str, paths), exclude=exclusions, docs=docs))


def names(root: Path, *paths: Path | str, **options) -> list[str]:
    """Returns the paths of the found files, relative to a folder."""
    entries = listed(*(paths or (root,)), **options)
    return [os.path.relpath(entry.path, root) for entry in entries if isinstance(entry, File)]


def tree(root: Path, *files: str, **contents: str) -> Path:
    return build(root, {**dict.fromkeys(files, b"pass\n"), **{k: v.encode() for k, v in contents.items()}})


@pytest.fixture
def root(tmp_path):
    return tmp_path / "root"


def ignore(root: Path, text: str, name: str = ".gitignore") -> None:
    build(root, {name: text.encode()})


def test_files_by_suffix(root):
    tree(root, "a.py", "b.ipynb", "c.pyi", "d.txt", "e", "f.pyc", "g.md", "h.rst", "i.PY", "j.markdown", "k.py.orig")
    assert names(root) == ["a.py", "b.ipynb", "i.PY"]
    assert names(root, docs=True) == ["a.py", "b.ipynb", "g.md", "h.rst", "i.PY", "j.markdown"]
    assert [entry.kind for entry in listed(root, docs=True)] == [
        "python", "notebook", "markdown", "rst", "python", "markdown",
    ]  # fmt: skip


def test_an_unreadable_ignore_file_is_reported_and_skipped(root):
    tree(root, "x.py", "pipe/x.py", "zero/x.py", "long/x.py", "long/y.py", "many/x.py", "large/x.py", "loop/x.py")
    os.mkfifo(root / "pipe" / ".gitignore")
    os.symlink("/dev/zero", root / "zero" / ".ignore")
    os.symlink(".gitignore", root / "loop" / ".gitignore")
    ignore(root / "long", "y.py\n" + "*a" * 200_000)
    ignore(root / "many", "".join(f"*{number}*\n" for number in range(20_000)))
    ignore(root / "large", "#" * (2 << 20))
    assert names(root) == [f"{name}/x.py" for name in ("large", "long", "loop", "many", "pipe")] + ["x.py", "zero/x.py"]
    reasons = {os.path.relpath(entry.path, root): entry.why for entry in listed(root) if isinstance(entry, Unreadable)}
    assert {path: why.partition(":")[0].partition(" (")[0] for path, why in reasons.items()} == {
        "pipe/.gitignore": "is not a file",
        "zero/.ignore": "is not a file",
        "loop/.gitignore": "can't be read",
        "long/.gitignore": "has lines of more than 4,096 bytes, which are not followed",
        "many/.gitignore": "has more than 5,000 patterns with wildcards",
        "large/.gitignore": "is larger than 1 MiB",
    }
    assert [entry.why for entry in listed(root / "pipe") if isinstance(entry, Unreadable)] == [
        reasons["pipe/.gitignore"]
    ]


@pytest.mark.parametrize("name", [".git", ".git/index", ".git/config", ".git/HEAD", ".git/info/exclude"])
def test_git_is_not_run_if_it_would_block(root, name):
    tree(root, "a.py", "b/c.py", "b/d.py")
    if name != ".git":
        subprocess.run(["git", "init", "-q", str(root)], check=True)
        if (root / name).exists():
            (root / name).unlink()
    os.mkfifo(root / name)
    ignore(root, "b\n")
    assert names(root)[:1] == ["a.py"]
    assert [entry for entry in listed(root) if isinstance(entry, (PassedOver, Unreadable))]


def test_a_cycle_of_linked_folders_is_walked_once(root):
    tree(root, "a/b/x.py")
    os.symlink("..", root / "a" / "b" / "up")
    os.symlink(str(root), root / "a" / "top")
    os.symlink("self", root / "a" / "self")
    assert names(root) == ["a/b/x.py"]


def test_files_come_in_the_order_of_their_names(root):
    tree(root, "b/z.py", "a.py", "c.py", "b/a/y.py", "B.py", "b.py", "b-c/x.py")
    assert names(root) == ["B.py", "a.py", "b/a/y.py", "b/z.py", "b-c/x.py", "b.py", "c.py"]


def test_a_file_has_its_kind_and_size(root):
    tree(root, "a.py")
    assert listed(root) == [File(str(root / "a.py"), "python", 5)]


def test_paths_are_shown_as_they_are_given(root, monkeypatch):
    tree(root, "a/b.py", "c.py")
    monkeypatch.chdir(root)
    assert [entry.path for entry in listed(".")] == ["a/b.py", "c.py"]
    assert [entry.path for entry in listed("a/")] == ["a/b.py"]
    assert [entry.path for entry in listed("./a", "../root/c.py")] == ["./a/b.py", "../root/c.py"]


@pytest.mark.parametrize(
    "folder",
    [".hidden", ".git", ".venv", ".tox", "venv", "site-packages", "node_modules", "__pypackages__", "_build", "dist"],
)
def test_excluded_folders_are_walked_if_named(root, folder):
    tree(root, folder + "/a.py", folder + "/below/b.py", "x/" + folder + "/c.py", "d.py")
    assert names(root) == ["d.py"]
    assert names(root, root / folder) == [folder + "/a.py", folder + "/below/b.py"]
    assert names(root, root / folder / "below") == [folder + "/below/b.py"]
    assert names(root, root / folder / "a.py") == [folder + "/a.py"]


@pytest.mark.parametrize("mark", ["pyvenv.cfg", "conda-meta/history"])
def test_an_environment_of_any_name(root, mark):
    tree(root, "env37/" + mark, "env37/lib/a.py", "b.py")
    assert names(root) == ["b.py"]
    assert names(root, root / "env37") == ["env37/lib/a.py"]


def test_names_like_those_of_excluded_folders(root):
    tree(root, "venv.py", "distribution/a.py", "build/b.py", "environment/c.py", ".hidden.py")
    assert names(root) == [".hidden.py", "build/b.py", "distribution/a.py", "environment/c.py", "venv.py"]


def test_gitignore(root):
    tree(root, "a.py", "b.py", "made/c.py", "sub/made/d.py", "sub/e.py", "sub/f.py", "keep/g.py", "keep/h.py")
    ignore(root, "# comment\n\nmade/\nb.py\n/sub/e.py\nkeep/*\n!keep/h.py\n")
    assert names(root) == ["a.py", "keep/h.py", "sub/f.py"]
    assert names(root, root / "b.py", root / "made") == ["b.py", "made/c.py"]


def test_nested_gitignore(root):
    tree(root, "a/x.py", "a/y.py", "a/b/x.py", "a/b/y.py", "x.py")
    ignore(root, "x.py\n")
    ignore(root / "a", "!x.py\n/y.py\n")
    ignore(root / "a" / "b", "x.py\n")
    assert names(root) == ["a/b/y.py", "a/x.py"]


def test_dot_ignore_comes_after_gitignore(root):
    tree(root, "a.py", "b.py")
    ignore(root, "a.py\n")
    ignore(root, "!a.py\nb.py\n", ".ignore")
    assert names(root) == ["a.py"]


def test_a_gitignore_above_applies_within_a_repository(root):
    tree(root, "src/a.py", "src/made/b.py", ".git/HEAD")
    ignore(root, "made/\n")
    ignore(root.parent, "src/\n")
    assert names(root, root / "src") == ["src/a.py"]
    assert names(root, root / "src" / "made") == ["src/made/b.py"]
    assert names(root) == ["src/a.py"]


def test_a_gitignore_above_does_not_apply_outside_a_repository(root):
    tree(root, "src/a.py")
    ignore(root, "a.py\n")
    assert names(root, root / "src") == ["src/a.py"]


def test_a_repository_inside_an_ignoring_folder(root):
    tree(root, "repo/.git/HEAD", "repo/a.py", "repo/b.py", "a.py")
    ignore(root, "a.py\n")
    ignore(root / "repo", "b.py\n")
    assert names(root) == ["repo/a.py"]


def test_info_exclude_of_a_repository(root):
    tree(root, "a.py", "b.py")
    ignore(root / ".git" / "info", "b.py\n", "exclude")
    assert names(root) == ["a.py"]


@pytest.mark.parametrize("text", [b"\xff\xfe\n", b"!\n\\\n[\n///\n", b"\xef\xbb\xbfb.py\r\n", b"b.py \n"])
def test_odd_gitignores(root, text):
    tree(root, "a.py", "b.py")
    (root / ".gitignore").write_bytes(text)
    assert names(root) == (["a.py"] if b"b.py" in text else ["a.py", "b.py"])


PARTS = ("build", "lib", "env", "data", "docs", "src", "out", "pkg.egg-info")
FILES = ("a.py", "b.py", "test_a.py", "keep.py", "x.sage.py", "local_settings.py")


def _random_line(rng: random.Random) -> str:
    first, second = rng.choice(PARTS + FILES), rng.choice(PARTS + FILES)
    forms = (
        "{0}", "{0}/", "/{0}", "{0}/{1}", "**/{0}", "{0}/**", "!{0}", "!{0}/", "{0}/*", "!{0}/*.py", "/{0}/*/{1}",
        "*.sage.py", "[ab].py", "!*.py", "a?*", "**/{0}/**", "{0}/**/", "{0}/**/{1}", "{0}**", "*", "**", "!**/", "!*/",
        "/*", "*/", "# {0}", "", "\\{0}", "!/{0}/{1}/", "[[:alpha:]].py", "[![:lower:]]*", "?[^[:digit:]x]*/",
        "[]a-c]*/", "*[[:nope:]]", "[a", "l[h-j]b", "\\[a].py", "*a*a*.p[x-z]", "**/*e*/**/[!b]*", "!!{0}", "{0}\\ ",
        "{0}  ", "!", "/",
    )  # fmt: skip
    return rng.choice(forms).format(first, second)


@pytest.mark.parametrize("seed", range(25))
def test_like_git(root, seed):
    """Finds the files that git tracks or would track, in random trees with random patterns in .gitignore."""
    rng = random.Random(seed)
    folders = [root]
    for _ in range(12):
        folder = rng.choice(folders) / rng.choice(PARTS)
        if folder not in folders:
            folders.append(folder)
    tree(root, *{str((rng.choice(folders) / rng.choice(FILES)).relative_to(root)) for _ in range(50)})
    for folder in [root, *rng.sample(folders, 2)]:
        ignore(folder, "\n".join(_random_line(rng) for _ in range(8)) + "\n")
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    git = ["git", "-c", "core.excludesFile=" + os.devnull]
    tracked = rng.sample(sorted(root.rglob("*.py")), 5) if seed % 2 else []
    subprocess.run([*git, "add", "--force", "--", *tracked], cwd=root, check=True)
    arguments = [*git, "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(arguments, cwd=root, capture_output=True, check=True).stdout.decode().split("\0")
    assert sorted(names(root)) == sorted(name for name in listed if name.endswith(".py"))


@pytest.mark.parametrize(
    "pattern", ["*a*a*a*a*a*a*a*a*a*a*a*a*b", "**/*a*a*b/**/*a*a*b/**/*a*a*b/**/*b", "/*a*a*a*a*a*a*a*a/*b"]
)
def test_every_pattern_is_fast(pattern):
    """With a regex that backtracks over each star, these patterns would take years."""
    path = "/".join(["a" * 200] * 10 + ["a" * 200 + "b.py"])
    assert Patterns(["*b.py", pattern]).decide(path, os.path.basename(path))


def test_tracked_in_folders_that_are_ignored(root):
    tree(root, "made/a.py", "made/b.py", "made/deep/c.py", "made/other/d.py", "made/.ignore", "e.py")
    ignore(root, "made/\n")
    ignore(root, "e.py\n", ".ignore")
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    subprocess.run(["git", "add", "--force", "made/a.py", "made/deep/c.py", "e.py"], cwd=root, check=True)
    assert listed(root) == [
        LeftOut(str(root / "e.py"), "named in .ignore", False),
        File(str(root / "made/a.py"), "python", 5),
        LeftOut(str(root / "made/b.py"), "named in .gitignore", False),
        File(str(root / "made/deep/c.py"), "python", 5),
        LeftOut(str(root / "made/other"), "named in .gitignore", True),
    ]
    assert names(root, root / "made" / "deep") == ["made/deep/c.py"]


@pytest.mark.parametrize(
    ("variable", "value", "message"),
    [("PATH", "/nowhere", "git isn't installed"), ("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1", "dubious ownership")],
)
def test_a_failing_git_is_reported(root, monkeypatch, variable, value, message):
    tree(root, "a.py", "made/b.py")
    ignore(root, "made/\n")
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    monkeypatch.setenv(variable, value)
    first, second, third = listed(root)
    assert (first.path, second) == (str(root / "a.py"), LeftOut(str(root / "made"), "named in .gitignore", True))
    assert isinstance(third, PassedOver)
    assert message in third.why


def test_excluded_files_are_reported(root):
    tree(root, ".git/a.py", "__pycache__/a.py", ".tox/a.py", "dist/a.py", "env/pyvenv.cfg", "b.py", "c.txt", "d.py")
    ignore(root, "b.py\nc.txt\n")
    assert [(os.path.relpath(entry.path, root), entry.why) for entry in listed(root, exclude=("d.py",), folder=root)
            if isinstance(entry, LeftOut)] == [
        (".tox", "with a name that begins with a dot"), ("b.py", "named in .gitignore"), ("d.py", "excluded"),
        ("dist", "of installed packages or builds"), ("env", "holding a Python environment"),
    ]  # fmt: skip


def test_exclude(root, monkeypatch):
    tree(root, "a.py", "b/a.py", "b/c.py", "d/e/f.py", "d/g.py")
    monkeypatch.chdir(root)
    assert names(root, exclude=("a.py",)) == ["b/c.py", "d/e/f.py", "d/g.py"]
    assert names(root, exclude=("/a.py", "d/e/")) == ["b/a.py", "b/c.py", "d/g.py"]
    assert names(root, exclude=("*.py", "!f.py")) == ["d/e/f.py"]
    assert names(root, exclude=("b", "d/*")) == ["a.py"]


def test_exclude_applies_to_named_paths_too(root, monkeypatch):
    tree(root, "a.py", "b/c.py")
    monkeypatch.chdir(root)
    assert listed("a.py", "b", "b/c.py", exclude=("a.py", "b/")) == [
        PassedOver("a.py", "excluded"),
        PassedOver("b", "excluded"),
        PassedOver("b/c.py", "excluded"),
    ]


def test_exclude_patterns_are_relative_to_their_folder(root, monkeypatch):
    tree(root, "a/b/c.py", "b/c.py")
    monkeypatch.chdir(root / "a")
    assert names(root, root, exclude=("/b/",), folder=root) == ["a/b/c.py"]
    assert names(root, root / "a", exclude=("a/b/",), folder=root) == []
    assert names(root, root / "b", exclude=("c.py",), folder=root / "a") == []


def test_links(root):
    tree(root, "a.py", "b/c.py", "outside/d.py", "root/e.py")
    inner = root / "root"
    (inner / "link.py").symlink_to("e.py")
    (inner / "out.py").symlink_to("../a.py")
    (inner / "folder").symlink_to("../outside")
    (inner / "loop").symlink_to(".")
    (inner / "up").symlink_to("..")
    (inner / "broken.py").symlink_to("nothing")
    (inner / "self.py").symlink_to("self.py")
    (inner / "data.txt").symlink_to("nothing")
    out = "a link that leads out of the tree"
    assert listed(inner) == [
        PassedOver(str(inner / "broken.py"), "a broken link"),
        File(str(inner / "e.py"), "python", 5),
        PassedOver(str(inner / "folder"), out),
        PassedOver(str(inner / "out.py"), out),
        PassedOver(str(inner / "self.py"), "a broken link"),
        PassedOver(str(inner / "up"), out),
    ]


def test_a_link_that_is_named_is_followed(root):
    tree(root, "a.py", "b/c.py")
    (root / "link.py").symlink_to("a.py")
    (root / "folder").symlink_to("b")
    assert names(root, root / "link.py", root / "folder") == ["link.py", "folder/c.py"]


def test_each_file_once(root):
    tree(root, "a.py", "b/c.py")
    (root / "link.py").symlink_to("a.py")
    assert names(root, root, root / "b", root / "link.py", root / "a.py", root / "b" / "c.py") == ["a.py", "b/c.py"]
    assert names(root, root / "b" / "c.py", root) == ["b/c.py", "a.py"]


def test_hard_links_are_known(root):
    tree(root, "a.py")
    os.link(root / "a.py", root / "b.py")
    first, second = listed(root)
    assert first.inode == second.inode is not None
    assert (first.links, second.links) == (2, 2)


def test_large_files(root):
    tree(root, "a.py", "b.ipynb", "c.ipynb", "d.py")
    for name, mib in (("a.py", 5), ("b.ipynb", 5), ("c.ipynb", 33)):
        os.truncate(root / name, mib << 20)
    os.truncate(root / "d.py", 4 << 20)
    assert names(root) == ["b.ipynb", "d.py"]
    assert [entry for entry in listed(root) if isinstance(entry, PassedOver)] == [
        PassedOver(str(root / "a.py"), "larger than 4 MiB"),
        PassedOver(str(root / "c.ipynb"), "larger than 32 MiB"),
    ]


def test_pipes_and_devices_are_passed_over(root):
    tree(root, "a.py")
    os.mkfifo(root / "pipe.py")
    assert names(root) == ["a.py"]
    assert listed(root / "pipe.py") == [Unreadable(str(root / "pipe.py"), "is neither a file nor a folder")]
    assert listed(root / "none.py") == [Unreadable(str(root / "none.py"), "No such file or directory")]


def test_a_named_document_needs_docs(root):
    tree(root, "a.md", "b.rst", "script", "c.pyi")
    assert [type(entry) for entry in listed(root / "a.md", root / "b.rst")] == [PassedOver, PassedOver]
    assert names(root, root / "a.md", root / "b.rst", docs=True) == ["a.md", "b.rst"]
    assert [entry.kind for entry in listed(root / "script", root / "c.pyi")] == ["python", "python"]


def test_the_kind_of_a_file_follows_from_its_name():
    assert [kind_of(name) for name in ("a.py", "a.IPYNB", "a.md", "a.rst", "script", "", "a.txt")] == [
        "python", "notebook", "markdown", "rst", "python", "python", "python",
    ]  # fmt: skip


def test_leftover_temporary_files_are_reported(root):
    tree(root, "a.py", ".tf1mem-12-0.tmp", ".tf1mem-x.tmp", "b/.tf1mem-7-31.tmp", ".tf1mem-12-0.tmp.py")
    assert [entry.path for entry in listed(root) if isinstance(entry, Leftover)] == [
        str(root / ".tf1mem-12-0.tmp"),
        str(root / "b" / ".tf1mem-7-31.tmp"),
    ]


def test_file_names_that_are_not_utf8(root):
    root.mkdir()
    Path(os.fsdecode(os.fsencode(root) + b"/\xff.py")).write_bytes(b"")
    (root / "a\nb.py").write_bytes(b"")
    assert names(root) == ["a\nb.py", "\udcff.py"]


@pytest.fixture
def deep(root):
    """Creates a folder nested more deeply than Python's recursion limit; removes it, which pytest could not do."""
    os.makedirs(root)
    before = os.getcwd()
    os.chdir(root)
    try:
        for _ in range(1200):
            os.mkdir("d")
            os.chdir("d")
        Path("a.py").write_bytes(b"")
    finally:
        os.chdir(before)
    yield root
    subprocess.run(["rm", "-r", str(root)], check=True)


def test_deep_trees(deep):
    assert [len(entry.path) - len(str(deep)) for entry in listed(deep)] == [2 * 1200 + len("/a.py")]
