import contextlib

# The conditions on sizes (guards) of torch.export with the lines that caused them; its messages name only the size.
_guards = []
_envs = []  # the ShapeEnvs of these guards


@contextlib.contextmanager
def noting_guards():
    _guards.clear()
    _envs.clear()
    try:
        from torch._guards import TracingContext
        from torch.fx.experimental.symbolic_shapes import ShapeEnv

        log_guard = ShapeEnv._log_guard
    except (ImportError, AttributeError):
        yield  # in this version it is elsewhere: lines stay unknown
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
    """Adds to seen the wanted (file, line) that run."""
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
    """Returns the line that TorchDynamo interprets, which is not on Python's stack."""
    return users_first([(f.filename, f.lineno, f.name) for f in reversed(list(context.extract_stack()))])


def running_at():
    lines, f = [], sys._getframe(2)
    while f is not None:
        lines.append((f.f_code.co_filename, f.f_lineno, f.f_code.co_name))
        f = f.f_back
    return users_first(lines)


def users_first(lines):
    """Returns the innermost line of the user's code, or else of a package other than PyTorch."""
    home = os.path.dirname(torch.__file__) + os.sep
    outside = [at for at in lines if not at[0].startswith((home, "<"))]
    return next((at for at in outside if is_users(at[0])), outside[0] if outside and outside[0][0].endswith(".py") else None)


def guard_frames(failed):
    """Returns the line that made a size constant or restricted it, if the export failed for that reason."""
    said = "\n".join(x["message"] for x in failed["chain"])
    if not _guards or not re.search(r"static shape of|specialized it to be|satisfy the generated guard|Constraints violated", said):
        return []
    # A size became constant at the first guard that makes it equal to a number.
    fixed = re.search(r"static shape of|specialized it to be", said)
    asked = [at for g, at in _guards if not fixed or type(g).__name__ == "Equality" and len(g.free_symbols) == 1]
    if not asked:
        return []
    file, line, function = asked[0]
    return [{"file": file, "line": line, "function": function, "code": linecache.getline(file, line).strip()[:500], "user": is_users(file)}]


def ranges_of(t, program):
    """Returns the dynamic axes of inputs that do not allow every size from 2 on, with the line that restricts them."""
    try:
        of = program.exported_program
        nodes = [n for n in of.graph.nodes if n.op == "placeholder" and n.name in of.graph_signature.user_inputs and is_tensor(n.meta.get("val"))]
        tensors = inputs_of(t)[0]
        sizes = [(path, axis, size.node.expr) for (path, _), n in zip(tensors, nodes) for axis, size in enumerate(n.meta["val"].shape) if isinstance(size, torch.SymInt)]
        held = [(path, axis, symbol, of.range_constraints.get(symbol)) for path, axis, symbol in sizes]
    except Exception:
        return []  # this version has another form
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
    """If capture failed, finds the axis of each symbol by its size in the example."""
    for env in _envs:
        sizes = getattr(env, "backed_var_to_val", None) or getattr(env, "var_to_val", {})
        for symbol, size in sizes.items():
            of = {(d["path"], d["axis"]) for d in dynamic for path, v in inputs_of(t)[0] if path == d["path"] and v.shape[d["axis"]] == int(size)}
            called = {d["symbol"] for d in dynamic if (d["path"], d["axis"]) in of}
            if len(called) == 1:
                path, axis = sorted(of)[0]
                _axes_of.setdefault(str(symbol), {"path": path, "axis": axis, "hint": int(size)})


def bound(held_in, name):
    """Returns a bound as a number, or 0 if there is none."""
    try:
        n = int(getattr(held_in, name))
    except Exception:
        return 0
    return n if 0 <= n < 2**31 else 0
