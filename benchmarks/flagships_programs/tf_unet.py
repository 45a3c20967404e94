"""Trains a U-net to find circles in noise, as the toy problem of tf_unet does, on small pictures."""

from tf_unet import image_gen, unet

circles = image_gen.GrayScaleDataProvider(92, 92, cnt=6, r_min=4, r_max=12, border=20)
net = unet.Unet(channels=circles.channels, n_class=circles.n_class, layers=3, features_root=8)
trainer = unet.Trainer(net, batch_size=2, optimizer="momentum", opt_kwargs={"momentum": 0.2})
trainer.train(circles, "out", training_iters=10, epochs=2, display_step=5)
