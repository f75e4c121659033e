import ast, itertools, random

# The lines that converted a tensor to a Python value, with these values: there, code can take
# another path for other inputs.
_reads = {}
_MOST_VALUES = 50  # kept for one line


def note_reads():
    """Starts to record such lines. It patches torch.Tensor, so it is used in a fork."""
    for name in ("__bool__", "__int__", "__float__", "__index__", "item", "tolist", "numpy"):
        if hasattr(torch.Tensor, name):
            setattr(torch.Tensor, name, noting(getattr(torch.Tensor, name)))


def noting(original):
    @functools.wraps(original)
    def noted(self, *args, **kwargs):
        value = original(self, *args, **kwargs)
        at = reading_at()
        if at:
            values = _reads.setdefault(at, set())
            if len(values) < _MOST_VALUES:
                values.add(repr(value)[:200])
        return value

    return noted


def reading_at():
    """Returns the innermost running line outside of PyTorch."""
    f = sys._getframe(2)
    home = os.path.dirname(torch.__file__) + os.sep
    while f is not None and (f.f_code.co_filename.startswith(home) or f.f_code.co_filename.startswith("<")):
        f = f.f_back
    return (f.f_code.co_filename, f.f_lineno) if f is not None else None


def reads_noted():
    return [dict(line_at(file, line), values=sorted(values)) for (file, line), values in sorted(_reads.items())]


def line_at(file, line):
    return {"file": file, "line": line, "code": linecache.getline(file, line).strip()[:500], "user": is_users(file), "ends": ends_otherwise(file, line)}


@functools.lru_cache(None)
def ends_otherwise(file, line):
    """Returns whether the other path at a line raises an exception, as an assertion does, so that it has no results."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return False
    for node in ast.walk(tree):
        if isinstance(node, ast.Assert) and node.lineno <= line <= node.end_lineno:
            return True
        if isinstance(node, ast.If) and node.test.lineno <= line <= node.test.end_lineno:
            return raises(node.body) or bool(node.orelse) and raises(node.orelse)
    return False


def raises(body):
    return isinstance(body[-1], ast.Raise)


def flip(t, q):
    """Searches for inputs for which a line reads other values than before, and writes these inputs to files."""
    note_reads()
    lines, known = {(x["file"], x["line"]) for x in q["lines"]}, {(x["file"], x["line"]): set(x["values"]) for x in q["lines"]}
    drawn, found, until = random.Random(0), [], time.monotonic() + q["seconds"]
    stage("forward")
    tries = 0
    while lines and time.monotonic() < until:
        tries += 1
        fed = drawn_inputs(t, q["dynamic"], drawn)
        _reads.clear()
        try:
            run_eager(t, fed)
        except Exception:
            continue  # the model does not accept these inputs
        for at in [at for at in lines if _reads.get(at, set()) - known[at]]:
            lines.discard(at)
            folder = os.path.join(q["folder"], str(len(found)))
            os.makedirs(folder)
            inputs = [dict(write_tensor(v, os.path.join(folder, "input_%d" % i)), path=path) for i, (path, v) in enumerate(fed.items())]
            found.append({"file": at[0], "line": at[1], "inputs": inputs})
    return {"found": found, "tries": tries}


def drawn_inputs(t, dynamic, drawn):
    """Generates inputs of the example's types, with random values and random sizes of dynamic axes."""
    generator = torch.Generator().manual_seed(drawn.getrandbits(60))
    sizes = {d["symbol"]: drawn.choice((None, 1, 2, 3, 5, 8, 16, 20, 33)) for d in dynamic}
    for symbol in [s for s in sizes if "+" in s]:  # of a mask, whose size is that of other axes together
        parts_of = [w if w.isdigit() else sizes.get(w) for w in symbol.split(" + ")]
        sizes[symbol] = sum(map(int, parts_of)) if all(parts_of) else None
    out = {}
    for path, v in inputs_of(t)[0]:
        shape = list(v.shape)
        for d in dynamic:
            if d["path"] == path and sizes[d["symbol"]]:
                shape[d["axis"]] = sizes[d["symbol"]]
        out[path] = drawn_like(v, shape, drawn, generator).to(v.device)
    return out


def drawn_like(v, shape, drawn, generator):
    if v.dtype == torch.bool:
        return torch.rand(shape, generator=generator) < drawn.choice((0.0, 0.1, 0.5, 0.9, 1.0))
    if v.is_floating_point():
        made = torch.randn(shape, generator=generator) * drawn.choice((0.01, 1.0, 1.0, 1.0, 3.0, 100.0)) + drawn.choice((0.0, 0.0, 0.0, 1.0, -1.0))
        return made.to(v.dtype)
    if v.dtype.is_complex:
        return torch.randn(shape, generator=generator, dtype=v.dtype)
    least, most = (int(v.min()), int(v.max())) if v.numel() else (0, 1)
    return torch.randint(least, max(most, least + 1) + 1, shape, generator=generator).to(v.dtype)


