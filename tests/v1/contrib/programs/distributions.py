"""Programs that use the names of tf.contrib.distributions that tf.distributions lacks."""

from tests.v1.contrib.raising import errors_of, raised
from tests.v1.contrib.values import numbers

_STATISTICS = ("mean", "mode", "stddev", "variance", "covariance", "entropy")


def _of(tf, distribution, x, statistics):
    """Returns a distribution's probabilities, statistics and shapes, and True if its samples have the right mean."""
    results = {name: getattr(distribution, name)() for name in statistics}
    results.update(
        log_prob=distribution.log_prob(x),
        batch=distribution.batch_shape,
        event=distribution.event_shape,
        shapes=[distribution.batch_shape_tensor(), distribution.event_shape_tensor()],
        samples=distribution.sample(3).shape,
        name=distribution.name,
    )
    if "mean" in statistics:
        drawn = tf.reduce_mean(distribution.sample(4000, seed=1), axis=0)
        results["drawn"] = tf.reduce_all(tf.abs(drawn - distribution.mean()) < 0.2)
    return results


def multivariate_normals(tf):
    loc = tf.get_variable("loc", initializer=numbers(2, 3))
    deviations = tf.get_variable("deviations", initializer=abs(numbers(3, seed=1)) + 0.5)
    matrix = numbers(3, 3, seed=2)
    lower = tf.matrix_set_diag(tf.constant(numbers(3, 3, seed=3)), [2.0, 1.0, 1.5])
    contrib = tf.contrib.distributions
    vectors = [
        tf.contrib.distributions.MultivariateNormalDiag(loc, deviations),
        contrib.MultivariateNormalDiag(loc, scale_identity_multiplier=2.0),
        contrib.MultivariateNormalDiag(scale_diag=deviations, scale_identity_multiplier=0.5),
        tf.contrib.distributions.MultivariateNormalDiagWithSoftplusScale(loc, deviations),
        tf.contrib.distributions.MultivariateNormalTriL(loc, lower),
        tf.contrib.distributions.MultivariateNormalFullCovariance(loc, tf.constant(matrix.dot(matrix.T))),
    ]
    apart = [tf.distributions.kl_divergence(left, right) for left, right in zip(vectors[:2], [vectors[4], vectors[0]])]
    return [[_of(tf, each, numbers(2, 3, seed=4), _STATISTICS) for each in vectors], apart]


def multivariate_normal_with_a_singular_scale(tf):
    normal = tf.contrib.distributions.MultivariateNormalDiag([-1.0, 1.0], [1.0, 0.0], validate_args=True)
    fetches = [normal.sample(seed=1), normal.log_prob([0.0, 0.0]), normal.entropy(), normal.mean()]
    return lambda sess: [raised(tf.errors.InvalidArgumentError, sess.run, each) for each in fetches]


def one_hot_categorical(tf):
    logits = tf.get_variable("logits", initializer=numbers(2, 3))
    categorical = tf.contrib.distributions.OneHotCategorical(logits)
    other = tf.contrib.distributions.OneHotCategorical(probs=[0.2, 0.3, 0.5], dtype=tf.float32)
    x = [[0, 1, 0], [1, 0, 0]]
    statistics = ("mode", "variance", "covariance", "entropy")
    drawn = tf.reduce_mean(tf.cast(categorical.sample(4000, seed=1), tf.float32), axis=0)
    return [
        _of(tf, categorical, tf.constant(x), statistics),
        _of(tf, other, tf.constant(x, tf.float32), statistics),
        tf.distributions.kl_divergence(categorical, other),
        [categorical.probs, tf.reduce_all(tf.abs(drawn - categorical.probs) < 0.05)],
    ]


def relaxed_one_hot_and_bernoulli(tf):
    logits = tf.get_variable("logits", initializer=numbers(2, 3))
    x = tf.nn.softmax(numbers(2, 3, seed=1))
    relaxed = tf.contrib.distributions.RelaxedOneHotCategorical(0.7, logits)
    logarithm = tf.contrib.distributions.ExpRelaxedOneHotCategorical(
        tf.constant(1.5), probs=[0.2, 0.3, 0.5], name="log"
    )
    drawn = relaxed.sample(5, seed=1)
    flips = tf.contrib.distributions.RelaxedBernoulli(0.5, logits=logits[0])
    values = flips.sample(100, seed=1)
    return [
        _of(tf, relaxed, x, ()),
        _of(tf, logarithm, tf.log(x), ()),
        _of(tf, flips, x[0], ()),
        [flips.cdf(x[0]), flips.probs, flips.temperature],
        tf.reduce_all(tf.abs(tf.reduce_sum(drawn, -1) - 1.0) < 1e-4),
        tf.reduce_all(tf.logical_and(values >= 0.0, values <= 1.0)),
        tf.gradients(tf.reduce_sum(drawn[..., 0]), logits)[0].shape,
    ]


