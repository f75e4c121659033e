import contextlib


def run_eager(t, feeds=None, called=None):
    """The leaves of what the model gives, by path."""
    if feeds is not None:
        arguments = {n: rebuilt(v, (n,), lambda p, leaf: feeds.get(dotted(p), leaf)) for n, v in t.arguments.items()}
        args, kwargs = call_with(t, arguments)
    else:
        args, kwargs = t.example.args, t.example.kwargs
    called = called or t.callable
    before = (args, kwargs)
    args, kwargs = copied(args, kwargs)
    with torch.no_grad(), restored(t, called):
        out = called(*args, **kwargs)
    note_changed(t, before, (args, kwargs))
    return [(path, leaf) for path, leaf in leaves(out) if leaf is not None]


@contextlib.contextmanager
def restored(t, model):
    """What a run puts into attributes and buffers is taken out again, so that runs do not depend on each other."""
    modules = []
    if isinstance(model, torch.nn.Module) and not isinstance(model, torch.jit.ScriptModule):
        modules = [(n, m) for n, m in model.named_modules() if not hasattr(m, "_infer_parameters")]  # nor lazy ones
    held = [(name, of, dict(of), edits_of(of)) for name, m in modules for of in (vars(m), m._buffers)]
    try:
        yield
    finally:
        for name, of, before, version in held:
            for key in [*before, *(k for k in of if k not in before)]:
                same = key in of and key in before and of[key] is before[key]
                if not (same or alike(of.get(key), before.get(key))) or edits_of(of).get(key) != version.get(key):
                    t.changes.add("self." + ".".join(filter(None, (name, key))))
                if not same and key in before:
                    of[key] = before[key]
                elif not same:
                    del of[key]


def leave_harmless(t):
    """Forgets what forward keeps between calls where the next call gives the same nevertheless, as with a cache."""
    kept = {c for c in t.changes if c.startswith("self.")}
    if not kept:
        return
    with torch.no_grad(), restored(t, t.callable):
        first, second = ([leaf for _, leaf in leaves(call_copied(t))] for _ in range(2))
    if len(first) == len(second) and all(a is b or alike(a, b) for a, b in zip(first, second) if is_tensor(a)):
        t.changes -= kept


def call_copied(t):
    args, kwargs = copied(t.example.args, t.example.kwargs)
    return t.callable(*args, **kwargs)


def alike(a, b):
    """Whether what was put in an attribute is what was there, as a weight that a hook computes anew."""
    if is_fake(a) or is_fake(b):
        return False  # without elements nothing is known
    return is_tensor(a) and is_tensor(b) and a.shape == b.shape and a.dtype == b.dtype and torch.equal(a, b)


def edits_of(of):
    return {k: v._version for k, v in of.items() if is_tensor(v) and not v.is_inference()}


def note_changed(t, before, after):
    """Notes arguments that a run has written to: whoever calls the model in PyTorch sees that, and with ONNX not."""
    old, new = dict(leaves(before)), dict(leaves(after))
    names = list(arguments_of(t))
    for path in old.keys() | new.keys():
        now = new.get(path)
        if path not in old or path not in new or is_tensor(now) and now._version:
            at = int(path[1]) if path[0] == "0" else -1
            t.changes.add("its argument %s" % (names[at] if 0 <= at < len(names) else path[1]))


def copied(args, kwargs):
    """Arguments that a run may change: those of the example stay as they are."""
    return rebuilt((args, kwargs), (), lambda _, leaf: leaf.detach().clone() if is_tensor(leaf) else leaf)


def fit(t, fed, dynamic):
    """What is fed, and for what is not the example in sizes that go with it."""
    sizes = {}
    for d in dynamic:
        if d["path"] in fed:
            sizes[d["symbol"]] = fed[d["path"]].shape[d["axis"]]
    whole = dict(fed)
    for path, tensor in inputs_of(t)[0]:
        if path in whole:
            continue
        for d in dynamic:
            if d["path"] == path and d["symbol"] in sizes and tensor.shape[d["axis"]] > 0:
                index = torch.arange(sizes[d["symbol"]]) % tensor.shape[d["axis"]]
                tensor = tensor.index_select(d["axis"], index)
        whole[path] = tensor
    return whole


def run(t, q):
    """Runs the model on what is fed and writes every tensor that it gives."""
    return told(t, q, lambda fed: run_eager(t, fed))


def told(t, q, call):
    fed = fit(t, {f["path"]: read_tensor(f) for f in q["feeds"]}, q["dynamic"])
    stage("forward")
    try:
        got = call(fed)
    except Refused:
        raise
    except Exception as e:
        return {"failure": failure(e)}
    return {"outputs": [dict(write_tensor(leaf, os.path.join(q["folder"], "output_%d" % i)), path=dotted(path)) for i, (path, leaf) in enumerate(got) if is_tensor(leaf)]}


def example(t, q):
    return {"inputs": [dict(write_tensor(v, os.path.join(q["folder"], "input_%d" % i)), path=path) for i, (path, v) in enumerate(inputs_of(t)[0])]}


def parameters(t, q):
    """What the parameters are called, and a digest of the elements of each."""
    import hashlib

    out = []
    for name, p in t.model.named_parameters():
        made = write_tensor(p, os.path.join(q["folder"], "parameter"))
        with open(made["file"], "rb") as f:
            digest = hashlib.sha256()
            for block in iter(lambda: f.read(1 << 20), b""):
                digest.update(block)
        os.remove(made["file"])
        out.append({"name": name, "type": made["type"], "shape": made["shape"], "sha256": digest.hexdigest(), "trained": p.requires_grad})
    return {"parameters": out}
