"""Programs that use tf.contrib.graph_editor."""

import re

from tests.v1.contrib.values import numbers


def _graph(tf):
    """Builds a graph with two inputs, their sum, and ops on the sum."""
    with tf.name_scope("in"):
        a, b = tf.constant(numbers(2, 3), name="a"), tf.constant(numbers(2, 3, seed=1), name="b")
    with tf.name_scope("mid"):
        c = tf.add(a, b, name="c")
        with tf.control_dependencies([b.op]):
            d = tf.multiply(c, tf.constant(2.0, name="y"), name="d")
    with tf.name_scope("out"):
        e = tf.subtract(d, a, name="e")
    return a, b, c, d, e


def _names(*lists):
    return [[each.name for each in items] for items in lists]


def lists_of_ops_and_tensors(tf):
    ge = tf.contrib.graph_editor
    a, b, c, _d, e = _graph(tf)
    graph = tf.get_default_graph()
    names = _names(
        tf.contrib.graph_editor.make_list_of_op(graph),
        tf.contrib.graph_editor.make_list_of_op([a.op, b], ignore_ts=True),
        tf.contrib.graph_editor.make_list_of_t([a, b.op], ignore_ops=True),
        tf.contrib.graph_editor.get_tensors(graph),
        tf.contrib.graph_editor.get_generating_ops([c, e]),
        tf.contrib.graph_editor.get_consuming_ops([a, b]),
        tf.contrib.graph_editor.ControlOutputs(graph).get(b.op),
    )
    errors = []
    for call in (
        lambda: ge.make_list_of_op([a]),
        lambda: ge.make_list_of_t(graph, allow_graph=False),
        lambda: ge.make_list_of_t([a, tf.Graph()]),
        lambda: ge.get_tensors(a),
        lambda: ge.select_ops("x"),
        lambda: ge.select_ops("x", wrong=1),
    ):
        try:
            call()
        except (TypeError, ValueError) as error:
            errors.append(type(error).__name__)
    return [names, errors]


def placeholders(tf):
    a = _graph(tf)[0]
    created = [
        tf.contrib.graph_editor.make_placeholder_from_tensor(a),
        tf.contrib.graph_editor.make_placeholder_from_tensor(a, scope="other"),
        tf.contrib.graph_editor.make_placeholder_from_dtype_and_shape(tf.int32, [2]),
        tf.contrib.graph_editor.ph(tf.float32, scope="there/"),
    ]
    kinds = [[t.dtype.name, t.shape] for t in created]
    return [_names(created), kinds, tf.contrib.graph_editor.placeholder_name(created[0])]


def ops_and_tensors_by_regex(tf):
    a, _b, _c, _d, e = _graph(tf)
    graph = tf.get_default_graph()
    regexes = [
        tf.contrib.graph_editor.can_be_regex("x"),
        tf.contrib.graph_editor.can_be_regex(a),
        tf.contrib.graph_editor.make_regex(re.compile("x")).pattern,
    ]
    return regexes, _names(
        tf.contrib.graph_editor.filter_ts(graph, lambda t: t.name > "mid"),
        tf.contrib.graph_editor.filter_ts_from_regex(graph, "^(in|out)/"),
        tf.contrib.graph_editor.filter_ops(graph, True),
        tf.contrib.graph_editor.filter_ops_from_regex(graph, "[ce]$"),
        tf.contrib.graph_editor.get_name_scope_ops(graph, "mid/"),
        tf.contrib.graph_editor.select_ops("^in", e.op, graph=graph, positive_filter=lambda op: op.name != "in/a"),
        tf.contrib.graph_editor.select_ts("(?#ts)^in", "(?#ops)^mid", graph=graph),
        *tf.contrib.graph_editor.select_ops_and_ts("^out", "(?#ts)^in", graph=graph),
    )


def walks(tf):
    _a, b, c, d, e = _graph(tf)
    graph = tf.get_default_graph()
    ios = tf.contrib.graph_editor.ControlOutputs(graph)
    control = tf.contrib.graph_editor.check_cios(control_ios=ios)
    ops = [c.op, d.op]
    return [
        control[0],
        [
            sorted(each.name for each in ops)
            for ops in (
                tf.contrib.graph_editor.get_ops_ios(ops),
                tf.contrib.graph_editor.get_ops_ios(ops, control_ios=ios),
                tf.contrib.graph_editor.get_forward_walk_ops(b),
                tf.contrib.graph_editor.get_forward_walk_ops(b.op, inclusive=False, stop_at_ts=[d]),
                tf.contrib.graph_editor.get_forward_walk_ops(b.op, within_ops=[b.op, d.op], control_outputs=ios),
                tf.contrib.graph_editor.get_backward_walk_ops(e, within_ops_fn=lambda op: op is not c.op),
                tf.contrib.graph_editor.get_backward_walk_ops(d.op, inclusive=False, control_inputs=True),
                tf.contrib.graph_editor.get_walks_intersection_ops(b, d),
                tf.contrib.graph_editor.get_walks_union_ops(c, c, forward_inclusive=False),
                tf.contrib.graph_editor.get_within_boundary_ops(graph, d.op, [c.op, e.op]),
                tf.contrib.graph_editor.get_within_boundary_ops(graph, d.op, [c.op], inclusive=False),
                *tf.contrib.graph_editor.compute_boundary_ts(ops),
            )
        ],
    ]