def logistic_poisson_binomial_deterministic(tf):
    rate = tf.get_variable("rate", initializer=abs(numbers(3)) + 0.5)
    logistic = tf.contrib.distributions.Logistic(rate, [1.0, 2.0, 0.5])
    poisson = tf.contrib.distributions.Poisson(rate)
    by_logarithm = tf.contrib.distributions.Poisson(log_rate=rate, validate_args=True)
    x = tf.constant([0.0, 1.0, 4.0])
    trials = tf.contrib.distributions.Binomial(4.0, probs=[0.25, 0.5, 0.8], validate_args=True)
    by_odds = tf.contrib.distributions.Binomial([[5.0], [6.0]], logits=rate)
    counted = [trials.cdf(x), by_odds.probs, by_odds.total_count, trials.logits, trials.prob(x)]
    exact = tf.contrib.distributions.Deterministic([1.0, 2.0], atol=0.1)
    vector = tf.contrib.distributions.VectorDeterministic([[1.0, 2.0]], rtol=0.1)
    return [
        _of(tf, logistic, x, ("mean", "mode", "stddev", "entropy")),
        [logistic.cdf(x), logistic.log_cdf(x), logistic.survival_function(x), logistic.log_survival_function(x)],
        _of(tf, poisson, x, ("mean", "mode", "variance")),
        _of(tf, by_logarithm, x, ("mean", "mode", "variance")),
        [poisson.cdf(x), by_logarithm.rate],
        [counted, [[each.log_prob(x), each.mean(), each.mode(), each.stddev()] for each in (trials, by_odds)]],
        [trials.batch_shape, by_odds.batch_shape, by_odds.batch_shape_tensor(), trials.copy(probs=0.5).name],
        [
            exact.prob([1.05, 2.2]),
            exact.cdf([0.5, 2.0]),
            exact.sample(2),
            exact.mean(),
            exact.entropy(),
            exact.variance(),
        ],
        [vector.prob([1.05, 2.1]), vector.prob([1.05, 2.3]), vector.sample(2), vector.event_shape, vector.mode()],
    ]


def independent(tf):
    loc = tf.get_variable("loc", initializer=numbers(2, 3, 4))
    whole = tf.contrib.distributions.Independent(tf.distributions.Normal(loc, 2.0))
    some = tf.contrib.distributions.Independent(tf.distributions.Normal(loc + 1.0, 1.0), reinterpreted_batch_ndims=2)
    x = numbers(2, 3, 4, seed=1)
    statistics = ("mean", "mode", "stddev", "variance", "entropy")
    return [_of(tf, each, x, statistics) for each in (whole, some)] + [tf.distributions.kl_divergence(whole, some)]


def _ways(bijector, x, y, event_ndims=0):
    """Calls a bijector each way, with numbers that its cache doesn't have, so that it computes each."""
    return {
        "forward": bijector.forward(x),
        "inverse": bijector.inverse(y),
        "of forward": bijector.forward_log_det_jacobian(x + 0.125, event_ndims=event_ndims),
        "of inverse": bijector.inverse_log_det_jacobian(y + 0.125, event_ndims=event_ndims),
        "of vectors": bijector.inverse_log_det_jacobian(y + 0.25, event_ndims=1),
        "name": bijector.name,
        "ndims": [bijector.forward_min_event_ndims, bijector.inverse_min_event_ndims],
    }


