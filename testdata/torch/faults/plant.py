"""Exports the models of nets.py with torch.onnx.export and plants a fault in each file, in a module that is known.

    plant.py FOLDER COUNT SEED [NAME...]

For every model and either exporter it writes FOLDER/NAME-WAY.onnx, and COUNT files NAME-WAY-N.onnx that
have a fault each. It prints a line of JSON for every file: its program, what the fault is, and the modules
in which the first value differs. A fault is planted in a node. The module is the one that the exporter's
own metadata, or the name of the node, says that it is of. A normalization that an exporter merged with the
convolution before it leaves one of both without a node: both modules are given for what is left. Every fault changes an
output of the model. Lathe takes no part in any of this.
"""

import collections
import json
import logging
import os
import random
import re
import sys
import warnings

import numpy as np
import onnx
import onnxruntime as ort
import torch
from onnx import helper, numpy_helper

import nets

WAYS = ("dynamo", "torchscript")
VISIBLE = 0.02  # of the largest element of an output that a fault changes at least


def export(model, args, way, to):
    if way == "dynamo":
        torch.onnx.export(model, args, to, dynamo=True, verbose=False, external_data=False)
    else:
        torch.onnx.export(model, args, to, dynamo=False)


class Calls:
    """Which modules the model calls, and which of them are one behind the other."""

    def __init__(self, model, args):
        self.known, self.paths, self.beside, made = {path for path, _ in model.named_modules()}, {""}, collections.defaultdict(set), {}

        def note(path):
            def hook(_, given, out):
                self.paths.add(path)
                for v in given:
                    if isinstance(v, torch.Tensor) and id(v) in made:
                        self.beside[made[id(v)][1]].add(path)
                        self.beside[path].add(made[id(v)][1])
                if isinstance(out, torch.Tensor):
                    made[id(out)] = (out, path)

            return hook

        for path, m in model.named_modules():
            if path:
                m.register_forward_hook(note(path))
        with torch.no_grad():
            model(*args)

    def innermost(self, path):
        """The innermost module around a path that is called: some are no more than a place for weights."""
        while path not in self.paths:
            path = path.rpartition(".")[0]
        return path


def scope_of(node, known):
    """The module that the exporter says a node is of; None where it says nothing."""
    for p in node.metadata_props:
        if p.key == "pkg.torch.onnx.name_scopes":
            scopes = json.loads(p.value.replace("'", '"'))
            return scopes[-2] if len(scopes) > 1 else ""
    if not node.name.startswith("/"):
        return None
    path = ""
    for part in node.name.split("/")[1:-1]:
        path = step(path, part, known)
        if path is None:
            return None
    return path


def step(path, part, known):
    """The module that a part of a name leads to: names of lists are written again, and later calls have a number."""
    for name in (part, re.sub(r"_\d+$", "", part)):
        around = path
        while True:
            inner = ".".join(filter(None, (around, name)))
            if inner in known:
                return inner
            if not around:
                break
            around = around.rpartition(".")[0]
    return None


class File:
    """A model in which faults can be planted."""

    def __init__(self, path):
        self.model = onnx.load(path)
        self.graph = self.model.graph
        self.values = {t.name: t for t in self.graph.initializer}
        inferred = onnx.shape_inference.infer_shapes(self.model)
        self.types = {v.name: v.type.tensor_type for v in [*inferred.graph.value_info, *inferred.graph.input, *inferred.graph.output]}
        self.types.update({n.output[0]: None for n in self.graph.node if n.output[0] not in self.types})
        for t in self.graph.initializer:
            self.types.setdefault(t.name, helper.make_tensor_type_proto(t.data_type, t.dims).tensor_type)

    def shape(self, name):
        t = self.types.get(name)
        return [d.dim_value for d in t.shape.dim] if t else None

    def is_float(self, name):
        t = self.types.get(name)
        return bool(t) and t.elem_type == onnx.TensorProto.FLOAT

    def own(self, node, i, value):
        """Gives a node another constant in the place of an input."""
        name = "%s_of_%s" % (node.input[i], node.output[0])
        self.graph.initializer.append(numpy_helper.from_array(value, name))
        node.input[i] = name


