"""Trains SAEHD of DeepFaceLab on the CPU, small and with random pictures in place of extracted faces."""

import pickle
from importlib import import_module
from pathlib import Path

import numpy as np
from samplelib import SampleGeneratorBase

# The answers to its questions. With clipped gradients no variable is updated before all gradients are computed.
OPTIONS = {
    "resolution": 64, "batch_size": 2, "archi": "liae-ud", "ae_dims": 32, "e_dims": 16, "d_dims": 16, "d_mask_dims": 16,
    "clipgrad": True,
}  # fmt: skip


class RandomFaces(SampleGeneratorBase):
    """Makes batches of two pictures, and of the masks of the face and of its eyes and mouth."""

    def __init__(self, path, debug=False, batch_size=1, **options):
        super().__init__(debug, batch_size)
        self.draw = np.random.RandomState(len(str(path)))

    def __next__(self):
        size = OPTIONS["resolution"]
        places = np.linspace(-1, 1, size)
        distance = np.hypot(*np.meshgrid(places, places))[None, :, :, None]
        pictures = self.draw.rand(2, self.batch_size, size, size, 3) * (distance < 0.8)
        masks = [np.repeat(distance < radius, self.batch_size, 0) for radius in (0.8, 0.3)]
        return [array.astype(np.float32) for array in (*pictures, *masks)]


module = import_module("models.Model_SAEHD.Model")
module.SampleGeneratorFace = RandomFaces
folder = Path("model")
folder.mkdir()
(folder / "SAEHD_default_options.dat").write_bytes(pickle.dumps(OPTIONS))
model = module.Model(
    is_training=True,
    saved_models_path=folder,
    training_data_src_path=Path("src"),
    training_data_dst_path=Path("destination"),
    no_preview=True,
    force_model_name="new",
    cpu_only=True,
)
for _ in range(20):
    print(model.train_one_iter(), model.get_loss_history()[-1])
model.save()