def views(tf):
    a, b, c, d, e = _graph(tf)
    graph = tf.get_default_graph()
    view = tf.contrib.graph_editor.sgv(c.op, d.op, graph=graph)
    other = tf.contrib.graph_editor.SubGraphView([e.op], [b])
    scoped = tf.contrib.graph_editor.make_view_from_scope("mid", graph)
    sgvs = [
        view,
        other,
        scoped,
        tf.contrib.graph_editor.sgv_scope("in", graph),
        tf.contrib.graph_editor.make_view("^out", graph=graph),
        scoped.remap_inputs([1, 0]),
        scoped.remap([0], [0, 0]),
        scoped.remap_outputs([0, 0]).remap_outputs_make_unique(),
        scoped.remap_inputs([1]).remap_default(),
        tf.contrib.graph_editor.SubGraphView([a.op]).remap_outputs_to_consumers(),
        view.remove_unused_ops(),
    ]
    text = str(other).split("\n", 1)[1]
    return [
        [_names(each.ops, each.inputs, each.outputs, each.passthroughs, each.consumers()) for each in sgvs],
        text,
        _names(other.connected_inputs, other.connected_outputs),
        [bool(view), bool(tf.contrib.graph_editor.SubGraphView()), other.is_passthrough(b), view.input_index(b)],
        view.find_op_by_name("mid/c").name,
    ]


def swap_and_reroute_tensors(tf):
    results = {}
    for name in ("swap", "reroute"):
        with tf.name_scope(name):
            a, b = tf.constant([1.0]), tf.constant([2.0])
            c, d = tf.tanh(a), tf.exp(b)
            e, f = c + c, d * d
        if name == "swap":
            count = [
                tf.contrib.graph_editor.swap_ts([a], [b]),
                tf.contrib.graph_editor.swap_ts(c, d, can_modify=[e.op]),
            ]
        else:
            count = [
                tf.contrib.graph_editor.reroute_ts([a], [b]),
                tf.contrib.graph_editor.reroute_ts([c], [d], cannot_modify=f.op),
            ]
        results[name] = [count, e, f]
    return results


def swap_and_reroute_subgraphs(tf):
    results = {}
    for name in ("swap_inputs", "reroute_inputs", "swap_outputs", "reroute_outputs", "swap_ios", "reroute_ios"):
        with tf.name_scope(name):
            a, b = tf.constant([1.0]), tf.constant([2.0])
            c, d = tf.tanh(a), tf.exp(b)
            e, f = tf.square(c), tf.negative(d)
        views = getattr(tf.contrib.graph_editor, name)(c.op, d.op)
        results[name] = [e, f, [_names(view.inputs, view.outputs) for view in views]]
    called = (
        tf.contrib.graph_editor.swap_inputs,
        tf.contrib.graph_editor.reroute_inputs,
        tf.contrib.graph_editor.swap_outputs,
        tf.contrib.graph_editor.reroute_outputs,
        tf.contrib.graph_editor.swap_ios,
        tf.contrib.graph_editor.reroute_ios,
    )
    return [results, [each.__name__ for each in called]]


def control_inputs(tf):
    _a, b, c, d, e = _graph(tf)
    tf.contrib.graph_editor.add_control_inputs(e.op, [b.op, c.op])
    before = _names(e.op.control_inputs, d.op.control_inputs)
    tf.contrib.graph_editor.remove_control_inputs(e.op, b.op)
    tf.contrib.graph_editor.detach_control_inputs([d.op])
    after = _names(e.op.control_inputs, d.op.control_inputs)
    outputs = tf.contrib.graph_editor.ControlOutputs(tf.get_default_graph())
    tf.contrib.graph_editor.detach_control_outputs(tf.contrib.graph_editor.sgv(c.op), outputs)
    try:
        tf.contrib.graph_editor.remove_control_inputs(e.op, b.op)
    except ValueError:
        return [before, after, _names(e.op.control_inputs), e]


