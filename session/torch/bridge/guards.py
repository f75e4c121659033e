import contextlib

# What torch.export asked of sizes, and the lines that made it: its messages name the size alone.
_guards = []
_envs = []  # the ShapeEnv of each


@contextlib.contextmanager
def noting_guards():
    _guards.clear()
    _envs.clear()
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
                if not any(env is self for env in _envs):
                    _envs.append(self)
        return log_guard(self, prefix, g, *args, **kwargs)

    ShapeEnv._log_guard = noted
    try:
        yield
    finally:
        ShapeEnv._log_guard = log_guard


@contextlib.contextmanager
def noting_lines(wanted, seen):
    """Adds to seen those (file, line) of the wanted that run."""
    files = {file for file, _ in wanted}

    def on_call(frame, event, arg):
        return on_line if frame.f_code.co_filename in files else None

    def on_line(frame, event, arg):
        at = (frame.f_code.co_filename, frame.f_lineno)
        if at in wanted:
            seen.add(at)
        return on_line

    before = sys.gettrace()
    sys.settrace(on_call if wanted else before)
    try:
        yield
    finally:
        sys.settrace(before)


def traced_at(context):
    """The line that is read by TorchDynamo, which runs on no stack."""
    return users_first([(f.filename, f.lineno, f.name) for f in reversed(list(context.extract_stack()))])


def running_at():
    lines, f = [], sys._getframe(2)
    while f is not None:
        lines.append((f.f_code.co_filename, f.f_lineno, f.f_code.co_name))
        f = f.f_back
    return users_first(lines)


def users_first(lines):
    """The innermost line of the user's own, or of a package that is not PyTorch."""
    home = os.path.dirname(torch.__file__) + os.sep
    outside = [at for at in lines if not at[0].startswith((home, "<"))]
    return next((at for at in outside if is_users(at[0])), outside[0] if outside and outside[0][0].endswith(".py") else None)


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
    return [{"file": file, "line": line, "function": function, "code": linecache.getline(file, line).strip()[:500], "user": is_users(file)}]


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
    for path, axis, symbol in sizes:
        _axes_of.setdefault(str(symbol), {"path": path, "axis": axis, "hint": dict(tensors)[path].shape[axis]})
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


def axes_by_size(t, dynamic):
    """Finds the axes that symbols are of by their sizes in the example, where capture came to no end."""
    for env in _envs:
        sizes = getattr(env, "backed_var_to_val", None) or getattr(env, "var_to_val", {})
        for symbol, size in sizes.items():
            of = {(d["path"], d["axis"]) for d in dynamic for path, v in inputs_of(t)[0] if path == d["path"] and v.shape[d["axis"]] == int(size)}
            called = {d["symbol"] for d in dynamic if (d["path"], d["axis"]) in of}
            if len(called) == 1:
                path, axis = sorted(of)[0]
                _axes_of.setdefault(str(symbol), {"path": path, "axis": axis, "hint": int(size)})


def bound(held_in, name):
    """A bound as a number, 0 for none."""
    try:
        n = int(getattr(held_in, name))
    except Exception:
        return 0
    return n if 0 <= n < 2**31 else 0
