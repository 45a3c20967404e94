"""Reads and writes images as nibabel 2.5 let programs do."""
import os
import tempfile

import nibabel as nib
import numpy as np

os.chdir(tempfile.mkdtemp())
volume = np.arange(24, dtype=np.int16).reshape(2, 3, 4)
nib.save(nib.Nifti1Image(volume, np.diag([1, 2, 3, 1])), "volume.nii.gz")
image = nib.load("volume.nii.gz")
data = image.get_data()
print(type(data).__name__, data.dtype, data.shape, data.sum())
data[0, 0, 0] = 7
again = getattr(image, "get_data")
print(image.in_memory, image.dataobj[0, 0, 0])
print(image.get_affine().tolist(), image.get_header()["dim"][:4])
print(image.get_shape())
labels = nib.Nifti1Image(np.arange(3), np.eye(4))
print(labels.dataobj.dtype, labels.header.get_data_dtype(), isinstance(labels, nib.Nifti1Image))
nib.save(labels, "labels.nii")
loaded = nib.load("labels.nii")
print(loaded.dataobj[:].tolist(), loaded.header.get_data_dtype())
copied = nib.Nifti1Image(np.arange(3), np.eye(4), nib.load("volume.nii.gz").header)
print(copied.header.get_data_dtype())
print(nib.Nifti1Pair(np.zeros(2, np.uint64), np.eye(4)).header.get_data_dtype())
print(nib.nifti1.Nifti1Image(np.zeros(2, np.int64), np.eye(4)).header.get_data_dtype())
print(nib.nifti1.Nifti1Pair(np.zeros(2, np.uint64), np.eye(4)).header.get_data_dtype())
print(nib.Nifti2Image(np.zeros(2, np.int64), np.eye(4)).header.get_data_dtype())
print(nib.Nifti2Pair(np.zeros(2, np.uint64), np.eye(4)).header.get_data_dtype())
print(nib.nifti2.Nifti2Image(np.zeros(2, np.int64), np.eye(4)).header.get_data_dtype())
print(nib.nifti2.Nifti2Pair(np.zeros(2, np.uint64), np.eye(4)).header.get_data_dtype())
print(nib.Nifti1Image(np.zeros(2, np.int32), np.eye(4)).header.get_data_dtype())


class Own(nib.Nifti1Image):
    def get_data(self):
        return "its own"


print(Own(volume, np.eye(4)).get_data())
