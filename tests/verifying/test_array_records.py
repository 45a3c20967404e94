"""The figures that are recorded of arrays."""

from __future__ import annotations

import math

import pytest

from tf1mem.verifying.array_records import NOT_ALIKE, PART, SAMPLE, distance, epsilon, identity, measures, summed_by_row
from tf1mem.verifying.recording.notes import Notes


def test_measures_of_a_large_array():
    """The measures are those of the finite values, in whichever part of the array these are."""
    import numpy as np

    array = np.ones(2 * PART + 3, "float32")
    array[[1, PART + 1, 2 * PART + 1]] = np.nan, -np.inf, -5.0
    figures, sample = measures(identity(array)[1])
    assert figures == {"norm": math.sqrt(2 * PART + 25), "largest": 5.0, "bad": 2}
    assert sample.shape == (SAMPLE,)


def test_texts_differ_by_any_element():
    import numpy as np

    texts = np.full(2000, "a", object)
    (old, _), texts[1999] = identity(texts), "b"
    assert distance(old, None, identity(texts)[0], None) == NOT_ALIKE


def test_bfloat16_has_its_own_rounding():
    import numpy as np

    ml_dtypes = pytest.importorskip("ml_dtypes")
    figures, flat = identity(np.array([1.0, 2.0], ml_dtypes.bfloat16))
    assert (figures["dtype"], flat.dtype.name, epsilon(figures)) == ("bfloat16", "float32", 7.9e-3)


def test_an_equal_array_is_measured_once(tmp_path):
    import numpy as np

    notes = Notes(str(tmp_path))
    first, again, other = (notes.keep(np.arange(size)) for size in (5, 5, 6))
    assert first == again
    assert [first["sample"], other["sample"]] == ["s0", "s1"]
    assert notes.keep(np.arange(5.0))["sample"] == "s2"


def test_rows_are_summed_by_number():
    import numpy as np

    values = np.array([[1, 2], [3, 4], [5, 6]], "float32")
    summed = summed_by_row(values, np.array([7, 2, 7]))
    assert summed.dtype == values.dtype
    assert summed.tolist() == [[3, 4], [6, 8]]
    assert summed_by_row(values[:0], np.array([], "int64")).shape == (0, 2)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_zeros_that_are_moved_stay_zeros(dtype):
    """Moved by one unit in the last place they are subnormal; a small number of the type isn't."""
    import numpy as np

    def apart(value):
        (zeros, flat), (others, other) = identity(np.zeros(3, dtype)), identity(np.full(3, value, dtype))
        sides = [{**figures, **measures(numbers)[0]} for figures, numbers in ((zeros, flat), (others, other))]
        return distance(sides[0], measures(flat)[1], sides[1], measures(other)[1])

    assert apart(np.nextafter(np.zeros((), dtype), np.ones((), dtype))) == 0
    assert apart(1e-6) == 1
    assert apart(np.nan) == NOT_ALIKE
