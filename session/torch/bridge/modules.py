def modules(t, q):
    """What every module inside the model gives for what is fed, in the order in which they are done."""
    fed = fit(t, {f["path"]: read_tensor(f) for f in q["feeds"]}, q["dynamic"])
    root, found = t.callable, []
    if not isinstance(root, torch.nn.Module):
        return {"modules": []}

    def note(name, module):
        def done(_, args, out):
            tensors = [leaf for _, leaf in leaves(out) if is_tensor(leaf)]
            calls = sum(1 for f in found if f["path"] == name)
            if len(tensors) == 1:  # else nobody knows which value of the graph is which
                told = write_tensor(tensors[0], os.path.join(q["folder"], "module_%d" % len(found)))
                found.append(dict(told, path=name, **{"class": type(module).__name__, "call": calls}))

        return done

    for name, module in root.named_modules():
        if name:
            module.register_forward_hook(note(name, module))
    stage("forward")
    run_eager(t, fed, root)
    return {"modules": found}
