"""tf.contrib.slim.nets: AlexNet, Inception, OverFeat, ResNet and VGG."""
