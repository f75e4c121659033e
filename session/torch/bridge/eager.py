def run_eager(t, feeds=None, called=None):
    """The leaves of what the model gives, by path."""
    if feeds is not None:
        arguments = {n: rebuilt(v, (n,), lambda p, leaf: feeds.get(dotted(p), leaf)) for n, v in t.arguments.items()}
        args, kwargs = call_with(t, arguments)
    else:
        args, kwargs = t.example.args, t.example.kwargs
    with torch.no_grad():
        out = (called or t.callable)(*args, **kwargs)
    return [(path, leaf) for path, leaf in leaves(out) if leaf is not None]


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
