"""A program that trains every layer of Keras by fit, and prints the losses, a line of JSON for each kind of input.

    python layers_of_keras.py keras|tf_keras POLICY [LAYER ...]

Layers that take inputs of one kind are trained in one model, each with an output of its own.
"""

from __future__ import annotations

import importlib
import json
import sys
import zlib

import numpy as np

# Kind -> the shape of the input, and calls that create layers; L is the module of layers. The text is split at spaces,
# so a + stands for a space within a call. Layers are in float32 if some CPU doesn't compute them in half precision.
KINDS = {
    "numbers": (
        (6,),
        """
        Dense(4) Activation("tanh") ActivityRegularization(0.1,dtype="float32") AlphaDropout(0.2) BatchNormalization()
        Dropout(0.2) ELU()
        EinsumDense("ab,bc->ac",output_shape=4) Flatten() GaussianDropout(0.2) GaussianNoise(0.2)
        GroupNormalization(groups=2) Identity() LayerNormalization() RMSNormalization() LeakyReLU() Masking()
        Normalization(mean=0.5,variance=2.0) PReLU() ReLU() RepeatVector(2) Reshape((2,3)) Rescaling(0.5) Softmax()
        SpectralNormalization(L.Dense(3)) UnitNormalization() ThresholdedReLU() Lambda(lambda+x:x*2)
        """,
    ),
    "pairs": (
        (2, 6),
        "Add() Average() Concatenate() Dot(1) Maximum() Minimum() Multiply() Subtract()",
    ),
    "steps": (
        (6, 4),
        """
        Conv1D(3,2) Conv1DTranspose(3,2) SeparableConv1D(3,2) DepthwiseConv1D(2) LocallyConnected1D(2,2)
        LSTM(3) GRU(3) SimpleRNN(3)
        RNN(L.LSTMCell(3)) RNN(L.GRUCell(3)) RNN(L.StackedRNNCells([L.SimpleRNNCell(3),L.LSTMCell(3)]))
        Bidirectional(L.LSTM(3,return_sequences=True)) TimeDistributed(L.Dense(3)) MaxPooling1D(2) AveragePooling1D(2)
        GlobalMaxPooling1D() GlobalAveragePooling1D() AdaptiveAveragePooling1D(2) AdaptiveMaxPooling1D(2) Cropping1D(1)
        ZeroPadding1D() UpSampling1D() SpatialDropout1D(0.2) Permute((2,1))
        """,
    ),
    "attention": (
        (6, 4),
        "Attention() AdditiveAttention() MultiHeadAttention(2,3) GroupQueryAttention(2,4,2)",
    ),
    "pictures": (
        (8, 8, 3),
        """
        Conv2D(3,3) Conv2DTranspose(2,3,strides=2) SeparableConv2D(3,3) DepthwiseConv2D(3) LocallyConnected2D(2,3)
        MaxPooling2D()
        AveragePooling2D(2) GlobalMaxPooling2D() GlobalAveragePooling2D() AdaptiveAveragePooling2D(2)
        AdaptiveMaxPooling2D(2) Cropping2D(1) ZeroPadding2D() UpSampling2D() UpSampling2D(2,interpolation="bilinear")
        SpatialDropout2D(0.2) Conv2D(2,3,dilation_rate=2)
        """,
    ),
    "changed pictures": (
        (8, 8, 3),
        """
        CenterCrop(4,4) Resizing(4,4) RandomCrop(4,4) RandomFlip() RandomRotation(0.2) RandomZoom(0.2)
        RandomTranslation(0.2,0.2) RandomContrast(0.2,dtype="float32") RandomBrightness(0.2)
        RandomHeight(0.2) RandomWidth(0.2)
        AugMix() AutoContrast() CutMix(dtype="float32") Equalization() MaxNumBoundingBoxes(2) MixUp() RandAugment()
        RandomColorDegeneration(0.5) RandomColorJitter(0.2) RandomElasticTransform(0.5,dtype="float32")
        RandomErasing(dtype="float32")
        RandomGaussianBlur(0.5,dtype="float32")
        RandomGrayscale() RandomHue(0.2) RandomInvert() RandomPerspective(0.5) RandomPosterization(4)
        RandomSaturation(0.2)
        RandomSharpness(0.5) RandomShear(0.2) Solarization() ContrastLimitedAdaptiveHistogramEqualization()
        Pipeline([L.RandomFlip()])
        """,
    ),
    "places": (
        (4, 6, 6, 2),
        """
        Conv3D(2,2) Conv3DTranspose(2,2) MaxPooling3D(2,dtype="float32") AveragePooling3D(2,dtype="float32")
        GlobalMaxPooling3D() GlobalAveragePooling3D()
        AdaptiveAveragePooling3D(2,dtype="float32") AdaptiveMaxPooling3D(2,dtype="float32")
        Cropping3D(1) ZeroPadding3D() UpSampling3D()
        SpatialDropout3D(0.2) ConvLSTM2D(2,3)
        """,
    ),
    "steps of rows": ((4, 6, 2), "ConvLSTM1D(2,3)"),
    "steps of places": ((3, 4, 4, 4, 1), "ConvLSTM3D(1,2)"),
    "words": (
        (5,),
        """
        Embedding(9,3) ReversibleEmbedding(9,3) CategoryEncoding(9,output_mode="count")
        IntegerLookup(vocabulary=[1,2,3])
        Discretization([2.0,4.0]) Hashing(5)
        """,
    ),
}
# Names that aren't layers; cells, which RNN trains; layers of text, which no GPU runs; two layers of spectrograms.
NOT_TRAINED = {
    "Layer", "InputLayer", "InputSpec", "Wrapper", "AbstractRNNCell", "LSTMCell", "GRUCell", "SimpleRNNCell",
    "StackedRNNCells", "HashedCrossing", "StringLookup", "TextVectorization", "TFSMLayer", "JaxLayer", "FlaxLayer",
    "TorchModuleWrapper", "DenseFeatures", "MelSpectrogram", "STFTSpectrogram",
}  # fmt: skip
ROWS = 8


