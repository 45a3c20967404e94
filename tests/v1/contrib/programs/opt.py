"""Programs that use tf.contrib.opt."""

from tests.v1.contrib.values import numbers


def _trained(tf, make, steps=3, ways=("dense", "sparse", "resource", "sparse resource")):
    """Returns a function that trains variables of both kinds with gradients of both kinds, and returns them and the
    optimizer's slots."""
    trained = []
    for way in ways:
        with tf.variable_scope(way.replace(" ", "_"), use_resource="resource" in way):
            w = tf.get_variable("w", initializer=numbers(4, 3))
            read = tf.gather(w, [0, 2]) if "sparse" in way else w
            # The loss is linear, so that its gradient doesn't read the variable, which is updated at the same time.
            loss = tf.reduce_sum(read * numbers(*read.shape.as_list(), seed=1))
            step = tf.train.create_global_step() if way == ways[0] else tf.train.get_global_step()
            optimizer = make(step)
            trained.append((w, optimizer, optimizer.minimize(loss, step)))

    def run(sess):
        for _ in range(steps):
            for _, _, op in trained:
                sess.run(op)
        slots = [optimizer.get_slot(w, name) for w, optimizer, _ in trained for name in optimizer.get_slot_names()]
        return sess.run([w for w, _, _ in trained] + slots)

    return run


def adamax(tf):
    return _trained(tf, lambda step: tf.contrib.opt.AdaMaxOptimizer(0.1))


def adam_gs(tf):
    return _trained(tf, lambda step: tf.contrib.opt.AdamGSOptimizer(tf.constant(3), 0.1))


def lazy_adam(tf):
    return _trained(tf, lambda step: tf.contrib.opt.LazyAdamOptimizer(0.1))


def lazy_adam_gs(tf):
    return _trained(tf, lambda step: tf.contrib.opt.LazyAdamGSOptimizer(tf.constant(3), lambda: 0.1))


def nadam(tf):
    return _trained(tf, lambda step: tf.contrib.opt.NadamOptimizer(0.1))


def lars(tf):
    # Without clipping: a sparse gradient takes the learning rate as it is.
    def make(step):
        return tf.contrib.opt.LARSOptimizer(0.1, 0.9, eeta=0.5, skip_list=["sparse_r"], use_nesterov=True)

    return _trained(tf, make)


def reg_adagrad(tf):
    w = tf.get_variable("w", initializer=numbers(4, 3))
    v = tf.get_variable("v", initializer=numbers(4, 3), use_resource=True)
    optimizer = tf.contrib.opt.RegAdagradOptimizer(0.1)
    rows = [tf.gather(each, [0, 2]) for each in (w, v)]
    steps = [optimizer.minimize(tf.reduce_sum(tf.square(loss)), var_list=[w, v]) for loss in (w, v, rows[0], rows[1])]
    with optimizer.avoid_updating_slots():
        held = optimizer.minimize(tf.reduce_sum(w) + tf.reduce_sum(v) + tf.reduce_sum(rows[0]))

    def run(sess):
        for step in steps:
            sess.run(step)
        slots = [optimizer.get_slot(each, "accumulator") for each in (w, v)]
        before = sess.run([w, v, slots])
        sess.run(held)
        return [before, sess.run([w, v, slots])]

    return run


def addsign(tf):
    from_step = {"sign_decay_fn": lambda step: 1 / (1 + tf.cast(step, tf.float32))}
    return _trained(
        tf,
        lambda step: tf.contrib.opt.AddSignOptimizer(0.1, alpha=0.5, **from_step),
        ways=("dense", "sparse", "resource"),
    )


def powersign(tf):
    return _trained(
        tf, lambda step: tf.contrib.opt.PowerSignOptimizer(0.1, base=2.0), ways=("dense", "sparse", "resource")
    )


def adam_with_weight_decay(tf):
    return _trained(tf, lambda step: tf.contrib.opt.AdamWOptimizer(0.01, 0.1))


def momentum_with_weight_decay(tf):
    return _trained(tf, lambda step: tf.contrib.opt.MomentumWOptimizer(0.01, 0.1, 0.9, use_nesterov=True))


def any_optimizer_with_weight_decay(tf):
    extended = tf.contrib.opt.extend_with_decoupled_weight_decay(tf.train.GradientDescentOptimizer)
    is_extension = issubclass(extended, tf.contrib.opt.DecoupledWeightDecayExtension)
    v, w = (tf.get_variable(name, initializer=numbers(2, 2)) for name in "vw")
    loss = tf.reduce_sum(v) + tf.reduce_sum(w)
    optimizer = extended(weight_decay=0.1, learning_rate=0.5)
    steps = [
        optimizer.apply_gradients(optimizer.compute_gradients(loss), decay_var_list=[v]),
        optimizer.minimize(loss, decay_var_list=[v]),
    ]

    def run(sess):
        results = [is_extension]
        for step in steps:
            sess.run(step)
            results.append(sess.run([v, w]))
        return results

    return run


