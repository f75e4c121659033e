def run_eager(t, feeds=None, called=None):
    """Runs the model. Returns its results with their paths, and the arguments as they are after the run."""
    if feeds is not None:
        arguments = {n: rebuilt(v, (n,), lambda p, leaf: feeds.get(dotted(p), leaf)) for n, v in t.arguments.items()}
        args, kwargs = call_with(t, arguments)
    else:
        args, kwargs = t.example.args, t.example.kwargs
    args, kwargs = copied(args, kwargs)
    with torch.no_grad():
        out = (called or t.callable)(*args, **kwargs)
    return [(path, leaf) for path, leaf in leaves(out) if leaf is not None], (args, kwargs)


def first_run(t):
    """Runs the model on its example. Returns its outputs, and what the run changed."""
    before = held_by(t)
    drawn = torch.get_rng_state() if hasattr(torch, "get_rng_state") else None
    results = []

    def called(*args, **kwargs):
        results.append(t.callable(*args, **kwargs))
        return results[0]

    got, given = run_eager(t, called=called)
    kept = changes_between(before, held_by(t))
    cached = bool(kept) and same_again(t, got, drawn)
    changes = changed_arguments(t, given) + ([] if cached else kept)
    return {
        "outputs": [dict(path=path, type=name_of(v.dtype) if is_tensor(v) else "", shape=list(v.shape) if is_tensor(v) else []) for path, v in got],
        "records": holds_record(results[0]),
        "result_caches": caches_in(results[0]),
        "changes": sorted(changes),
        "caches": sorted(kept) if cached else [],
        "written": [name[len("self.") :] for name in kept if name.startswith("self.")],
    }


def holds_record(value):
    """Returns whether a result contains a dataclass; exporters do not look for tensors inside it."""
    return is_record(value) and not isinstance(value, dict) or any(holds_record(v) for _, v in parts(value) or ())


def same_again(t, first, drawn):
    """Returns whether a second call has the same results as the first. If so, changed attributes are caches and not state."""
    if drawn is not None:
        torch.set_rng_state(drawn)
    try:
        second, _ = run_eager(t)
    except Exception:
        return False
    return len(first) == len(second) and all(a is b or alike(a, b) for (_, a), (_, b) in zip(first, second) if is_tensor(a))


def alike(a, b):
    if is_fake(a) or is_fake(b):
        return False  # there are no elements to compare
    return is_tensor(a) and is_tensor(b) and a.shape == b.shape and a.dtype == b.dtype and torch.equal(a, b)


def changed_arguments(t, given):
    """Returns the arguments that a run has written to. In PyTorch the caller sees the change, with an ONNX model not."""
    old, new = dict(leaves((t.example.args, t.example.kwargs))), dict(leaves(given))
    names, found = list(t.arguments), set()
    caches = caches_in((t.example.args, t.example.kwargs))
    for path in old.keys() | new.keys():
        if cache_name(path, caches, "it"):
            continue  # the result has what a run made of it
        now = new.get(path)
        if path not in old or path not in new or is_tensor(now) and now._version:
            at = int(path[1]) if path[0] == "0" else -1
            found.add("its argument %s" % (names[at] if 0 <= at < len(names) else path[1]))
    return sorted(found)


def copied(args, kwargs):
    """Returns copies of the arguments, so that a run does not change the example."""
    return rebuilt((args, kwargs), (), lambda _, leaf: leaf.detach().clone() if is_tensor(leaf) else leaf)


def fit(t, fed, dynamic):
    """Returns the given tensors, and those of the example for other inputs, resized to match the given ones."""
    sizes = {}
    for d in dynamic:
        if d["path"] in fed:
            sizes[d["symbol"]] = fed[d["path"]].shape[d["axis"]]
    whole = dict(fed)
    for path, tensor in inputs_of(t)[0]:
        if path in whole:
            whole[path] = whole[path].to(tensor.device)
            continue
        for d in dynamic:
            if d["path"] == path and d["symbol"] in sizes and tensor.shape[d["axis"]] > 0:
                index = torch.arange(sizes[d["symbol"]], device=tensor.device) % tensor.shape[d["axis"]]
                tensor = tensor.index_select(d["axis"], index)
        whole[path] = tensor
    return whole


def run(t, q):
    """Runs the model and writes its results to files. Also returns the lines that converted tensors to Python values."""
    note_reads()
    return dict(told(t, q, lambda fed: run_eager(t, fed)[0]), reads=reads_noted())


def whole(t, q):
    """Runs all tokens in one run without a cache."""

    def call(fed):
        with torch.no_grad():
            return [(path, leaf) for path, leaf in leaves(t.whole(fed)) if leaf is not None]

    return told(t, q, call)


def slow(t, q):
    """Switches off the fast path of nn.TransformerEncoder, whose values differ at masked positions. Returns whether the model has one."""
    of = getattr(getattr(torch, "backends", None), "mha", None)
    kinds = tuple(getattr(torch.nn, k) for k in ("TransformerEncoder", "TransformerEncoderLayer", "MultiheadAttention"))
    has = of is not None and isinstance(t.model, torch.nn.Module) and any(isinstance(m, kinds) for m in t.model.modules())
    if has:
        of.set_fastpath_enabled(False)
    return {"switched": has}


def told(t, q, call):
    fed = fit(t, {f["path"]: read_tensor(f) for f in q["feeds"]}, q["dynamic"])
    stage("forward")
    got = call(fed)
    return {"outputs": [dict(write_tensor(leaf, os.path.join(q["folder"], "output_%d" % i)), path=dotted(path)) for i, (path, leaf) in enumerate(got) if is_tensor(leaf)]}


def example(t, q):
    return {"inputs": [dict(write_tensor(v, os.path.join(q["folder"], "input_%d" % i)), path=path) for i, (path, v) in enumerate(inputs_of(t)[0])]}