def attribute(node, name, default):
    return next((helper.get_attribute_value(a) for a in node.attribute if a.name == name), default)


def set_attribute(node, name, value):
    for a in list(node.attribute):
        if a.name == name:
            node.attribute.remove(a)
    node.attribute.append(helper.make_attribute(name, value))


# Each fault takes a file and a node, and gives what it did, or None where it has nothing to change.


def weight(f, n, rng):
    """Another weight."""
    for i, name in enumerate(n.input):
        if name in f.values and f.is_float(name) and len(f.shape(name)) > 1 and n.op_type in ("Conv", "ConvTranspose", "Gemm", "MatMul", "Gather", "LSTM", "GRU"):
            v = numpy_helper.to_array(f.values[name]).copy()
            v += np.random.default_rng(rng.randrange(1000)).normal(0, max(v.std(), 0.05), v.shape).astype(v.dtype)
            f.own(n, i, v)
            return "weight %s of %s" % (name, n.op_type)


def scale(f, n, rng):
    """Another weight of a normalization, or a vector that is multiplied with."""
    if n.op_type in ("LayerNormalization", "BatchNormalization", "GroupNormalization", "InstanceNormalization", "Mul", "PRelu"):
        for i, name in enumerate(n.input):
            if name in f.values and f.is_float(name) and len(f.shape(name)) == 1:
                v = numpy_helper.to_array(f.values[name]).copy()
                v[:] = v[::-1] * 1.5
                f.own(n, i, v)
                return "weight %s of %s" % (name, n.op_type)


def bias(f, n, rng):
    """A bias that is lost."""
    at = {"Conv": 2, "ConvTranspose": 2, "Gemm": 2, "LayerNormalization": 2, "InstanceNormalization": 2, "GroupNormalization": 2, "BatchNormalization": 2}.get(n.op_type)
    if n.op_type == "Add":
        at = next((i for i, name in enumerate(n.input) if name in f.values and f.is_float(name) and len(f.shape(name)) == 1), None)
    if at is not None and len(n.input) > at and n.input[at] in f.values:
        f.own(n, at, np.zeros_like(numpy_helper.to_array(f.values[n.input[at]])))
        return "no bias in %s" % n.op_type


def activation(f, n, rng):
    """Another activation."""
    other = {"Relu": "Sigmoid", "Sigmoid": "Tanh", "Tanh": "Sigmoid", "Erf": "Tanh", "Gelu": "Relu", "Elu": "Relu", "LeakyRelu": "Relu", "HardSwish": "Relu", "Softplus": "Relu", "Mish": "Relu", "HardSigmoid": "Sigmoid"}.get(n.op_type)
    if other:
        was, n.op_type = n.op_type, other
        del n.attribute[:]
        return "%s for %s" % (other, was)


def arithmetic(f, n, rng):
    """Another operator of two computed values."""
    other = {"Add": "Sub", "Mul": "Add", "Sub": "Add", "Div": "Mul"}.get(n.op_type)
    if other and f.is_float(n.output[0]) and not any(name in f.values for name in n.input):
        was, n.op_type = n.op_type, other
        return "%s for %s" % (other, was)


def constant(f, n, rng):
    """Another number in the code, as the scale of an attention."""
    if n.op_type in ("Mul", "Div", "Add", "Where"):
        made = {m.output[0]: m for m in f.graph.node if m.op_type == "Constant"}
        for i, name in enumerate(n.input):
            value = f.values.get(name) or (made[name].attribute[0].t if name in made and made[name].attribute[0].HasField("t") else None)
            if value is not None and value.data_type == onnx.TensorProto.FLOAT and int(np.prod(value.dims)) == 1:
                v = numpy_helper.to_array(value)
                f.own(n, i, v * np.float32(-0.3))
                return "%g for %g in %s" % (v.max() * -0.3, v.max(), n.op_type)


