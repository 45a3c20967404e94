# tf1mem on one of TensorFlow's own images, 2.15.0 or newer: tensorflow/tensorflow:2.19.0 has no GPU support,
# tensorflow/tensorflow:2.19.0-gpu has CUDA. Usage: migration_guide/containers.md.
ARG TENSORFLOW=tensorflow/tensorflow:2.19.0

FROM ${TENSORFLOW} AS build
COPY . /tf1mem
RUN python3 -m pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /tf1mem

FROM ${TENSORFLOW}
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# The image's TensorFlow stays as it is: Keras 2 and the estimators come without their requirements, and as their
# versions for this TensorFlow.
# hadolint ignore=DL3013
RUN --mount=type=bind,from=build,source=/wheels,target=/wheels \
    python3 -m pip install --no-cache-dir "$(echo /wheels/tf1mem-*.whl)[cli]" \
    && version=$(python3 -c 'import tensorflow; print(tensorflow.__version__.rpartition(".")[0])') \
    && python3 -m pip install --no-cache-dir --no-deps "tf_keras~=${version}.0" tensorflow-estimator==2.15.0
WORKDIR /work
ENTRYPOINT ["tf1mem", "run"]
