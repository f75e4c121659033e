import types


def held_by(t):
    """Records the attributes of the model and the globals of the user's code. For a tensor these are its write count and a copy,
    because kernels that update running statistics do not count. Parameters are too large to copy."""
    held, seen = {}, set()
    if isinstance(t.model, torch.nn.Module) and not isinstance(t.model, torch.jit.ScriptModule):
        for name, m in t.model.named_modules():
            if not hasattr(m, "_infer_parameters"):  # lazy modules change themselves in the first run
                for key, v in [*vars(m).items(), *m._buffers.items(), *m._parameters.items()]:
                    if key not in ("_modules", "_buffers", "_parameters"):
                        note_value(held, seen, "self." + ".".join(filter(None, (name, key))), (), v)
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(module, types.ModuleType) and file and is_users(file):
            for key, v in list(vars(module).items()):
                if not key.startswith("__"):
                    note_value(held, seen, "%s.%s" % (module.__name__, key), (), v)
    return held


def note_value(held, seen, name, path, v):
    """Records a value by the name of its attribute and the path within that."""
    if len(path) > 50:
        return  # unusually deep: a limit for the recursion
    if is_tensor(v):
        kept = v if isinstance(v, torch.nn.Parameter) or is_fake(v) else v.detach().clone()
        held[name, path] = (kept, v._version if not v.is_inference() else 0)
    elif isinstance(v, (int, float, complex, str, bytes, type(None))):
        held[name, path] = (v, 0)
    elif isinstance(v, (list, tuple)) and v and all(type(x) in (int, float, str) for x in v):
        held[name, path] = (hash(tuple(v)), len(v))
    elif isinstance(v, (torch.nn.Module, types.ModuleType, type)) or callable(v) and not hasattr(v, "__dict__"):
        return  # modules are recorded separately
    elif id(v) not in seen:
        seen.add(id(v))
        held[name, path] = (type(v), length_of(v))
        for key, inner in members(v):
            note_value(held, seen, name, path + (key,), inner)


def length_of(v):
    """Returns len(v), or 0 if it has none or raises, as a scripted module does."""
    try:
        return len(v)
    except Exception:
        return 0


def members(v):
    if isinstance(v, dict):
        return [(repr(k)[:200], x) for k, x in list(v.items())]
    if isinstance(v, (list, tuple, set, frozenset)) or type(v).__name__ == "deque":
        return enumerate(list(v))
    return list(getattr(v, "__dict__", {}).items())


def changes_between(before, after):
    """Returns the names whose values were replaced or written to, sorted."""
    found = set()
    for key in before.keys() | after.keys():
        if key not in before or key not in after or is_changed(before[key], after[key]):
            found.add(key[0])
    return sorted(found)


def is_changed(before, after):
    (a, a_times), (b, b_times) = before, after
    if is_tensor(a) and is_tensor(b):
        return a_times != b_times if a is b or is_fake(a) else not alike(a, b)
    return type(a) is not type(b) or a_times != b_times or not (a is b or a == b or a != a and b != b)


def held(t, q):
    """Writes the requested parameters and buffers to files."""
    of = {**dict(t.model.named_parameters()), **dict(t.model.named_buffers())}
    return {"held": [dict(write_tensor(of[name], os.path.join(q["folder"], "held_%d" % i)), path=name) for i, name in enumerate(q["names"]) if name in of]}


def state(t, q):
    """Returns the names of parameters and buffers, with a digest of their elements."""
    import hashlib

    out = []
    trained = dict(t.model.named_parameters())
    for name, p in [*trained.items(), *t.model.named_buffers()]:
        made = write_tensor(p, os.path.join(q["folder"], "parameter"))
        with open(made["file"], "rb") as f:
            digest = hashlib.sha256()
            for block in iter(lambda: f.read(1 << 20), b""):
                digest.update(block)
        os.remove(made["file"])
        out.append({"name": name, "type": made["type"], "shape": made["shape"], "sha256": digest.hexdigest(), "buffer": name not in trained})
    return {"state": out}
