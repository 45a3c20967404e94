"""Uses names of SciPy 1.1 that later versions lack, as programs of its time did."""
import os
import tempfile
import zlib

import numpy
import scipy
import scipy.integrate
import scipy.linalg
import scipy.misc
import scipy.misc.pilutil as pilutil
import scipy.ndimage
import scipy.signal
import scipy.sparse
import scipy.sparse.linalg.eigen.arpack as arpack
from PIL import Image
from scipy import misc, signal
from scipy.misc import imread as read, imresize
from scipy.sparse.linalg.eigen.arpack import eigsh

folder = tempfile.mkdtemp()


def show(name, value):
    """Prints an array's type and shape, and a checksum of all of its bytes."""
    array = numpy.asarray(value)
    print(name, array.dtype.str, array.shape, zlib.crc32(numpy.ascontiguousarray(array).tobytes()) & 0xFFFFFFFF)


def near(name, value):
    """Prints numbers, rounded so that they are the same on every machine."""
    print(name, (numpy.round(numpy.asarray(value, dtype=float), 9) + 0.0).tolist())


random = numpy.random.RandomState(5)
colours = random.randint(0, 256, (24, 32, 3)).astype(numpy.uint8)
grey = random.uniform(-2, 5, (20, 30))
clear = random.randint(0, 256, (10, 12, 4)).astype(numpy.uint8)

# Arrays to images, and back.
for name, data in (("colours", colours), ("grey", grey), ("clear", clear)):
    path = os.path.join(folder, name + ".png")
    scipy.misc.imsave(path, data)
    show(name, scipy.misc.imread(path))
    show(name + " flat", misc.imread(path, flatten=True))
    show(name + " L", read(path, mode="L"))
    show(name + " RGB, flat", scipy.ndimage.imread(path, flatten=True, mode="RGB"))
with open(os.path.join(folder, "grey.png"), "rb") as file:
    show("a file", misc.imread(file))
misc.imsave(os.path.join(folder, "bmp"), colours, "bmp")
show("a format", misc.imread(os.path.join(folder, "bmp")))
palette = misc.toimage(numpy.arange(16).reshape(4, 4).astype("u1"), pal=random.randint(0, 256, (256, 3)))
palette.save(os.path.join(folder, "palette.png"))
print(palette.mode)
show("a palette", misc.imread(os.path.join(folder, "palette.png")))
show("a palette of grey", misc.fromimage(misc.toimage(grey, mode="P")))
Image.fromarray(colours[:, :, 0] > 99).save(os.path.join(folder, "bits.png"))
show("bits", misc.imread(os.path.join(folder, "bits.png")))
for mode in ("F", "I", "L"):
    show("mode " + mode, misc.fromimage(misc.toimage(grey, mode=mode)))
show("channels first", misc.fromimage(misc.toimage(numpy.moveaxis(colours, 2, 0))))
show("channels between", misc.fromimage(misc.toimage(numpy.moveaxis(clear, 2, 1), channel_axis=1)))
show("YCbCr", misc.fromimage(misc.toimage(colours, mode="YCbCr"), mode="RGB"))
show("limits", misc.fromimage(misc.toimage(grey, cmin=0.0, cmax=1.0, high=200, low=10)))
show("bytes", misc.bytescale(grey))
show("bytes", misc.bytescale(grey, high=200, low=10, cmin=0))
show("bytes", misc.bytescale(numpy.full((2, 2), 3)))
show("bytes", misc.bytescale(colours))
for wrong in (grey[0], grey * 1j, numpy.zeros((2, 5, 6)), "path"):
    try:
        misc.toimage(wrong)
    except ValueError:
        print("no image")

# Other sizes.
for interp in ("nearest", "lanczos", "bilinear", "bicubic", "cubic"):
    for size in ((11, 13), (50, 70), 60, 1.5, numpy.float32(0.3)):
        show("{} {}".format(interp, size), imresize(colours, size, interp))
    show(interp + ", grey", misc.imresize(grey, (9, 40), interp=interp))
    show(interp + ", numbers", misc.imresize(grey, (40, 9), interp=interp, mode="F"))
