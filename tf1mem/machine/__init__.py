"""What is there: TensorFlow, CUDA and the GPUs, asked without starting them."""