def shampoo(tf):
    options = {"gbar_decay": 0.5, "mat_gbar_decay": 0.9, "epsilon": 0.1}
    return _trained(tf, lambda step: tf.contrib.opt.ShampooOptimizer(step, learning_rate=0.1, **options), 2)


def shampoo_with_diagonals(tf):
    return _trained(tf, lambda step: tf.contrib.opt.ShampooOptimizer(step, max_matrix_size=3, learning_rate=0.1), 2)


def shampoo_by_newton_iteration(tf):
    def make(step):
        return tf.contrib.opt.ShampooOptimizer(
            step, svd_interval=2, precond_update_interval=2, use_iterative_root=True, epsilon=0.5
        )

    return _trained(tf, make, 3, ("dense",))


def ggt(tf):
    v = tf.get_variable("v", initializer=numbers(2, 3))
    w = tf.get_variable("w", initializer=numbers(2, seed=1))
    loss = tf.reduce_sum(v * numbers(2, 3, seed=2)) + tf.reduce_sum(tf.square(w))
    step = tf.contrib.opt.GGTOptimizer(0.1, window=3, svd_eps=0.1, sigma_eps=0.1, eps=0.2).minimize(loss)

    def run(sess):
        results = []
        for _ in range(4):
            sess.run(step)
            results.append(sess.run([v, w]))
        return results

    return run


def stale_gradients(tf):
    w = tf.get_variable("w", initializer=numbers(3))
    step = tf.train.create_global_step()
    optimizer = tf.contrib.opt.DropStaleGradientOptimizer(tf.train.MomentumOptimizer(0.1, 0.9), 1)
    update = optimizer.minimize(tf.reduce_sum(tf.square(w)), global_step=step)

    def run(sess):
        count = [sess.run(update), sess.run(update)]
        return [count, sess.run([w, step, optimizer.get_slot(w, "momentum")]), optimizer.get_slot_names()]

    return run


def clipped_variables(tf):
    v, w, u = (tf.get_variable(name, initializer=5 * numbers(3, 2)) for name in "vwu")
    optimizer = tf.contrib.opt.VariableClippingOptimizer(
        tf.train.MomentumOptimizer(0.1, 0.9), {v: [1], w: [1], u: [0]}, 1.0, colocate_clip_ops_with_vars=True
    )
    loss = sum(tf.reduce_sum(tf.square(each)) for each in (v, tf.gather(w, [0, 2]), tf.gather(u, [1])))
    step = optimizer.minimize(loss)

    def run(sess):
        sess.run(step)
        return sess.run([v, w, u, optimizer.get_slot(v, "momentum")])

    return run


def moving_averages(tf):
    w = tf.get_variable("w", initializer=numbers(3))
    optimizer = tf.contrib.opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(0.1), average_decay=0.5)
    step = optimizer.minimize(tf.reduce_sum(tf.square(w)))
    saver = optimizer.swapping_saver()

    def run(sess):
        import tempfile

        for _ in range(3):
            sess.run(step)
        path = saver.save(sess, tempfile.mkdtemp() + "/model")
        reader = tf.train.load_checkpoint(path)
        names = sorted(reader.get_variable_to_shape_map())
        return [sess.run(w), {name.replace("/", "_"): reader.get_tensor(name) for name in names}]

    return run


def multitask_wrapper(tf):
    v, w = (tf.get_variable(name, initializer=numbers(3)) for name in "vw")
    optimizer = tf.contrib.opt.MultitaskOptimizerWrapper(tf.train.MomentumOptimizer(0.1, 0.9))
    first = optimizer.minimize(tf.reduce_sum(tf.square(v)) + 0 * tf.reduce_sum(w))
    both = optimizer.compute_gradients(tf.reduce_sum(tf.square(v)) + tf.reduce_sum(w))
    pairs, norm = tf.contrib.opt.clip_gradients_by_global_norm(both, 0.5)
    second = optimizer.apply_gradients(pairs)

    def run(sess):
        results = [sess.run(norm)]
        for step in (first, second, first):
            sess.run(step)
            results.append(sess.run([v, w] + [optimizer.get_slot(each, "momentum") for each in (v, w)]))
        return results

    return run