def scalar_bijectors(tf):
    x, y = tf.constant(numbers(2, 3)), tf.constant(abs(numbers(2, 3, seed=1)) * 0.5 + 0.125)
    scale = tf.get_variable("scale", initializer=numbers(3, seed=2))
    bijectors = tf.contrib.distributions.bijectors
    instances = [
        tf.contrib.distributions.bijectors.Exp(),
        tf.contrib.distributions.bijectors.PowerTransform(0.5, validate_args=True),
        tf.contrib.distributions.bijectors.Sigmoid(),
        tf.contrib.distributions.bijectors.Softplus(),
        bijectors.Softplus(hinge_softness=0.5, validate_args=True),
        tf.contrib.distributions.bijectors.Softsign(validate_args=True),
        tf.contrib.distributions.bijectors.AffineScalar(0.5, scale, validate_args=True),
        bijectors.AffineScalar(),
        tf.contrib.distributions.bijectors.Inline(
            tf.exp, tf.log, lambda y: -tf.log(y), forward_min_event_ndims=0, name="mine"
        ),
        tf.contrib.distributions.bijectors.Invert(bijectors.Exp()),
        tf.contrib.distributions.bijectors.Chain([bijectors.Exp(), bijectors.AffineScalar(shift=1.0, scale=scale)]),
        bijectors.Chain(),
    ]
    return [_ways(each, x, y) for each in instances]


def vector_bijectors(tf):
    x, y = tf.constant(numbers(4, 2, 3)), tf.constant(abs(numbers(4, 2, 3, seed=1)) * 0.5 + 0.125)
    shift = tf.get_variable("shift", initializer=numbers(3, seed=2))
    lower = tf.get_variable("lower", initializer=abs(numbers(2, 3, 3, seed=3)) + 0.5)
    diag = tf.get_variable("diag", initializer=abs(numbers(3, seed=4)) + 0.5)
    bijectors = tf.contrib.distributions.bijectors
    instances = [
        tf.contrib.distributions.bijectors.Affine(),
        bijectors.Affine(shift, scale_identity_multiplier=2.0, validate_args=True),
        bijectors.Affine(shift, scale_diag=diag, scale_identity_multiplier=0.5),
        bijectors.Affine(shift, scale_tril=lower, validate_args=True),
        bijectors.Affine(scale_tril=lower[0], scale_diag=diag),
        bijectors.Affine(scale_identity_multiplier=2.0, scale_perturb_factor=lower[0][:, :1]),
        bijectors.Affine(scale_diag=diag, scale_perturb_factor=lower[0][:, :2], scale_perturb_diag=diag[:2]),
        tf.contrib.distributions.bijectors.Permute([2, 0, 1]),
        bijectors.Chain([bijectors.Permute([1, 2, 0]), bijectors.Affine(shift, scale_diag=diag), bijectors.Sigmoid()]),
        bijectors.Invert(bijectors.Chain([bijectors.Exp(), bijectors.Permute([1, 0, 2])])),
    ]
    return [_ways(each, x, y, event_ndims=1) for each in instances]


def masked_autoregressive_flows(tf):
    bijectors = tf.contrib.distributions.bijectors
    x, y = tf.constant(numbers(4, 3)), tf.constant(numbers(4, 3, seed=1))
    nets = [
        tf.contrib.distributions.bijectors.masked_autoregressive_default_template([6, 7]),
        bijectors.masked_autoregressive_default_template([6], True, tf.tanh, name="shifts"),
        bijectors.masked_autoregressive_default_template([3], log_scale_max_clip=0.25),
    ]
    instances = [
        tf.contrib.distributions.bijectors.MaskedAutoregressiveFlow(nets[0]),
        bijectors.MaskedAutoregressiveFlow(nets[1], is_constant_jacobian=True),
        bijectors.MaskedAutoregressiveFlow(nets[2], unroll_loop=True),
    ]
    layer = tf.contrib.distributions.bijectors.masked_dense(x, 4, num_blocks=2, exclusive=True, name="layer")
    return [[_ways(each, x, y, event_ndims=1) for each in instances], layer]


