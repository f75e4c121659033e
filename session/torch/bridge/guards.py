import contextlib

# What torch.export asked of sizes, and the lines that made it: its messages name the size alone.
_guards = []


@contextlib.contextmanager
def noting_guards():
    _guards.clear()
    try:
        from torch._guards import TracingContext
        from torch.fx.experimental.symbolic_shapes import ShapeEnv

        log_guard = ShapeEnv._log_guard
    except (ImportError, AttributeError):
        yield  # a version that has it elsewhere: the line is not told
        return

    def noted(self, prefix, g, *args, **kwargs):
        if len(_guards) < 10_000:
            at = traced_at(TracingContext) or running_at()
            if at:
                _guards.append((g, at))
        return log_guard(self, prefix, g, *args, **kwargs)

    ShapeEnv._log_guard = noted
    try:
        yield
    finally:
        ShapeEnv._log_guard = log_guard


def traced_at(context):
    """The user's line that is read by TorchDynamo, which runs on no stack."""
    for f in reversed(list(context.extract_stack())):
        if is_users(f.filename):
            return f.filename, f.lineno, f.name
    return None


def running_at():
    f = sys._getframe(2)
    while f is not None:
        if is_users(f.f_code.co_filename):
            return f.f_code.co_filename, f.f_lineno, f.f_code.co_name
        f = f.f_back
    return None


def guard_frames(failed):
    """The line at which a size became a constant, or something else was asked of it, where that is what failed."""
    said = "\n".join(x["message"] for x in failed["chain"])
    if not _guards or not re.search(r"static shape of|specialized it to be|satisfy the generated guard|Constraints violated", said):
        return []
    # A size became a constant where it was first held to be equal to something without a size.
    fixed = re.search(r"static shape of|specialized it to be", said)
    asked = [at for g, at in _guards if not fixed or type(g).__name__ == "Equality" and len(g.free_symbols) == 1]
    if not asked:
        return []
    file, line, function = asked[0]
    return [{"file": file, "line": line, "function": function, "code": linecache.getline(file, line).strip()[:500], "user": True}]


def ranges_of(t, program):
    """The free axes of inputs that cannot have every size from 2 on, and the line that asked for that."""
    try:
        of = program.exported_program
        nodes = [n for n in of.graph.nodes if n.op == "placeholder" and n.name in of.graph_signature.user_inputs and is_tensor(n.meta.get("val"))]
        tensors = inputs_of(t)[0]
        sizes = [(path, axis, size.node.expr) for (path, _), n in zip(tensors, nodes) for axis, size in enumerate(n.meta["val"].shape) if isinstance(size, torch.SymInt)]
        held = [(path, axis, symbol, of.range_constraints.get(symbol)) for path, axis, symbol in sizes]
    except Exception:
        return []  # a version that tells it otherwise
    out = []
    for path, axis, symbol, held_in in held:
        least, most = bound(held_in, "lower"), bound(held_in, "upper")
        if len(tensors) != len(nodes) or least <= 2 and not most:
            continue
        at = next((at for g, at in _guards if symbol in g.free_symbols and type(g).__name__ != "Equality"), None)
        told = {"path": path, "axis": axis, "least": least, "most": most}
        if at:
            told.update(file=at[0], line=at[1], code=linecache.getline(at[0], at[1]).strip()[:500])
        out.append(told)
    return out


def bound(held_in, name):
    """A bound as a number, 0 for none."""
    try:
        n = int(getattr(held_in, name))
    except Exception:
        return 0
    return n if 0 <= n < 2**31 else 0
