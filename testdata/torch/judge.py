"""Judges ONNX files by the PyTorch programs that they were made of, knowing nothing of who made them.

    judge.py PROGRAMS.py
    judge.py PROGRAMS.py FOLDER [NAME...]

The first form lists the programs of a file with the axes that are to be free. The second imports each
program, or those of these names, which returns a model and its arguments. It prints a line of JSON for
it: how FOLDER/NAME.onnx, and what torch.onnx.export makes by itself in both ways, compare with the model
on inputs that nobody has exported with. Every file has a process of its own, and every run a model
that was never run before.
"""

import copy
import dataclasses
import importlib.util
import inspect
import json
import logging
import os
import signal
import sys
import tempfile
import warnings

import numpy as np
import torch

INPUTS = 28  # enough that the first symbol has every size from 1 to 13
PATIENCE = 300  # seconds for a program


def module_of(path):
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location("programs", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["programs"] = module
    spec.loader.exec_module(module)
    return module


def load(path, name):
    module = module_of(path)
    torch.manual_seed(0)
    model, args = getattr(module, name)()
    model = model.eval() if hasattr(model, "eval") else model
    paths = list(paths_of(model, args))
    axes = {}
    for said in getattr(module, name).free:
        where, _, symbol = said.partition("=")
        argument, _, axis = where.rpartition(":")
        axes.setdefault(paths.index(argument), {})[int(axis)] = symbol
    return model, args, axes, getattr(module, name).also()


def paths_of(model, args):
    """What the tensors among the arguments are called: the parameter of forward, and keys and places below it."""
    for name, value in zip(inspect.signature(model.forward).parameters, args):
        yield from below(value, name)


def below(value, path):
    if isinstance(value, torch.Tensor):
        yield path
    elif isinstance(value, dict):
        for k, v in value.items():
            yield from below(v, "%s.%s" % (path, k))
    elif isinstance(value, tuple) and hasattr(value, "_fields"):
        for k, v in zip(value._fields, value):
            yield from below(v, "%s.%s" % (path, k))
    elif isinstance(value, (list, tuple)):
        for i, v in enumerate(value):
            yield from below(v, "%s.%d" % (path, i))
    elif dataclasses.is_dataclass(value):
        for f in dataclasses.fields(value):
            yield from below(getattr(value, f.name), "%s.%s" % (path, f.name))


def tensors(value, out):
    """The tensors in nested containers, in the order in which exporters have them."""
    if isinstance(value, torch.Tensor):
        out.append(value)
    elif isinstance(value, dict):
        for v in value.values():
            tensors(v, out)
    elif isinstance(value, (list, tuple)):
        for v in value:
            tensors(v, out)
    elif dataclasses.is_dataclass(value):
        for f in dataclasses.fields(value):
            tensors(getattr(value, f.name), out)
    return out


def replaced(value, new):
    if isinstance(value, torch.Tensor):
        return next(new)
    if isinstance(value, dict):
        return type(value)((k, replaced(v, new)) for k, v in value.items())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(replaced(v, new) for v in value))
    if isinstance(value, (list, tuple)):
        return type(value)(replaced(v, new) for v in value)
    if dataclasses.is_dataclass(value):
        return dataclasses.replace(value, **{f.name: replaced(getattr(value, f.name), new) for f in dataclasses.fields(value)})
    return value


def drawn(example, axes, seed):
    """Tensors like those of the example: the first as they are, then others, and other sizes on free axes."""
    if seed == 0:
        return [v.clone() for v in example]
    g = torch.Generator().manual_seed(seed)
    sizes = {}
    out = []
    for i, v in enumerate(example):
        shape = list(v.shape)
        for axis, symbol in axes.get(i, {}).items():
            size = sizes.setdefault(symbol, shape[axis] if seed % 2 else 1 + (seed * 5 + len(sizes) * 3) % 13)
            shape[axis] = size
        if v.dtype == torch.bool:
            out.append(torch.rand(shape, generator=g) < 0.5)
        elif v.is_floating_point():
            out.append((torch.randn(shape, generator=g) * (1, 1, 3, 0.1)[seed % 4]).to(v.dtype))
        elif v.dtype.is_complex:
            out.append(torch.randn(shape, generator=g, dtype=v.dtype))
        else:
            low, high = (int(v.min()), int(v.max())) if v.numel() else (0, 1)
            out.append(torch.randint(low, high + 1, shape, generator=g).to(v.dtype))
    return out


def as_array(v):
    v = v.detach().resolve_neg()
    if v.dtype.is_complex:
        v = torch.view_as_real(v.resolve_conj())
    if v.dtype == torch.bfloat16:
        v = v.float()
    return v.numpy()


def close(want, got):
    if want.shape != got.shape or want.dtype != got.dtype:
        return False
    if want.dtype.kind not in "fc":
        return np.array_equal(want, got)
    rtol = {2: 1e-2, 4: 2e-4, 8: 1e-7}[want.dtype.itemsize]
    scale = np.nanmax(np.abs(np.where(np.isfinite(want), want, 0)), initial=1e-3)
    return np.allclose(want, got, rtol=rtol, atol=rtol * scale, equal_nan=True)


def difference(want, got):
    """The first output that differs, and in what."""
    if len(want) != len(got):
        return ", %d outputs of %d" % (len(got), len(want))
    i = next(i for i, (w, g) in enumerate(zip(want, got)) if not close(w, g))
    w, g = want[i], got[i]
    if w.dtype != g.dtype or w.shape != g.shape:
        return ", output %d is %s%s and not %s%s" % (i, g.dtype, list(g.shape), w.dtype, list(w.shape))
    return ", output %d by %.3g of %.3g" % (i, np.nanmax(np.abs(w.astype(float) - g.astype(float)), initial=0), np.nanmax(np.abs(w.astype(float)), initial=0))