def transformed(tf):
    bijectors = tf.contrib.distributions.bijectors
    loc = tf.get_variable("loc", initializer=numbers(3))
    y = tf.constant(abs(numbers(2, 3, seed=1)) + 0.125)
    normal = tf.contrib.distributions.Normal(0.0, 0.5)
    affine = bijectors.Affine(loc, scale_diag=[1.0, 2.0, 0.5])
    log_normal = tf.contrib.distributions.TransformedDistribution(
        tf.contrib.distributions.Normal(loc, 0.5), bijectors.Exp(), name="LogNormal"
    )
    correlated = tf.contrib.distributions.TransformedDistribution(normal, affine, event_shape=[3])
    batch = tf.contrib.distributions.TransformedDistribution(normal, affine, batch_shape=[2], event_shape=[3])
    rotated = tf.contrib.distributions.TransformedDistribution(
        tf.contrib.distributions.Normal([0.0, 1.0], 0.5), affine, event_shape=[3], validate_args=True
    )
    same = tf.contrib.distributions.TransformedDistribution(normal, None, tf.placeholder_with_default([2], [1]))
    sample = rotated.sample(4, seed=7)
    return [
        [each.log_prob(y), each.sample(4).shape, each.batch_shape, each.event_shape, each.name]
        for each in (log_normal, correlated, batch, rotated)
    ] + [
        *(getattr(log_normal, name)(y) for name in ("cdf", "log_cdf", "survival_function", "log_survival_function")),
        log_normal.quantile([0.25, 0.5, 0.75]),
        [each.entropy() for each in (correlated, batch, rotated, same)],
        [same.log_prob(y[0, :2]), same.batch_shape, same.batch_shape_tensor(), same.event_shape_tensor()],
        [sample, rotated.log_prob(sample), tf.shape(batch.sample([4, 5]))],
    ]


def bijector_errors(tf):
    bijectors = tf.contrib.distributions.bijectors
    transformed, normal = tf.contrib.distributions.TransformedDistribution, tf.contrib.distributions.Normal(0.0, 1.0)
    results = []
    for call in (
        lambda: bijectors.PowerTransform(-1.0),
        lambda: bijectors.Permute([0, 2]),
        lambda: bijectors.Permute([0.0, 1.0]),
        lambda: bijectors.Affine(scale_perturb_diag=[1.0]),
        lambda: bijectors.Inline(forward_min_event_ndims=0).forward(1.0),
        lambda: transformed(normal, bijectors.Exp()).entropy(),
        lambda: transformed(normal, bijectors.Exp(), event_shape=[2]).cdf(1.0),
        lambda: transformed(normal, bijectors.Exp(), event_shape=3),
        lambda: transformed(normal, bijectors.Exp(), event_shape=[0]),
        lambda: transformed(tf.contrib.distributions.Normal([0.0, 1.0], 1.0), bijectors.Exp(), batch_shape=[2]),
    ):
        try:
            results.append(call())
        except (NotImplementedError, TypeError, ValueError) as error:
            results.append(type(error))
    return results


def chi2_errors(tf):
    refused = tf.contrib.distributions.Chi2(tf.placeholder_with_default([-1.0, 1.0], [2]), validate_args=True)
    fetch = refused.mean()
    return lambda sess: raised(tf.errors.InvalidArgumentError, sess.run, fetch)


def _drawn(distribution, *shapes):
    """Returns a sample with the graph's seed, and samples with seeds of their own."""
    return [distribution.sample(2)] + [distribution.sample(shape, seed=5 + n) for n, shape in enumerate(shapes)]


def cauchy_and_half_normal(tf):
    loc = tf.get_variable("loc", initializer=numbers(2, 3))
    scale = tf.get_variable("scale", initializer=abs(numbers(3, seed=1)) + 0.5)
    cauchy = tf.contrib.distributions.Cauchy(loc, scale)
    checked = tf.contrib.distributions.Cauchy(0.0, [1.0, 2.0], validate_args=True, allow_nan_stats=False, name="c")
    half = tf.contrib.distributions.HalfNormal(scale)
    drawn = [_drawn(cauchy, 3, [2, 2]), _drawn(half, 3, [2, 2]), tf.gradients(half.sample(3, seed=1), scale)]
    x = numbers(2, 3, seed=2)
    p = abs(numbers(3, seed=3)) * 0.9 + 0.05
    return [
        _of(tf, cauchy, x, ("mode", "entropy")),
        [cauchy.cdf(x), cauchy.log_cdf(x), cauchy.quantile(p), cauchy.survival_function(x), cauchy.loc, cauchy.scale],
        [cauchy.mean(), cauchy.stddev(), cauchy.variance(), errors_of(checked.mean, checked.stddev)],
        [checked.prob(3.0), checked.name, checked.copy(loc=1.0).loc, cauchy.batch_shape],
        _of(tf, half, abs(x), ("mean", "mode", "stddev", "variance", "entropy")),
        [half.prob(x), half.cdf(x), half.quantile(p), half.scale],
        drawn,
        sorted(tf.contrib.distributions.HalfNormal.param_shapes([2])),
        [value for _, value in sorted(tf.contrib.distributions.Cauchy.param_static_shapes([2, 3]).items())],
    ]