def epsilon(f, n, rng):
    if n.op_type in ("LayerNormalization", "BatchNormalization", "GroupNormalization", "InstanceNormalization"):
        set_attribute(n, "epsilon", 0.5)
        return "epsilon of %s" % n.op_type


def axis(f, n, rng):
    shape = f.shape(n.output[0])
    if n.op_type in ("Softmax", "LogSoftmax") and shape and len(shape) > 1:
        is_now = attribute(n, "axis", -1) % len(shape)
        set_attribute(n, "axis", (is_now - 1) % len(shape))
        return "axis of %s" % n.op_type
    if n.op_type == "Concat" and f.is_float(n.output[0]) and len(n.input) > 1:
        n.input[:] = list(n.input)[::-1]
        return "order of Concat"


def transposition(f, n, rng):
    """A transposition that is dropped or another one, where the shape stays."""
    shape = f.shape(n.input[0]) if n.input else None
    if n.op_type == "Transpose" and f.is_float(n.output[0]) and shape and all(shape):
        perm = list(attribute(n, "perm", range(len(shape))[::-1]))
        for a in range(len(perm)):
            for b in range(a):
                other = list(perm)
                other[a], other[b] = other[b], other[a]
                if [shape[i] for i in other] == [shape[i] for i in perm]:
                    set_attribute(n, "perm", other)
                    return "perm %s for %s" % (other, perm)
    if n.op_type == "Gemm" and n.input[1] in f.values and len(set(f.shape(n.input[1]))) == 1:
        set_attribute(n, "transB", 1 - attribute(n, "transB", 0))
        return "transB"
    if n.op_type == "MatMul" and n.input[1] in f.values and len(set(f.shape(n.input[1]))) == 1:
        f.own(n, 1, np.ascontiguousarray(numpy_helper.to_array(f.values[n.input[1]]).T))
        return "weight of MatMul not transposed"


def window(f, n, rng):
    """Padding on the other side, or a dilation that padding makes up for."""
    pads, kernel = attribute(n, "pads", None), attribute(n, "kernel_shape", None)
    if n.op_type == "Conv" and pads and any(pads):
        half = len(pads) // 2
        if rng.random() < 0.5 and kernel and all(k == 3 for k in kernel) and set(attribute(n, "strides", [1])) == {1}:
            set_attribute(n, "dilations", [2] * half)
            set_attribute(n, "pads", [p + 1 for p in pads])
            return "dilations of Conv"
        set_attribute(n, "pads", [p + q if i < half else 0 for i, (p, q) in enumerate(zip(pads, list(pads[half:]) + [0] * half))])
        return "pads of Conv"
    if n.op_type == "MaxPool" and len(n.output) == 1:
        n.op_type = "AveragePool"
        for a in list(n.attribute):
            if a.name in ("dilations", "storage_order"):
                n.attribute.remove(a)
        return "AveragePool for MaxPool"


def reduction(f, n, rng):
    other = {"ReduceMean": "ReduceMax", "ReduceSum": "ReduceMean", "GlobalAveragePool": "GlobalMaxPool"}.get(n.op_type)
    if other and f.is_float(n.output[0]):
        was, n.op_type = n.op_type, other
        return "%s for %s" % (other, was)


def recurrence(f, n, rng):
    """The gates of a recurrence in another order, or the other way through the sequence."""
    if n.op_type in ("LSTM", "GRU") and n.input[2] in f.values:
        v = numpy_helper.to_array(f.values[n.input[2]])
        gates = np.split(v, 4 if n.op_type == "LSTM" else 3, axis=1)
        f.own(n, 2, np.concatenate([gates[1], gates[0], *gates[2:]], 1))
        return "gates of %s" % n.op_type