def external_optimizer(tf):
    class Descent(tf.contrib.opt.ExternalOptimizerInterface):
        def _minimize(self, initial_val, loss_grad_func, packed_bounds, step_callback, optimizer_kwargs, **functions):
            x = initial_val
            for _ in range(optimizer_kwargs["steps"]):
                _, gradient = loss_grad_func(x)
                x = x - 0.1 * gradient
                x = x.clip([least for least, _ in packed_bounds], [most for _, most in packed_bounds])
                step_callback(x)
            seen.append([[function(x) for function in functions[name]] for name in sorted(functions)])
            return x

    seen, losses = [], []
    v, w = tf.get_variable("v", initializer=numbers(2)), tf.get_variable("w", initializer=numbers(2, 2))
    loss = tf.reduce_sum(tf.square(v - 3)) + tf.reduce_sum(tf.square(w))
    optimizer = Descent(
        loss, equalities=[v[0] - 1], inequalities=[tf.reduce_sum(w)], var_to_bounds={v: (-1.0, 0.5)}, steps=3
    )

    def run(sess):
        optimizer.minimize(
            sess, fetches=[loss], loss_callback=losses.append, step_callback=lambda x: seen.append(len(x))
        )
        return [sess.run([v, w]), losses, seen]

    return run


def scipy_optimizer(tf):
    v = tf.get_variable("v", initializer=numbers(2))
    loss = tf.reduce_sum(tf.square(v - 3))
    optimizer = tf.contrib.opt.ScipyOptimizerInterface(loss, var_to_bounds={v: (-5.0, 2.0)}, options={"maxiter": 100})

    def run(sess):
        try:
            optimizer.minimize(sess)
        except ImportError:  # neither TensorFlow's optimizer nor tf1mem's works without SciPy
            return "at its bounds"
        return "at its bounds" if abs(sess.run(v) - 2).max() < 1e-4 else sess.run(v)

    return run


def elastic_averages(tf):
    getter = tf.contrib.opt.ElasticAverageCustomGetter(worker_device="/cpu:0")
    with tf.variable_scope("", custom_getter=getter):
        w = tf.get_variable("w", initializer=numbers(3))
        tf.get_variable("held", initializer=1.0, trainable=False, collections=[tf.GraphKeys.LOCAL_VARIABLES])
    step = tf.train.create_global_step()
    optimizer = tf.contrib.opt.ElasticAverageOptimizer(
        tf.train.MomentumOptimizer(0.1, 0.9), 2, getter, communication_period=2
    )
    update = optimizer.minimize(tf.reduce_sum(tf.square(w)), step)
    start, saver = optimizer.get_init_op(0), optimizer.swapping_saver()
    hook = optimizer.make_session_run_hook(True, 0)

    def run(sess):
        sess.run(start)
        for _ in range(5):
            sess.run(update)
        everything = tf.global_variables() + tf.local_variables()
        values = {each.op.name.replace("/", "_"): sess.run(each) for each in everything}
        saved = saver.as_saver_def().save_tensor_name
        return [values, saved, isinstance(hook, tf.train.SessionRunHook)]

    return run


def accumulated_gradients(tf):
    getter = tf.contrib.opt.AGNCustomGetter(worker_device="/cpu:0")
    with tf.variable_scope("", custom_getter=getter):
        w = tf.get_variable("w", initializer=numbers(3))
    step = tf.train.create_global_step()
    optimizer = tf.contrib.opt.AGNOptimizer(tf.train.AdamOptimizer(0.1), 2, getter, communication_period=2)
    update = optimizer.minimize(tf.reduce_sum(tf.square(w)), step)
    start = optimizer.get_init_op(0)

    def run(sess):
        sess.run(start)
        for _ in range(5):
            sess.run(update)
        everything = tf.global_variables() + tf.local_variables()
        return {each.op.name.replace("/", "_"): sess.run(each) for each in everything}

    return run


def model_averages(tf):
    getter = tf.contrib.opt.ModelAverageCustomGetter(worker_device="/cpu:0")
    with tf.variable_scope("", custom_getter=getter):
        w = tf.get_variable("w", initializer=numbers(3))
    step = tf.train.create_global_step()
    optimizer = tf.contrib.opt.ModelAverageOptimizer(
        tf.train.GradientDescentOptimizer(0.1), 1, True, getter, interval_steps=2
    )
    rate = tf.placeholder_with_default(1.0, [])
    update = optimizer.minimize(rate * tf.reduce_sum(tf.square(w)), step)
    start = optimizer.get_init_op()
    hook = optimizer.make_session_run_hook()

    def run(sess):
        sess.run(optimizer._chief_init_op)  # this also makes the first step
        sess.run(start)
        # A step that averages may read a variable before or after its update. So the steps that average, the second and
        # the fourth, have a learning rate of 0.
        for each in (0, 1, 0):
            sess.run(update, {rate: each})
        hook.begin()
        everything = tf.global_variables() + tf.local_variables()
        return {each.op.name.replace("/", "_"): sess.run(each) for each in everything}

    return run
