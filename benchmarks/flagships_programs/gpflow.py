"""Fits a line of noise by GPflow: an exact model by L-BFGS, then a sparse variational one by Adam."""

import gpflow
import numpy as np

rng = np.random.RandomState(0)
X = rng.rand(60, 1)
Y = np.sin(12 * X) + 0.66 * np.cos(25 * X) + rng.randn(60, 1) * 0.1

exact = gpflow.models.GPR(X, Y, kern=gpflow.kernels.Matern52(1, lengthscales=0.3))
gpflow.train.ScipyOptimizer().minimize(exact, maxiter=10)
print("exact:", exact.compute_log_likelihood())

sparse = gpflow.models.SVGP(
    X, Y, gpflow.kernels.RBF(1), gpflow.likelihoods.Gaussian(), Z=X[::6].copy(), minibatch_size=20
)
gpflow.train.AdamOptimizer(0.01).minimize(sparse, maxiter=25)
mean, variance = sparse.predict_y(np.linspace(0, 1, 5).reshape(-1, 1))
print("sparse:", mean.ravel(), variance.ravel())