def mask(f, n, rng):
    """A mask that is turned around, or added."""
    if n.op_type == "Where" and f.is_float(n.output[0]):
        n.input[1], n.input[2] = n.input[2], n.input[1]
        return "branches of Where"
    if n.op_type == "Softmax":
        shape = f.shape(n.output[0])
        if shape and shape[-1] > 2:
            name, added = "mask_of_" + n.output[0], n.output[0] + "_masked"
            f.graph.initializer.append(numpy_helper.from_array(np.array([-1e4] + [0] * (shape[-1] - 1), np.float32), name))
            node = helper.make_node("Add", [n.input[0], name], [added], name=n.name + "_masked")
            node.metadata_props.extend(n.metadata_props)
            f.graph.node.insert(list(f.graph.node).index(n), node)
            n.input[0] = added
            return "a mask before Softmax"


KINDS = (weight, scale, bias, activation, arithmetic, constant, epsilon, axis, transposition, window, reduction, recurrence, mask)


def run(path_or_bytes, feeds):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
    s = ort.InferenceSession(path_or_bytes, options, providers=["CPUExecutionProvider"])
    return s.run(None, dict(zip([i.name for i in s.get_inputs()], feeds)))


def changes(want, got):
    """Whether a fault shows: numbers that are other ones in the same shapes."""
    for w, g in zip(want, got):
        if w.shape != g.shape or not np.isfinite(g).all():
            return False
    return any(np.abs(w - g).max() > VISIBLE * np.abs(w).max() for w, g in zip(want, got) if w.dtype.kind == "f" and w.size)


def candidates(path, calls):
    """Every fault that can be tried, as kind, number of the node and modules."""
    f = File(path)
    scopes = [scope_of(n, calls.known) for n in f.graph.node]
    with_nodes = {calls.innermost(s) for s in scopes if s is not None}
    for i, (n, s) in enumerate(zip(f.graph.node, scopes)):
        if s is None:
            continue
        modules = [calls.innermost(s)]
        if n.op_type in ("Conv", "ConvTranspose", "Gemm"):
            modules += sorted(m for m in calls.beside[modules[0]] if m not in with_nodes)
        for kind in KINDS:
            yield kind, i, modules


def planted(path, calls, feeds, want, count, rng, used):
    """Some files with a fault each; kinds that were used least come first."""
    tried = list(candidates(path, calls))
    rng.shuffle(tried)
    tried.sort(key=lambda c: used[c[0].__name__])
    made = 0
    while tried and made < count:
        kind, at, modules = tried.pop(0)
        f = File(path)
        what = kind(f, f.graph.node[at], rng)
        if not what:
            continue
        data = f.model.SerializeToString()
        try:
            if not changes(want, run(data, feeds)):
                continue
        except Exception:
            continue  # what does not run is no fault of this kind
        to = "%s-%d.onnx" % (path[: -len(".onnx")], made)
        with open(to, "wb") as out:
            out.write(data)
        made += 1
        used[kind.__name__] += 1
        tried.sort(key=lambda c: used[c[0].__name__])
        yield {"file": os.path.basename(to), "kind": kind.__name__, "what": what, "node": f.graph.node[at].name, "modules": modules}


def main():
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    said = os.fdopen(os.dup(1), "w")  # what exporters print is no part of it
    os.dup2(2, 1)
    torch.set_num_threads(1)
    ort.set_default_logger_severity(4)
    folder, count, rng, used = sys.argv[1], int(sys.argv[2]), random.Random(int(sys.argv[3])), collections.Counter()
    for name in sys.argv[4:] or nets.NETS:
        model, args = getattr(nets, name)()
        calls, feeds = Calls(model, args), [a.numpy() for a in args]
        for way in WAYS:
            path = os.path.join(folder, "%s-%s.onnx" % (name, way))
            model, args = getattr(nets, name)()
            try:
                export(model, args, way, path)
                want = run(path, feeds)
            except Exception as e:
                print(json.dumps({"program": name, "way": way, "refused": "%s: %s" % (type(e).__name__, str(e)[:200])}), file=said, flush=True)
                continue
            faults = list(planted(path, calls, feeds, want, count, rng, used))
            print(json.dumps({"program": name, "way": way, "file": os.path.basename(path), "faults": faults}), file=said, flush=True)


main()
