"""Trains a Q-network by double Q-learning and a policy by advantage actor-critic on random transitions, with trfl."""

import numpy as np
import tensorflow as tf
import trfl

BATCH, STATES, ACTIONS, LENGTH = 16, 6, 3, 5
tf.set_random_seed(3)
rng = np.random.RandomState(0)


def network(name, states, outputs):
    with tf.variable_scope(name, reuse=tf.AUTO_REUSE):
        return tf.layers.dense(tf.layers.dense(states, 32, tf.nn.relu, name="hidden"), outputs, name="out")


state = tf.placeholder(tf.float32, [BATCH, STATES])
following = tf.placeholder(tf.float32, [BATCH, STATES])
action = tf.placeholder(tf.int32, [BATCH])
reward = tf.placeholder(tf.float32, [BATCH])
discount = tf.fill([BATCH], 0.99)
q_values, q_selector = network("online", state, ACTIONS), network("online", following, ACTIONS)
q_target = network("target", following, ACTIONS)
q_loss, _ = trfl.double_qlearning(q_values, action, reward, discount, q_target, q_selector)
q_loss = tf.reduce_mean(q_loss)
online, target = tf.trainable_variables("online"), tf.trainable_variables("target")
update = trfl.update_target_variables(target, online, 0.05)
train_q = tf.train.AdamOptimizer(1e-3).minimize(q_loss, var_list=online)

sequence = tf.placeholder(tf.float32, [LENGTH, BATCH, STATES])
taken = tf.placeholder(tf.int32, [LENGTH, BATCH])
rewards = tf.placeholder(tf.float32, [LENGTH, BATCH])
actor_loss, _ = trfl.sequence_advantage_actor_critic_loss(
    policy_logits=network("policy", sequence, ACTIONS),
    baseline_values=tf.squeeze(network("value", sequence, 1), 2),
    actions=taken,
    rewards=rewards,
    pcontinues=tf.fill([LENGTH, BATCH], 0.99),
    bootstrap_value=tf.zeros([BATCH]),
    entropy_cost=0.01,
)
actor_loss = tf.reduce_mean(actor_loss)
train_actor = tf.train.RMSPropOptimizer(1e-3).minimize(actor_loss)

with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    for _ in range(15):
        feeds = {
            state: rng.randn(BATCH, STATES),
            following: rng.randn(BATCH, STATES),
            action: rng.randint(0, ACTIONS, BATCH),
            reward: rng.randn(BATCH),
        }
        print("q", sess.run([q_loss, train_q], feeds)[0])
        sess.run(update)
        feeds = {
            sequence: rng.randn(LENGTH, BATCH, STATES),
            taken: rng.randint(0, ACTIONS, (LENGTH, BATCH)),
            rewards: rng.randn(LENGTH, BATCH),
        }
        print("actor", sess.run([actor_loss, train_actor], feeds)[0])