def chi2_distributions(tf):
    df = tf.get_variable("df", initializer=abs(numbers(3)) * 4 + 1.0)
    chi2 = tf.contrib.distributions.Chi2(df)
    drawn = _drawn(chi2, 3, [2, 2])[1:]  # without a seed random_gamma itself draws otherwise than in TensorFlow 1
    floors = tf.contrib.distributions.Chi2WithAbsDf([-3.7, 2.2], validate_args=True)
    x = abs(numbers(2, 3, seed=1)) + 0.1
    return [
        _of(tf, chi2, x, ("mode", "stddev", "variance", "entropy")),
        [chi2.cdf(x), chi2.df, chi2.mean(), chi2.concentration, chi2.rate, chi2.copy(df=2.0).df],
        [floors.df, floors.name, floors.log_prob([1.0, 2.0]), floors.copy(df=4.5).df],
        [drawn, sorted(floors.parameters), sorted(chi2.param_shapes([2]))],
    ]


def inverse_gamma(tf):
    concentration = tf.get_variable("concentration", initializer=abs(numbers(3)) * 2 + 2.5)
    rate = tf.get_variable("rate", initializer=abs(numbers(2, 1, seed=1)) + 0.5)
    inverse = tf.contrib.distributions.InverseGamma(concentration, rate)
    strict = tf.contrib.distributions.InverseGamma([2.5, 3.0], 2.0, validate_args=True, allow_nan_stats=False, name="s")
    low = tf.contrib.distributions.InverseGamma([0.5, 1.5, 3.0], 2.0)
    x = abs(numbers(2, 3, seed=2)) + 0.1
    drawn = _drawn(inverse, 3, [2, 2])[1:]  # without a seed random_gamma itself draws otherwise than in TensorFlow 1
    return [
        _of(tf, inverse, x, ("mean", "mode", "stddev", "variance", "entropy")),
        [inverse.prob(x), inverse.log_cdf(x), inverse.concentration, inverse.rate, drawn],
        [strict.mean(), strict.variance(), strict.log_prob([1.0, 2.0]), strict.cdf([1.0, 2.0]), strict.name],
        [strict.copy(rate=1.0).rate, sorted(strict.parameters), sorted(inverse.param_shapes([2]))],
        [tf.is_nan(low.mean()), tf.is_nan(low.variance())],
    ]


def inverse_gamma_errors(tf):
    low, x = tf.placeholder_with_default([0.5, 3.0], [2]), tf.placeholder_with_default([-1.0, 1.0], [2])
    strict = tf.contrib.distributions.InverseGamma(low, 2.0, validate_args=True, allow_nan_stats=False)
    wrong = tf.contrib.distributions.InverseGamma(x, 1.0, validate_args=True)
    fetches = [strict.mean(), strict.variance(), strict.prob(x), strict.cdf(x), wrong.mode()]
    return lambda sess: [raised(tf.errors.InvalidArgumentError, sess.run, each) for each in fetches]


def geometric_distribution(tf):
    logits = tf.get_variable("logits", initializer=numbers(3))
    geometric = tf.contrib.distributions.Geometric(logits)
    drawn = _drawn(geometric, 3, [2, 2])
    certain = tf.contrib.distributions.Geometric(probs=[0.25, 1.0], name="certain")
    checked = tf.contrib.distributions.Geometric(probs=[0.25, 0.5], validate_args=True)
    x = [[0.0, 1.0, 4.0], [2.0, 3.5, 0.0]]
    return [
        _of(tf, geometric, x, ("mode", "stddev", "variance", "entropy")),
        [geometric.cdf(x), geometric.probs, geometric.mean(), geometric.logits],
        [certain.log_prob([0.0, 0.0]), certain.log_prob([3.0, 0.0]), certain.name, certain.cdf([-1.0, 2.0])],
        [checked.log_prob([1.0, 2.0]), checked.cdf([1.0, 2.0]), checked.entropy()],
        drawn,
        errors_of(
            lambda: tf.contrib.distributions.Geometric(logits=0.0, probs=0.5),
            tf.contrib.distributions.Geometric,
        ),
    ]


