"""What the codemod knows of TensorFlow's names."""