def beyond(t, q):
    """Captures the model to find its conditions on sizes, for an exporter that traces. known are those of the given lines
    whose decisions depend on sizes only through these conditions."""
    give_plain(t)
    args, kwargs = copied(t.example.args, t.example.kwargs)
    dynamic = q["dynamic"] or axes_wanted(t)
    register_records(t)
    seen, known = set(), []
    with noting_guards(), noting_lines({(x["file"], x["line"]) for x in q["lines"]}, seen):
        try:
            program = torch.export.export(t.model, args, kwargs, dynamic_shapes=left_free(shapes_for_export(t, dynamic)), strict=False)
            ranges_of(t, types.SimpleNamespace(exported_program=program))
            axes_by_size(t, dynamic)  # for symbols that capture merged with others
            known = [line_at(*at) for at in sorted(seen)] if all(is_of_axes(g) or is_of_data(g) for g, _ in _guards) else []
        except Exception:
            axes_by_size(t, dynamic)  # conditions up to the failure are known
    return {"beyond": sizes_beyond(dynamic), "known": known}


def is_of_axes(guard):
    """Returns whether a condition is about sizes of input axes, so that sizes can be chosen for both outcomes."""
    return len(guard.free_symbols) <= 2 and all(str(s) in _axes_of for s in guard.free_symbols)


def is_of_data(guard):
    """Returns whether a condition is about sizes that depend on data. Capture only asserts those and takes no path."""
    return any(str(s).startswith("u") for s in guard.free_symbols)


def left_free(spec):
    """Replaces symbols in dynamic_shapes by Dim.AUTO, because only torch.onnx accepts strings."""
    if isinstance(spec, str):
        return torch.export.Dim.AUTO
    if isinstance(spec, dict):
        return {k: left_free(v) for k, v in spec.items()}
    if isinstance(spec, tuple) and hasattr(spec, "_fields"):
        return type(spec)(*map(left_free, spec))
    return type(spec)(map(left_free, spec)) if isinstance(spec, (list, tuple)) else spec


def unified(guard, called):
    """Gives axes that have the same requested symbol the same symbol in a condition."""
    first = {}
    for s in sorted(guard.free_symbols, key=str):
        axis = _axes_of.get(str(s), {})
        name = called.get((axis.get("path"), axis.get("axis")))
        if name:
            guard = guard.subs(s, first.setdefault(name, s))
    return guard


def sizes_beyond(dynamic):
    """Returns, for each condition of the capture on dynamic sizes, sizes that violate it, and its line."""
    out, seen, called = [], set(), {(d["path"], d["axis"]): d["symbol"] for d in dynamic}
    for guard, at in _guards:
        guard = unified(guard, called)
        names = list(guard.free_symbols)
        if not names or not is_of_axes(guard) or str(guard) in seen:
            continue
        seen.add(str(guard))
        beyond = sizes_that_break(guard, names)
        if beyond:
            out.append(dict(line_at(at[0], at[1]), asks=str(guard), sizes=[dict(_axes_of[str(s)], size=n) for s, n in beyond.items()], broken=all_that_break(guard, names)))
    return out


def all_that_break(guard, symbols):
    """Returns all combinations of sizes that violate a condition, among the sizes of generated inputs."""
    tried = [*range(1, 65), 127, 128, 129] if len(symbols) == 1 else range(1, 17)
    return [list(sizes) for sizes in itertools.product(tried, repeat=len(symbols)) if is_false(guard, dict(zip(symbols, sizes)))]


def is_false(guard, sizes):
    try:
        return guard.subs(sizes) == False  # noqa: E712  sympy has its own false
    except Exception:
        return False  # division by zero


# The input axis of each symbol of the capture, and its size in the example.
_axes_of = {}


def sizes_that_break(guard, symbols):
    """Returns sizes that violate a condition and differ from the example in one symbol, or None."""
    tried = [_axes_of[str(s)]["hint"] for s in symbols]
    for at, symbol in enumerate(symbols):
        for n in [*range(1, 300), 512, 513, 1024, 1025, 2048, 2049, 4096, 4097]:
            sizes = dict(zip(symbols, tried))
            sizes[symbol] = n
            if is_false(guard, sizes):
                return sizes
    return None