def mixtures(tf):
    contrib = tf.contrib.distributions
    logits = tf.get_variable("logits", initializer=numbers(2, 3))
    loc = tf.get_variable("loc", initializer=numbers(2, seed=1) * 3)

    def scalars(**options):
        parts = [contrib.Normal(loc, 1.0), contrib.Normal(loc * 2.0, [0.5, 2.0]), contrib.Laplace([0.0, 1.0], 1.0)]
        return tf.contrib.distributions.Mixture(contrib.Categorical(logits), parts, **options)

    def vectors(**options):
        parts = [contrib.MultivariateNormalDiag([0.0, 4.0 * n], [1.0, 0.5 + n]) for n in range(2)]
        return contrib.Mixture(contrib.Categorical(probs=[0.3, 0.7]), parts, **options)

    x = numbers(4, 2, seed=2)
    mixed, checked = scalars(), scalars(validate_args=True, name="checked")
    static, another = scalars(use_static_graph=True), scalars(name="another")
    drawn = [_drawn(mixed, 3, [2, 2]), _drawn(checked, 3, [2, 2]), another.stddev(), tf.random_uniform([2])]
    drawn.append(_drawn(static, 3, [2, 2]))
    vector, picked = vectors(), vectors(use_static_graph=True, validate_args=True)
    two = contrib.Categorical(probs=[0.5, 0.5])
    normal = contrib.Normal(0.0, 1.0)
    return [
        [_of(tf, each, x, ("mean", "stddev")) for each in (mixed, checked, vector)],
        [mixed.cdf(x), mixed.log_cdf(x), mixed.entropy_lower_bound(), vector.entropy_lower_bound()],
        [drawn, [each.sample([2, 2], seed=7) for each in (vector, picked)]],
        [mixed.num_components, len(mixed.components), mixed.cat.logits, vector.event_shape],
        errors_of(
            lambda: contrib.Mixture(normal, [normal]),
            lambda: contrib.Mixture(two, []),
            lambda: contrib.Mixture(two, [normal, 1.0]),
            lambda: contrib.Mixture(two, {1: normal, 2: normal}),
            lambda: contrib.Mixture(two, [normal]),
            lambda: contrib.Mixture(two, [normal, contrib.Normal([0.0, 1.0], 1.0)]),
            lambda: contrib.Mixture(two, [normal, contrib.Bernoulli(0.5)]),
            lambda: contrib.Mixture(two, [normal, contrib.Normal(tf.constant(0.0, tf.float64), 1.0)]),
        ),
    ]


def parameters(tf):
    contrib = tf.contrib.distributions
    normal = contrib.Normal([0.0], [1.0])
    distributions = [
        contrib.Binomial(2.0, probs=0.5),
        contrib.Cauchy(0.0, 1.0, validate_args=True),
        contrib.Chi2(1.0),
        contrib.Chi2WithAbsDf(-1.5, name="absolute"),
        contrib.ExpRelaxedOneHotCategorical(0.5, probs=[0.5, 0.5]),
        contrib.Geometric(probs=0.5),
        contrib.HalfNormal(1.0),
        contrib.InverseGamma(1.0, 2.0),
        contrib.Logistic(0.0, 1.0),
        contrib.Mixture(contrib.Categorical(probs=[0.5, 0.5]), [normal.copy(loc=0.0, scale=1.0)] * 2),
        contrib.OneHotCategorical([1.0, 2.0]),
        contrib.Poisson(1.0),
        contrib.RelaxedBernoulli(0.5, probs=0.5),
    ]
    of_vectors = [
        contrib.MultivariateNormalDiag([0.0, 0.0]),
        contrib.MultivariateNormalDiagWithSoftplusScale([0.0], [1.0]),
        contrib.MultivariateNormalFullCovariance([0.0], [[1.0]]),
        contrib.MultivariateNormalTriL([0.0], [[1.0]]),
    ]
    of_others = [
        contrib.Independent(normal, validate_args=True),
        contrib.TransformedDistribution(normal, contrib.bijectors.Exp(), validate_args=True),
    ]
    copies = [each.copy(allow_nan_stats=False).copy() for each in distributions]
    copies += [each.copy() for each in of_vectors + of_others]
    return [
        [[sorted(each.parameters), each.parameters["name"]] for each in distributions + of_vectors + of_others],
        [[each.allow_nan_stats, each.validate_args, each.name] for each in copies],
    ]
