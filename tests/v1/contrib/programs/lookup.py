"""Programs that use tf.contrib.lookup."""

import os
import tempfile

WORDS = ["emerson", "lake", "palmer"]


def _file():
    path = os.path.join(tempfile.mkdtemp(), "words.txt")
    with open(path, "w") as file:
        file.write("\n".join(WORDS) + "\n")
    return path


def strings_to_indices(tf):
    tables = [
        tf.contrib.lookup.index_table_from_tensor(mapping=tf.constant(WORDS), num_oov_buckets=2),
        tf.contrib.lookup.index_table_from_tensor(WORDS, default_value=-7),
        tf.contrib.lookup.string_to_index_table_from_tensor(mapping=WORDS, num_oov_buckets=1, default_value=-1),
        tf.contrib.lookup.string_to_index_table_from_file(_file(), num_oov_buckets=1),
        tf.contrib.lookup.string_to_index_table_from_file(vocabulary_file=_file(), vocab_size=1, default_value=9),
    ]
    words = tf.constant(["lake", "and", "emerson"])
    places = [table.lookup(words) for table in tables]
    return places, tf.contrib.lookup.string_to_index(words, mapping=WORDS, default_value=-2)


def numbers_to_indices(tf):
    table = tf.contrib.lookup.index_table_from_tensor([42, 1, -1000], num_oov_buckets=1, dtype=tf.int64)
    return table.lookup(tf.constant([1, 42, 7], tf.int64)), table.size()


def indices_to_strings(tf):
    table = tf.contrib.lookup.index_to_string_table_from_tensor(mapping=WORDS, default_value="?")
    places = tf.constant([1, 5], tf.int64)
    return table.lookup(places), tf.contrib.lookup.index_to_string(places, mapping=tf.constant(WORDS))


def hash_table(tf):
    keys, values = tf.constant(WORDS), tf.constant([0, 1, 2], tf.int64)
    initializer = tf.contrib.lookup.KeyValueTensorInitializer(keys, values)
    table = tf.contrib.lookup.HashTable(initializer, -1)
    shared = tf.contrib.lookup.HashTable(initializer, default_value=-1, shared_name="both", name="named")
    words = tf.SparseTensor([[0, 0], [1, 2]], tf.constant(["palmer", "x"]), [2, 3])

    def run(sess):
        sess.run([table.init, shared.initializer])
        exported = sorted(zip(*(part.tolist() for part in sess.run(table.export()))))
        results = sess.run([table.lookup(words), table.size(), shared.lookup(keys)])
        return exported, results, [table.name, shared.name, isinstance(table, tf.contrib.lookup.LookupInterface)]

    return run


def mutable_tables(tf):
    dense = tf.contrib.lookup.MutableDenseHashTable(tf.int64, tf.int64, -1, empty_key=0, deleted_key=-2)
    table = tf.contrib.lookup.MutableHashTable(tf.string, tf.int64, -1)
    written = [
        dense.insert(tf.constant([3, 4], tf.int64), tf.constant([5, 6], tf.int64)),
        table.insert(tf.constant(WORDS), tf.constant([3, 4, 5], tf.int64)),
    ]
    fetches = [dense.lookup(tf.constant([4, 9], tf.int64)), table.lookup(tf.constant(["lake", "x"])), table.size()]

    def run(sess):
        sess.run(written)
        return sess.run(fetches)

    return run


def lookup_errors(tf):
    errors = []
    for make in (
        lambda: tf.contrib.lookup.index_table_from_tensor(mapping=None),
        lambda: tf.contrib.lookup.index_to_string_table_from_tensor(mapping=None),
        lambda: tf.contrib.lookup.string_to_index_table_from_tensor(mapping=[1, 2]),
        lambda: tf.contrib.lookup.index_table_from_tensor(WORDS, num_oov_buckets=-1),
    ):
        try:
            make()
        except ValueError as error:
            errors.append(type(error).__name__)
    return errors