def detached_subgraphs(tf):
    results = []
    for name in ("inputs", "outputs", "both"):
        with tf.name_scope(name):
            a = tf.constant([1.0], name="a")
            b = tf.tanh(a, name="b")
            c = tf.square(b, name="c")
        if name == "inputs":
            view, created = tf.contrib.graph_editor.detach_inputs(b.op)
        elif name == "outputs":
            view, created = tf.contrib.graph_editor.detach_outputs(b.op)
        else:
            view, created, outputs = tf.contrib.graph_editor.detach(b.op)
            created = created + outputs
        results.append([_names(view.inputs, view.outputs, created), c.op.inputs[0].name, b.op.inputs[0].name])
    return results


def connected_and_bypassed(tf):
    a = tf.constant([1.0])
    b, c = tf.tanh(a), tf.square(tf.placeholder_with_default([3.0], [1]))
    d = tf.negative(b)
    tf.contrib.graph_editor.connect(b.op, c.op, disconnect_first=True)
    e = tf.exp(tf.tanh(a))
    f = tf.square(e)
    view, created = tf.contrib.graph_editor.bypass(e.op)
    return [c, d.op.inputs[0].op.type, f, _names(view.inputs, created)]


def copied_subgraphs(tf):
    a, b, c, d, e = _graph(tf)
    tf.add_to_collection("mid/mine", c)
    tf.add_to_collection(tf.GraphKeys.LOSSES, d)
    graph = tf.get_default_graph()
    view, info = tf.contrib.graph_editor.copy(tf.contrib.graph_editor.sgv_scope("mid", graph), dst_scope="new")
    placeholders = [info.transformed(c).op.inputs[i] for i in (0, 1)]
    again, there = tf.contrib.graph_editor.copy_with_input_replacements(
        tf.contrib.graph_editor.sgv_scope("mid", graph), {a: b}, dst_scope="new", src_scope="mid"
    )
    other = tf.Graph()
    _, elsewhere = tf.contrib.graph_editor.copy(e.op, other, "far")
    names = [
        _names(view.ops, view.inputs, view.outputs, placeholders, again.ops, again.inputs, again.outputs),
        _names(other.get_operations(), info.transformed(d).op.control_inputs),
        [info.original(info.transformed(d)).name, info.transformed(e), elsewhere.transformed({"e": e})["e"].name],
        sorted(key for key in graph.get_all_collection_keys()),
    ]

    def run(sess):
        fed = {placeholders[0]: numbers(2, 3, seed=2), placeholders[1]: numbers(2, 3)}
        return [names, sess.run(info.transformed(d), fed), sess.run(there.transformed(d))]

    return run


def copied_with_handlers(tf):
    _, _, c, d, e = _graph(tf)

    def rename(info, op, inputs):
        copy = tf.contrib.graph_editor.copy_op_handler(info, op, inputs, copy_shape=True)
        renamed.append(copy[0].name)
        return copy

    def with_device(node):
        node.device = "/cpu:0"
        return node

    renamed = []
    transformer = tf.contrib.graph_editor.Transformer()
    transformer.transform_op_handler = rename
    transformer.transform_external_input_handler = tf.contrib.graph_editor.keep_t_if_possible_handler
    transformer.transform_control_input_handler = tf.contrib.graph_editor.transform_op_if_inside_handler
    transformer.assign_collections_handler = tf.contrib.graph_editor.assign_renamed_collections_handler
    _, info = transformer(tf.contrib.graph_editor.sgv(c.op, d.op), tf.get_default_graph(), "new")
    transformer.transform_op_handler = lambda *arguments: tf.contrib.graph_editor.copy_op_handler(
        *arguments, nodedef_fn=with_device
    )
    transformer.transform_external_input_handler = tf.contrib.graph_editor.replace_t_with_placeholder_handler
    _, other = transformer(tf.contrib.graph_editor.sgv(e.op), tf.get_default_graph(), "other")
    placed = other.transformed(e).op
    return [
        sorted(renamed),
        info.transformed(d),
        info.transformed(d).shape,
        [placed.device, placed.inputs[0].op.type],
        isinstance(info, tf.contrib.graph_editor.TransformerInfo),
    ]


def graph_replace(tf):
    a, b, c, d, e = _graph(tf)
    w = tf.get_variable("w", initializer=numbers(2, 3, seed=5))
    loop = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * 2 + c), [0, d])[1]
    replaced = tf.contrib.graph_editor.graph_replace({"d": d, "more": [e, b]}, {a: tf.convert_to_tensor(w)})
    looped = tf.contrib.graph_editor.graph_replace([loop], {c: tf.zeros([2, 3])}, dst_scope="zero")
    # A loop and its copy have the same frame name, so they can't be in the same run.
    return lambda sess: [sess.run(replaced), sess.run(looped), sess.run(loop)]
