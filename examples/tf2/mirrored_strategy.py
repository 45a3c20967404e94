"""MirroredStrategy over all GPUs, each of which grows as needed up to a limit. apply() comes before the strategy."""

import tensorflow as tf

import tf1mem

tf1mem.apply(tf1mem.config(allow_growth=True, memory_fraction=0.5))

strategy = tf.distribute.MirroredStrategy()
print("replicas:", strategy.num_replicas_in_sync)
if not tf.config.list_logical_devices("GPU"):
    print("There is no GPU on this machine: one replica, on the CPU.")

GLOBAL_BATCH = 32
x = tf.random.stateless_normal([256, 2], seed=[0, 1])
y = x @ tf.constant([[2.0], [-3.0]]) + 0.5
dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(GLOBAL_BATCH).repeat(10)
dataset = strategy.experimental_distribute_dataset(dataset)

with strategy.scope():
    w = tf.Variable(tf.zeros([2, 1]), aggregation=tf.VariableAggregation.SUM)
    b = tf.Variable(tf.zeros([1]), aggregation=tf.VariableAggregation.SUM)


def replica_step(features, targets):
    with tf.GradientTape() as tape:
        # Divided by the global batch, so that the replicas' gradients add up to the whole batch's.
        loss = tf.reduce_sum(tf.square(features @ w + b - targets)) / GLOBAL_BATCH
    for variable, gradient in zip([w, b], tape.gradient(loss, [w, b])):
        variable.assign_sub(0.1 * gradient)
    return loss


@tf.function
def train_step(features, targets):
    losses = strategy.run(replica_step, args=(features, targets))
    return strategy.reduce(tf.distribute.ReduceOp.SUM, losses, axis=None)


for features, targets in dataset:
    loss = train_step(features, targets)

print(f"loss {loss.numpy():.6f}")
print("w = {:.2f} {:.2f}, b = {:.2f}".format(*w.numpy().ravel(), *b.numpy()))
print(tf1mem.report())
