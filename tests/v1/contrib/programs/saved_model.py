"""Programs that import from the files of tf.contrib.saved_model."""

import os
import tempfile
from importlib import import_module


def read(tf):
    reader = import_module(tf.contrib.__name__ + ".saved_model.python.saved_model.reader")
    folder = os.path.join(tempfile.mkdtemp(), "model")
    builder = tf.saved_model.builder.SavedModelBuilder(folder)
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.constant(1, name="one")
        builder.add_meta_graph_and_variables(sess, ["serve", "gpu"])
        builder.add_meta_graph(["train"])
    builder.save(as_text=True)
    results = [reader.get_saved_model_tag_sets(folder)]
    binary = reader.read_saved_model(folder).SerializeToString()
    with open(os.path.join(folder, "saved_model.pb"), "wb") as file:
        file.write(binary)
    results.append([node.name for node in reader.read_saved_model(folder).meta_graphs[0].graph_def.node])
    for damage in (b"\x0a\xff", None):
        if damage is None:
            os.remove(os.path.join(folder, "saved_model.pb"))
            os.remove(os.path.join(folder, "saved_model.pbtxt"))
        else:
            with open(os.path.join(folder, "saved_model.pb"), "wb") as file:
                file.write(damage)
        try:
            reader.read_saved_model(folder)
        except OSError:
            results.append("OSError")
    return results
