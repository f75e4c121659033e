"""Answers what others infer of a model's shapes, one JSON object per line.

The first line is {"versions": {package: version}} of its own accord. A request is

    {"model": path,
     "hide_outputs": bool,    outputs of the main graph keep their types and lose their shapes
     "seconds": n}            the time limit of each referee

and the answer

    {"error": text or null,   why no referee was asked
     "symbols": [names],      the symbols of the main graph's inputs, which alone mean the same to everybody
     "referees": {"onnx" | "runtime" | "symbolic": {
         "error": text or null,      why it has no answer
         "note": text,               how it was asked, where there was a choice
         "seconds": n,               of the inference alone, the last where it was asked twice
         "graphs": {path: {value: [type, dims]}}}}}

The path of the main graph is "". That of a body is the path of the graph that its
node stands in, the node's position, the attribute and the body's position in that:
"/3:body:0/1:then_branch:0". A dimension is a number, an expression or null; dims
is null where the rank is unknown, and of what is no tensor.

A referee runs in a process of its own: that it crashes or does not end is an answer.
"""

import importlib.metadata
import importlib.util
import json
import os
import resource
import select
import signal
import sys
import tempfile
import time

import onnx
import onnx.external_data_helper
import onnx.shape_inference
import sympy


def symbolic_shape_infer():
    """The module of onnxruntime.tools without that package itself, which starts a
    thread: a process with threads must not be forked."""
    folder = importlib.util.find_spec("onnxruntime").submodule_search_locations[0]
    spec = importlib.util.spec_from_file_location("symbolic", os.path.join(folder, "tools", "symbolic_shape_infer.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


symbolic = symbolic_shape_infer()

# A tensor of more elements says nothing about shapes but its own; it becomes an
# input, which takes the weights out of the model.
LARGE = 1024
# The address space of a referee, for models that ask for more than there is.
MEMORY = 12 << 30

TYPES = {
    "FLOAT": "f32", "UINT8": "u8", "INT8": "i8", "UINT16": "u16", "INT16": "i16", "INT32": "i32", "INT64": "i64",
    "STRING": "str", "BOOL": "bool", "FLOAT16": "f16", "DOUBLE": "f64", "UINT32": "u32", "UINT64": "u64",
    "COMPLEX64": "c64", "COMPLEX128": "c128", "BFLOAT16": "bf16", "FLOAT8E4M3FN": "f8e4m3fn",
    "FLOAT8E4M3FNUZ": "f8e4m3fnuz", "FLOAT8E5M2": "f8e5m2", "FLOAT8E5M2FNUZ": "f8e5m2fnuz", "UINT4": "u4",
    "INT4": "i4", "FLOAT4E2M1": "f4e2m1", "FLOAT8E8M0": "f8e8m0", "UINT2": "u2", "INT2": "i2",
}  # fmt: skip


# What a referee is asked about.


def prepare(path, hide_outputs, keep_weights):
    """Reads a model without what it says about values inside."""
    model = onnx.load(path, load_external_data=False)
    for function in model.functions:
        del function.value_info[:]
    for _, graph in graphs(model.graph, ""):
        del graph.value_info[:]
    if hide_outputs:
        for output in model.graph.output:
            hide(output.type)
    folder = os.path.dirname(os.path.abspath(path))
    if not keep_weights:
        weights_to_inputs(model.graph)
    for _, graph in graphs(model.graph, ""):
        for tensor in tensors(graph):
            load(tensor, folder)
    return model


def graphs(graph, path):
    yield path, graph
    for i, node in enumerate(graph.node):
        for attribute in node.attribute:
            bodies = [attribute.g] if attribute.HasField("g") else attribute.graphs
            for nth, body in enumerate(bodies):
                yield from graphs(body, f"{path}/{i}:{attribute.name}:{nth}")


def hide(typ):
    kind = typ.WhichOneof("value")
    if kind in ("tensor_type", "sparse_tensor_type"):
        getattr(typ, kind).ClearField("shape")
    elif kind in ("sequence_type", "optional_type"):
        hide(getattr(typ, kind).elem_type)


def count(tensor):
    n = 1
    for d in tensor.dims:
        n *= d
    return n


def tensors(graph):
    yield from graph.initializer
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("t"):
                yield attribute.t
            yield from attribute.tensors


def load(tensor, folder):
    if onnx.external_data_helper.uses_external_data(tensor):
        onnx.external_data_helper.load_external_data_for_tensor(tensor, folder)
        tensor.data_location = onnx.TensorProto.DEFAULT
        del tensor.external_data[:]


def weights_to_inputs(graph):
    """Makes inputs of the large initializers and constants of the main graph."""
    declared = {i.name for i in graph.input}
    used = {o.name for o in graph.output}

    def declare(name, tensor):
        if name not in declared:
            graph.input.append(onnx.helper.make_tensor_value_info(name, tensor.data_type, tensor.dims))

    small = [t for t in graph.initializer if count(t) <= LARGE or t.name in used]
    for t in graph.initializer:
        if count(t) > LARGE and t.name not in used:
            declare(t.name, t)
    nodes = []
    for node in graph.node:
        a = node.attribute[0] if len(node.attribute) == 1 else None
        constant = node.op_type == "Constant" and node.domain in ("", "ai.onnx") and a and a.name == "value"
        if constant and count(a.t) > LARGE and node.output[0] not in used:
            declare(node.output[0], a.t)
        else:
            nodes.append(node)
    if len(small) < len(graph.initializer):
        replace(graph.initializer, small)
    if len(nodes) < len(graph.node):
        raise_positions(graph, nodes)


# The positions that the nodes of the main graph had before constants were taken out.
positions = None


def raise_positions(graph, nodes):
    global positions
    ids = {id(n): i for i, n in enumerate(graph.node)}
    kept = [ids[id(n)] for n in nodes]
    positions = kept
    replace(graph.node, nodes)


def replace(field, kept):
    kept = [type(k).FromString(k.SerializeToString()) for k in kept]
    del field[:]
    field.extend(kept)


def original(path):
    """The path of a body as it is in the file."""
    if positions is None or not path:
        return path
    head, colon, rest = path[1:].partition(":")
    return f"/{positions[int(head)]}{colon}{rest}"


# What a referee answers.


def type_of(typ):
    """The type as Lathe writes it, and its dims."""
    kind = typ.WhichOneof("value")
    if kind in ("tensor_type", "sparse_tensor_type"):
        t = getattr(typ, kind)
        elem = TYPES.get(onnx.TensorProto.DataType.Name(t.elem_type), "?")
        dims = [dim(d) for d in t.shape.dim] if t.HasField("shape") else None
        return (elem, dims) if kind == "tensor_type" else (f"sparse({elem})", dims)
    if kind == "sequence_type":
        return f"seq({type_of(typ.sequence_type.elem_type)[0]})", None
    if kind == "optional_type":
        return f"opt({type_of(typ.optional_type.elem_type)[0]})", None
    if kind == "map_type":
        key = TYPES.get(onnx.TensorProto.DataType.Name(typ.map_type.key_type), "?")
        return f"map({key},{type_of(typ.map_type.value_type)[0]})", None
    return "?", None


def dim(d):
    if d.HasField("dim_value"):
        return d.dim_value
    return d.dim_param or None


def values(graph):
    found = {}
    for v in [*graph.value_info, *graph.output]:
        typ, dims = type_of(v.type)
        if typ != "?" or dims is not None:
            found[v.name] = [typ, dims]
    return found


def ask_onnx(path, keep_weights, hide_outputs, answer):
    model = prepare(path, hide_outputs, keep_weights)
    start = time.perf_counter()
    inferred = onnx.shape_inference.infer_shapes(model, check_type=False, strict_mode=False, data_prop=True)
    answer["seconds"] = time.perf_counter() - start
    answer["graphs"] = {original(path): values(graph) for path, graph in graphs(inferred.graph, "")}


def ask_runtime(path, keep_weights, hide_outputs, answer):
    """Lists every value without a type: then the model that is written after
    loading tells them all."""
    import onnxruntime

    model = prepare(path, hide_outputs, keep_weights)
    told = {v.name for part in (model.graph.input, model.graph.output, model.graph.initializer) for v in part}
    for node in model.graph.node:
        for output in node.output:
            if output and output not in told:
                told.add(output)
                model.graph.value_info.add().name = output
    with tempfile.TemporaryDirectory() as folder:
        inside, outside = os.path.join(folder, "in.onnx"), os.path.join(folder, "out.onnx")
        onnx.save(model, inside)
        options = onnxruntime.SessionOptions()
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.optimized_model_filepath = outside
        options.add_session_config_entry("session.optimized_model_external_initializers_file_name", "out.data")
        options.add_session_config_entry("session.disable_prepacking", "1")
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 4
        start = time.perf_counter()
        onnxruntime.InferenceSession(inside, options, providers=["CPUExecutionProvider"])
        answer["seconds"] = time.perf_counter() - start
        answer["graphs"] = {"": unchanged(model, onnx.load(outside, load_external_data=False))}


def unchanged(model, loaded):
    """The values of nodes that the runtime left alone. It inserts and removes
    casts even where it is to optimize nothing, and then says what is true of
    its own graph only; a type that it cast to on the way is left out."""
    found = values(loaded.graph)
    functions = {(f.domain, f.name) for f in model.functions}
    now = {o: made_by(n) for n in loaded.graph.node for o in n.output}
    for node in model.graph.node:
        if (node.domain, node.op_type) not in functions:
            for o in node.output:
                if now.get(o) != made_by(node):
                    found.pop(o, None)
    if any(n.name.startswith("Inserted") for n in loaded.graph.node):
        found = {name: ["?" if typ == "f32" else typ, dims] for name, (typ, dims) in found.items()}
    return found


def made_by(node):
    inputs = list(node.input)
    while inputs and not inputs[-1]:
        inputs.pop()
    return node.op_type, inputs


def ask_symbolic(path, keep_weights, hide_outputs, answer):
    """Asks without merging symbols of one axis first. The loop is that of
    SymbolicShapeInference.infer_shapes, which throws away what it has where
    anything is missing."""
    for auto_merge in False, True:
        answer["note"] = f"auto_merge={auto_merge}"
        answer["error"] = None
        model = prepare(path, hide_outputs, keep_weights)
        if (symbolic.get_opset(model) or 0) < 7:
            raise ValueError("it supports opset 7 and above")
        start = time.perf_counter()
        inference = symbolic.SymbolicShapeInference(2**31 - 1, auto_merge, False, 0)
        complete = False
        try:
            inference._preprocess(model)
            while inference.run_:
                complete = inference._infer_impl()
            inference._update_output_from_vi()
        except Exception as e:
            answer["error"] = said(e)
        answer["seconds"] = time.perf_counter() - start
        if answer["error"] is None:
            answer["graphs"] = {"": values(inference.out_mp_.graph)}
        if complete:
            return
    if answer["graphs"]:
        answer["note"] += ", incomplete"
        answer["error"] = None


def ask_symbols(path, keep_weights, hide_outputs, answer):
    model = onnx.load(path, load_external_data=False)
    held = {t.name for t in model.graph.initializer}
    symbols = set()
    for i in model.graph.input:
        if i.name not in held:
            symbols.update(d for d in type_of(i.type)[1] or [] if isinstance(d, str))
    answer["symbols"] = sorted(symbols)


# Processes.


def said(e):
    text = f"{type(e).__name__}: {e}"
    return text if len(text) < 1000 else text[:1000] + " …"


def apart(ask, path, keep_weights, hide_outputs, limit):
    """Runs ask in a process of its own. Its answer is one line."""
    out, child_out = os.pipe()
    pid = os.fork()
    if pid == 0:
        try:
            os.close(out)
            child(ask, path, keep_weights, hide_outputs, child_out)
        finally:
            os._exit(3)  # whatever was raised: only the parent reads the next request
    os.close(child_out)
    text = read_line(out, time.monotonic() + limit)
    os.close(out)
    if text.endswith(b"\n") or text == b"":
        gone, status = reaped(pid, time.monotonic() + (0 if text else 1))
    else:
        gone, status = os.waitpid(pid, os.WNOHANG)
    if not gone:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    if text.endswith(b"\n"):
        return json.loads(text)
    if not gone:
        return failed(f"no answer within {limit} s", limit)
    if os.WIFSIGNALED(status):
        return failed(f"it crashed: {signal.Signals(os.WTERMSIG(status)).name}", 0.0)
    return failed(f"it ended with exit code {os.waitstatus_to_exitcode(status)} and no answer", 0.0)


def child(ask, path, keep_weights, hide_outputs, out):
    quiet = os.open(os.devnull, os.O_RDWR)
    for fd in 0, 1, 2:
        os.dup2(quiet, fd)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answer = {"error": None, "note": "", "seconds": 0.0, "graphs": {}}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        os.chdir(folder)  # where symbolic_shape_infer would leave files
        try:
            ask(path, keep_weights, hide_outputs, answer)
        except BaseException as e:  # SystemExit among them
            answer["error"] = said(e)
        line = json.dumps(answer).encode() + b"\n"
        while line:
            line = line[os.write(out, line) :]


def read_line(fd, deadline):
    """What there is to read up to a line's end, the end or the deadline."""
    text = b""
    while not text.endswith(b"\n") and (left := deadline - time.monotonic()) > 0:
        if select.select([fd], [], [], left)[0]:
            part = os.read(fd, 1 << 20)
            if not part:
                break
            text += part
    return text


def reaped(pid, deadline):
    while True:
        gone, status = os.waitpid(pid, os.WNOHANG)
        if gone or time.monotonic() > deadline:
            return gone, status
        time.sleep(0.005)


def failed(reason, seconds):
    return {"error": reason, "note": "", "seconds": seconds, "graphs": {}}


REFEREES = {"onnx": ask_onnx, "runtime": ask_runtime, "symbolic": ask_symbolic}


def answer_to(request):
    path, hidden = os.path.abspath(request["model"]), request["hide_outputs"]
    limit = request["seconds"]
    first = apart(ask_symbols, path, False, hidden, limit)
    if first["error"]:
        return {"error": first["error"], "symbols": [], "referees": {}}
    referees = {}
    for name, ask in REFEREES.items():
        answer = apart(ask, path, False, hidden, limit)
        if answer["error"] and has_large(path) and not answer["error"].startswith("no answer"):
            # Some operators want their weights to be constant.
            again = apart(ask, path, True, hidden, limit)
            if not again["error"]:
                again["note"] = ", ".join(n for n in (again["note"], "weights kept") if n)
                answer = again
        referees[name] = answer
    return {"error": None, "symbols": first["symbols"], "referees": referees}


def has_large(path):
    return LARGE * 4 < os.path.getsize(path) < 1 << 30


def main():
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the packages print
    versions = {p: importlib.metadata.version(p) for p in ("onnx", "onnxruntime", "sympy")}
    print(json.dumps({"versions": versions}), file=answers, flush=True)
    with tempfile.TemporaryDirectory() as tempfile.tempdir:
        for line in sys.stdin:
            print(json.dumps(answer_to(json.loads(line))), file=answers, flush=True)


main()
