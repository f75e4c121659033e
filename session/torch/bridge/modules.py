import weakref


def modules(t, q):
    """Runs the model and returns the result of every module and of the model, in the order in which the calls end."""
    fed = fit(t, {f["path"]: read_tensor(f) for f in q["feeds"]}, q["dynamic"])
    root, found, begun, kept = t.callable, [], [], {}
    if not isinstance(root, torch.nn.Module):
        return {"modules": []}

    def begin(_, args, kwargs=None):
        # Arguments are written before the call, because a module may change them.
        begun.append((written((args, kwargs or {}), os.path.join(q["folder"], "given_%d_%d" % (len(found), len(begun))), kept), versions_of((args, kwargs or {}))))

    def note(name, module):
        def done(_, args, *more):
            # PyTorch 2.0 and later also pass keyword arguments to hooks.
            given, out = (args, more[0] if len(more) > 1 else {}), more[-1]
            before, versions = begun.pop()
            calls, number = sum(1 for f in found if f["path"] == name), len(found)
            found.append({
                "path": name, "class": type(module).__name__, "call": calls, "passes": versions == versions_of(given) and passes(given, out),
                "trained": any(True for _ in module.parameters()),
                "results": written(out, os.path.join(q["folder"], "result_%d" % number), kept), "given": before,
            })

        return done

    for name, module in root.named_modules():
        try:
            module.register_forward_pre_hook(begin, with_kwargs=True)
            module.register_forward_hook(note(name, module), with_kwargs=True)
        except TypeError:
            module.register_forward_pre_hook(begin)
            module.register_forward_hook(note(name, module))
    stage("forward")
    run_eager(t, fed, root)
    return {"modules": found}


def written(value, to, kept):
    """Writes the tensors in a value to files, each one once. Tensors that cannot be written, such as nested ones, are left out."""
    made = []
    for i, (path, leaf) in enumerate(leaves(value)):
        if not is_tensor(leaf):
            continue
        try:
            of, version, had = kept.get(id(leaf), (None, 0, None))
            if of is None or of() is not leaf or version is None or version != version_of(leaf):
                had = write_tensor(leaf, "%s_%d" % (to, i))
                kept[id(leaf)] = (weakref.ref(leaf), version_of(leaf), had)
            made.append(dict(had, path=dotted(path)))
        except Exception:
            continue  # a kind of tensor that cannot be written: it is not compared
    return made


def versions_of(given):
    return [version_of(v) for _, v in leaves(given) if is_tensor(v)]


def version_of(v):
    """Returns how often a tensor was written to, or None if it does not count that."""
    return None if v.is_inference() else v._version


def passes(given, out):
    """Returns whether a module returns its argument, as a Dropout in evaluation mode does."""
    if not is_tensor(out):
        return False
    try:
        return any(v is out or alike(v, out) for _, v in leaves(given) if is_tensor(v))
    except Exception:
        return False
