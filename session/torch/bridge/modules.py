def modules(t, q):
    """What every module gives for what is fed, the whole model too, in the order in which they are done."""
    fed = fit(t, {f["path"]: read_tensor(f) for f in q["feeds"]}, q["dynamic"])
    root, found = t.callable, []
    if not isinstance(root, torch.nn.Module):
        return {"modules": []}

    def note(name, module):
        def done(_, args, *more):
            # Hooks get arguments by keyword from PyTorch 2.0 on.
            given, out = (args, more[0] if len(more) > 1 else {}), more[-1]
            calls, number = sum(1 for f in found if f["path"] == name), len(found)
            found.append({
                "path": name, "class": type(module).__name__, "call": calls, "passes": passes(given, out),
                "results": written(out, os.path.join(q["folder"], "result_%d" % number)),
                "given": written(given, os.path.join(q["folder"], "given_%d" % number)) if not list(module.children()) else [],
            })

        return done

    for name, module in root.named_modules():
        try:
            module.register_forward_hook(note(name, module), with_kwargs=True)
        except TypeError:
            module.register_forward_hook(note(name, module))
    stage("forward")
    run_eager(t, fed, root)
    return {"modules": found}


def written(value, to):
    """The tensors in a value; those that cannot be written, as nested ones, are left out."""
    made = []
    for i, (path, leaf) in enumerate(leaves(value)):
        if is_tensor(leaf):
            try:
                made.append(dict(write_tensor(leaf, "%s_%d" % (to, i)), path=dotted(path)))
            except Exception:
                continue  # a kind of tensor without elements in a row: it is not compared
    return made


def passes(given, out):
    """Whether a module gives what it was given, as a dropout outside of training does."""
    if not is_tensor(out):
        return False
    try:
        return any(v is out or alike(v, out) for _, v in leaves(given) if is_tensor(v))
    except Exception:
        return False