def layers_of(module, calls, only):
    """Yields each call whose layer this Keras has, and the layer that it creates."""
    for call in calls.split():
        name = call.split("(")[0]
        if name == "SpectralNormalization" and module.__name__.startswith("tf_keras"):
            continue  # this layer accepts no layer of tf_keras, on any device
        if (
            hasattr(module, name)
            and (not only or name in only)
            and all(hasattr(module, inner.split("(")[0]) for inner in call.split("L.")[1:])
        ):
            yield call, eval("L." + call.replace("+", " "), {"L": module})


def apply(kind, call, layer, inputs):
    if kind == "pairs":
        return layer([inputs[:, 0], inputs[:, 1]])
    if kind == "attention":
        return layer(inputs, inputs) if "Head" in call or "Group" in call else layer([inputs, inputs])
    if call.startswith("RepeatVector") or not kind.startswith("changed"):
        return layer(inputs)
    return layer(inputs, training=True)


def losses(keras, kind, shape, layers):
    keras.utils.set_random_seed(3)
    rng = np.random.RandomState(1)
    words = kind == "words"
    x = rng.randint(0, 9, (ROWS, *shape)) if words else rng.rand(ROWS, *shape).astype("f4")
    inputs = keras.Input(shape, dtype="int32" if words else "float32")
    outputs = []
    targets = []
    for i, (call, layer) in enumerate(layers):
        # Not by position, which can differ on a GPU: LSTM and GRU are in the model that isn't compiled there.
        seed = zlib.crc32(call.encode()) % 1000
        output = apply(kind, call, layer, inputs)
        if None in output.shape[1:3] and len(output.shape) == 4:  # the layer draws the height or the width
            output = keras.layers.Resizing(4, 4, dtype="float32")(output)
        output = keras.layers.Rescaling(0.5, dtype="float32")(output)
        size = int(np.prod([size or 2 for size in output.shape[1:]]))
        output = keras.layers.Reshape((size,), dtype="float32")(output)
        kernel = keras.initializers.RandomUniform(-0.1, 0.1, seed=seed)
        outputs.append(keras.layers.Dense(1, name=f"made{i}", kernel_initializer=kernel, dtype="float32")(output))
        targets.append(np.random.RandomState(seed).rand(ROWS, 1).astype("f4"))
    model = keras.Model(inputs, outputs)
    model.compile(keras.optimizers.SGD(0.02), ["mse"] * len(outputs))
    history = model.fit(x, targets, 4, epochs=2, verbose=0, shuffle=False).history
    return {call: history[f"made{i}_loss" if len(outputs) > 1 else "loss"] for i, (call, _) in enumerate(layers)}


def main(library, policy, *only):
    keras = importlib.import_module(library)
    keras.mixed_precision.set_global_policy(policy)
    keras.utils.set_random_seed(2)
    known = NOT_TRAINED | {call.split("(")[0] for _, calls in KINDS.values() for call in calls.split()}
    names = [name for name in dir(keras.layers) if isinstance(getattr(keras.layers, name), type)]
    one_of_each = {getattr(keras.layers, name): name for name in sorted(names, key=lambda name: name in known)}
    print(json.dumps({"unknown": sorted(name for name in one_of_each.values() if name not in known)}), flush=True)
    for kind, (shape, calls) in KINDS.items():
        layers = list(layers_of(keras.layers, calls, only))
        for compiled in (True, False):  # a model is compiled where all of its layers can be
            some = [pair for pair in layers if getattr(pair[1], "supports_jit", True) == compiled]
            if some:
                print(json.dumps(losses(keras, kind, shape, some)), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