show("clear", pilutil.imresize(clear, 0.5))
for interp in ("nearest", "bilinear", "bicubic"):
    show("turned " + interp, misc.imrotate(colours, 30, interp))
show("turned", misc.imrotate(grey, -90))
for kind in ("blur", "contour", "detail", "edge_enhance", "edge_enhance_more", "emboss", "find_edges", "smooth", "sharpen"):
    show(kind, misc.imfilter(colours, kind))
print(callable(misc.imshow))
print(pilutil.imread(os.path.join(folder, "grey.png")).shape, pilutil.fromimage(pilutil.toimage(grey)).shape)
pilutil.imsave(os.path.join(folder, "again.png"), pilutil.imrotate(pilutil.imfilter(colours, "blur"), 10))
print(pilutil.bytescale(grey).max(), callable(pilutil.imshow))

# Functions that moved.
near("logsumexp", [scipy.misc.logsumexp([1, 2, 3]), scipy.misc.comb(5, 2), misc.factorial(5), misc.factorial2(7), misc.factorialk(5, 2)])
print(scipy.misc.comb(50, 3, exact=True), misc.pade([1.0, 1.0, 0.5], 1)[0].coef.tolist())
near("integrals", [scipy.integrate.trapz([1, 2, 4]), scipy.integrate.cumtrapz([1, 2, 4], dx=0.5)[1]])
print(scipy.linalg.tri(2).tolist(), scipy.linalg.tri(2, 3, 1, int).tolist(), scipy.linalg.tril([[1, 2], [3, 4]]).tolist(), scipy.linalg.triu([[1, 2], [3, 4]]).tolist())
near("windows", numpy.concatenate([
    signal.barthann(5), signal.bartlett(5), signal.blackman(5), signal.blackmanharris(5), signal.bohman(5),
    signal.boxcar(5), signal.chebwin(53, 100)[:3], signal.cosine(5), signal.exponential(5), signal.flattop(5),
    signal.gaussian(5, 2), signal.general_gaussian(5, 1.5, 2), signal.hamming(5), signal.hann(5, sym=False),
    signal.kaiser(5, 4), signal.nuttall(5), signal.parzen(5), signal.triang(5), signal.tukey(5),
]))
matrix = scipy.sparse.csr_matrix(numpy.diag([1.0, 2, 3, 4, 5, 6, 7]))
near("eigenvalues", eigsh(matrix, 2, which="LM")[0])
near("eigenvalues", sorted(arpack.eigs(matrix, 1)[0].real))
print(issubclass(arpack.ArpackNoConvergence, arpack.ArpackError), callable(arpack.eigsh), callable(arpack.svds))

# NumPy's names, which SciPy had, too.
print(scipy.sqrt(-4), scipy.log(-1) == numpy.pi * 1j, scipy.log2(8), scipy.log10(100), scipy.power(2, 3), scipy.pi)
print(scipy.arccos(0.5) == numpy.arccos(0.5), scipy.arcsin(0.0), scipy.arctanh(0.0), scipy.rand(2).shape, scipy.randn(2).shape)
same = [
    scipy.append, scipy.arange, scipy.argmax, scipy.argsort, scipy.array, scipy.asarray, scipy.average,
    scipy.ceil, scipy.concatenate, scipy.cos, scipy.cumsum, scipy.diag, scipy.dot, scipy.exp, scipy.eye,
    scipy.float32, scipy.float64, scipy.floor, scipy.hstack, scipy.inf, scipy.int32, scipy.linspace,
    scipy.mean, scipy.median, scipy.meshgrid, scipy.nan, scipy.ndarray, scipy.newaxis, scipy.ones,
    scipy.outer, scipy.pi, scipy.prod, scipy.random, scipy.ravel, scipy.repeat, scipy.reshape, scipy.shape,
    scipy.sin, scipy.sort, scipy.std, scipy.sum, scipy.tile, scipy.transpose, scipy.uint8, scipy.unique,
    scipy.var, scipy.vstack, scipy.where, scipy.zeros, scipy.zeros_like,
]
print(len(same), scipy.array([1, 2]).sum(), scipy.zeros(2).tolist(), scipy.float32 is numpy.float32, scipy.random is numpy.random)