def is_quantized(path):
    import onnx

    return any(n.op_type == "QuantizeLinear" for n in onnx.load(path, load_external_data=False).graph.node)


def judge(model, args, axes, also, path):
    """Right, wrong with the first inputs that show it, or why the file does not run."""
    import onnxruntime as ort

    ort.set_default_logger_severity(4)
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    try:
        if is_quantized(path):  # ONNX Runtime's rewrites round the bias too, which moves a result by one step
            options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_DISABLE_ALL
        s = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    except Exception as e:
        return "does not load: " + str(e)[:200]
    example, ran = tensors(args, []), 0
    names = [i.name for i in s.get_inputs()]
    fed = [("seed %d" % seed, drawn(example, axes, seed)) for seed in range(INPUTS)]
    for said, new in fed + [("given %d" % i, tensors(more, [])) for i, more in enumerate(also)]:
        try:
            with torch.no_grad():
                want = [as_array(v) for v in tensors(copy.deepcopy(model)(*replaced(args, iter([v.clone() for v in new]))), [])]
        except Exception:
            continue  # inputs that do not fit
        ran += 1
        if len(names) != len(new):
            return "wrong: takes %d inputs of %d" % (len(names), len(new))
        try:
            got = s.run(None, dict(zip(names, map(as_array, new))))
        except Exception as e:
            return "wrong: %s does not run: %s" % (said, str(e)[:200])
        if len(got) != len(want) or not all(map(close, want, got)):
            return "wrong: %s, sizes %s%s" % (said, [list(v.shape) for v in new], difference(want, got))
    return "right" if ran else "not judged: PyTorch runs on no input"


def shapes_of(value, axes, at):
    if isinstance(value, torch.Tensor):
        return dict(axes.get(next(at), {})) or None
    if isinstance(value, dict):
        return {k: shapes_of(v, axes, at) for k, v in value.items()}
    if dataclasses.is_dataclass(value):
        return [shapes_of(getattr(value, f.name), axes, at) for f in dataclasses.fields(value) if getattr(value, f.name) is not None]
    if isinstance(value, (list, tuple)):
        inner = [shapes_of(v, axes, at) for v in value]
        return type(value)(*inner) if hasattr(value, "_fields") else type(value)(inner)
    return None


def raw(model, args, axes, new, to):
    """What torch.onnx.export makes by itself."""
    args = copy.deepcopy(args)  # it may change them
    shapes = shapes_of(args, axes, iter(range(1000))) if axes else None
    names = ["in_%d" % i for i in range(len(tensors(args, [])))]
    if args and isinstance(args[-1], dict):
        args = (*args, {})  # a last dict would be taken for keyword arguments
    try:
        if new:
            alone = {"fallback": False} if "fallback" in inspect.signature(torch.onnx.export).parameters else {}
            torch.onnx.export(copy.deepcopy(model), args, to, dynamo=True, dynamic_shapes=shapes, verbose=False, external_data=False, **alone)
        else:
            torch.onnx.export(copy.deepcopy(model), args, to, dynamo=False, input_names=names, dynamic_axes={names[i]: dict(a) for i, a in axes.items()} or None)
    except BaseException as e:
        return "refused: %s" % type(e).__name__
    return ""


def judged(path, name, way, file):
    """What is said of one program's file, or of what torch.onnx.export makes of it in one way."""
    try:
        model, args, axes, also = load(path, name)
        if way == "file":
            return judge(model, args, axes, also, file) if os.path.exists(file) else "none"
        with tempfile.TemporaryDirectory() as folder:
            to = os.path.join(folder, "model.onnx")
            return raw(model, args, axes, way == "dynamo", to) or judge(model, args, axes, also, to)
    except Exception as e:
        return "not judged: %s: %s" % (type(e).__name__, str(e)[:300])


def in_fork(work):
    """What work says, done in a copy of this process: exporters crash."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        signal.alarm(PATIENCE)
        with os.fdopen(write, "w") as to:
            to.write(work())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as answer:
        said = answer.read()
    _, status = os.waitpid(pid, 0)
    return said or "refused: ends with status %d" % os.waitstatus_to_exitcode(status)


def main():
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    said = os.fdopen(os.dup(1), "w")  # what exporters print is no part of it
    os.dup2(2, 1)
    sys.dont_write_bytecode = True
    path = sys.argv[1]
    if len(sys.argv) == 2:
        found = [(name, f.free) for name, f in vars(module_of(path)).items() if hasattr(f, "free")]
        print(json.dumps([{"name": name, "free": free} for name, free in found]), file=said)
        return
    names = [name for name, f in vars(module_of(path)).items() if hasattr(f, "free")]
    torch.set_num_threads(1)  # a fork has none of the threads of a pool
    torch.onnx.export(torch.nn.Identity(), (torch.zeros(2),), None, dynamo=True, verbose=False)  # imports what every program wants
    for name in sys.argv[3:] or names:
        out = {"program": name}
        for way in ("dynamo", "torchscript", "file"):
            out[way] = in_fork(lambda: judged(path, name, way, os.path.join(sys.argv[2], name + ".onnx")))
        print(json.dumps(out), file=said, flush=True)


main()
