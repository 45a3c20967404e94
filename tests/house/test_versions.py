"""A new TensorFlow is a row of tf1mem/machine/versions.py; these tests name everything that it makes out of date."""

from __future__ import annotations

import pytest

from migration_guide.generating import columns, spans
from tf1mem.machine.versions import NEWEST, OLDEST, SPAN

TEXTS = [path.relative_to(spans.ROOT).as_posix() for path in spans.texts()]


@pytest.mark.parametrize("name", ["README.md", "setup.cfg", "mkdocs.yml", "migration_guide/index.md"])
def test_the_texts_that_people_read_first_state_the_versions(name):
    assert name in TEXTS
    assert SPAN in (spans.ROOT / name).read_text(encoding="utf-8")


def test_every_text_says_the_same_span():
    stale = [
        path.relative_to(spans.ROOT)
        for path in spans.texts()
        if spans.renewed(path.read_text("utf-8")) != path.read_text("utf-8")
    ]
    assert not stale, "run python -m migration_guide.generating"


def test_texts_that_name_the_last_version_looked_up_name_the_newest():
    """If it fails: check each listed text on the newest TensorFlow, and write that version into the text."""
    lines = [f"{each.path}:{each.number}: {each.text}" for each in spans.to_look_up()]
    assert not lines, "\n".join(lines)


def test_a_span_is_renewed_and_a_claim_found(monkeypatch, tmp_path):
    page = tmp_path / "README.md"
    text = "On TensorFlow {0}.{1} to 2.12, as on {0}.{1} to 2.12.1; {0}.{1} to {2}.{3}."
    assert spans.renewed(text.format(*OLDEST, *NEWEST)).startswith(
        f"On TensorFlow {SPAN}, as on 1.13 to 2.12.1; {SPAN}"
    )
    page.write_text("2.4 to {0}.{1}\n2.4 to {0}.{2}\n".format(NEWEST[0], NEWEST[1] - 1, NEWEST[1]), encoding="utf-8")
    monkeypatch.setattr(spans, "ROOT", tmp_path)
    assert [(claim.path, claim.number) for claim in spans.to_look_up()] == [("README.md", 1)]


def test_the_settings_page_has_a_column_for_the_oldest_and_the_newest():
    assert (columns.VERSIONS[0], columns.VERSIONS[-1]) == tuple(
        "{}.{}".format(*version) for version in (OLDEST, NEWEST)
    )