# Sparse matrices: entries by columns once duplicates are summed.
def entries(name, value):
    """Prints the rows, columns and data of a sparse matrix in the order that it has."""
    value = value.tocoo()
    print(name, value.row.tolist(), value.col.tolist(), value.data.tolist(), value.dtype)


def pairs():
    """Returns a matrix with two entries at (0, 2)."""
    return scipy.sparse.coo_matrix(([5, 3, 4, 2, 1, 7, 6.0], ([2, 0, 1, 0, 2, 0, 1], [1, 2, 0, 1, 0, 2, 2])))


summed = pairs()
summed.sum_duplicates()
entries("summed", summed)
entries("summed, float32", summed.astype("f"))
read = pairs()
entries("float32", read.astype(numpy.float32))
entries("float64", pairs().astype(dtype=float))
entries("read", read)
entries("of rows", scipy.sparse.csr_matrix(pairs()).tocoo().astype("f"))
entries("of rows, as they are", scipy.sparse.csr_matrix(pairs()).tocoo())
entries("dense", scipy.sparse.coo_matrix(pairs().todense()).astype("f"))
entries("dense, abs", abs(scipy.sparse.coo_matrix(pairs().todense())))
entries("integers", pairs().astype(int).asfptype())
of_today = getattr(scipy.sparse, "coo_array", scipy.sparse.coo_matrix)  # NetworkX gives it
entries("of today", of_today(pairs()).astype("f"))
entries("of lists", pairs().tolil().tocoo().astype("f"))
for name, value in (("abs", abs(pairs())), ("power", pairs().power(2)), ("sign", pairs().sign()), ("rint", pairs().rint())):
    entries(name, value)
for value in (pairs().ceil(), pairs().floor(), pairs().trunc(), pairs().sqrt(), pairs().log1p(), pairs().expm1()):
    entries("rounded", value.rint())
print([(int(row), int(column)) for row, column in pairs().todok().keys()])
counted, diagonal = pairs(), pairs()
print(counted.count_nonzero() == 6, diagonal.todia().nnz)
entries("counted", counted)
entries("diagonal", diagonal)
for matrix in (pairs(), scipy.sparse.csr_matrix(pairs()), scipy.sparse.coo_matrix(pairs().todense()), pairs().toarray()):
    print([part.tolist() for part in scipy.sparse.find(matrix)])


def small():
    """Returns `pairs` in radians, or as cosines."""
    return pairs() * 0.0625


for value in (
    small().sin(), small().tan(), small().arcsin(), small().arctan(), small().sinh(), small().tanh(),
    small().arcsinh(), small().arctanh(), small().deg2rad(), small().rad2deg(),
):
    value.data = numpy.round(value.data, 6)
    entries("of angles", value)
greatest, least, along = pairs(), pairs(), pairs()
print(float(greatest.max()), float(least.min()), along.max(axis=1).nnz)
for matrix in (greatest, least, along):
    entries("reduced", matrix)
equal = scipy.sparse.csr_matrix([[0, 5, 0], [5, 0, 1]])
print(int(equal.argmax()), int((-equal).argmin()), int(equal.tocoo().argmax()), equal.argmax(1).tolist())
print([(int(row), int(column)) for row, column in equal.todok().keys()])

# Entries in an order of their own, which conversions keep once.
keyed = scipy.sparse.dok_matrix((3, 3))
for key in ((2, 1), (0, 2), (1, 0)):
    keyed[key] = 2 * key[0] + key[1]
entries("of keys", keyed.tocoo().astype("f"))
entries("of keys, as integers", keyed.tocoo().astype("f").astype(int))
entries("of keys, squared", keyed.tocoo().power(2))
entries("of diagonals", scipy.sparse.diags([[4.0, 5.0], [1.0, 2.0, 3.0]], [-1, 0]).tocoo())
entries("of diagonals, float32", scipy.sparse.diags([[1.0, 2.0, 3.0], [4.0, 5.0]], [0, -1]).tocoo().astype("f"))
