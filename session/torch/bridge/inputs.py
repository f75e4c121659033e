def inputs_of(t):
    """Returns the arguments of forward with their paths: the tensors, and the other values."""
    tensors, constants = [], []
    for name, value in arguments_of(t).items():
        for path, leaf in leaves(value, (name,)):
            if is_tensor(leaf):
                tensors.append((dotted(path), leaf))
            elif leaf is not None:
                constants.append((dotted(path), leaf))
    return tensors, constants


def give(t, given):
    """Replaces tensors of the example. If there is none, makes an example of these tensors."""
    if not given:
        if t.example is None:
            p = parameters_of(t)
            asks = ", ".join(p.parameters if isinstance(p, inspect.Signature) else p or [])
            raise Refused("the model has no example arguments; it takes %s: give --input NAME=f32[1,3,224,224], or an object with example_arguments()" % (asks or "unknown inputs"))
        return
    values = {g["path"]: read_tensor(g) for g in given}
    if t.example is None:
        at = device_of(t.model)
        t.example = from_paths(t, {path: v.to(at) for path, v in values.items()})
        return
    known = {path for path, _ in inputs_of(t)[0]} | {path for path, _ in inputs_of(t)[1]}
    missing = [p for p in values if p not in known]
    if missing and t.kind != "program":
        t.example = grown(t, {p: values[p] for p in missing})
        known = {path for path, _ in inputs_of(t)[0]} | {path for path, _ in inputs_of(t)[1]}
        missing = [p for p in values if p not in known]
    if missing:
        raise Refused("the model takes no %s; it takes %s" % (", ".join(missing), ", ".join(sorted(known))))
    replace(t, lambda path, leaf: values[path].to(leaf.device) if path in values and is_tensor(leaf) else values.get(path, leaf))


def replace(t, change):
    arguments = {n: rebuilt(v, (n,), lambda p, leaf: change(dotted(p), leaf)) for n, v in arguments_of(t).items()}
    t.example = Example(*call_with(t, arguments))


def grown(t, more):
    """Returns the example with further arguments that had default values."""
    p = parameters_of(t)
    if not isinstance(p, inspect.Signature):
        return t.example
    kwargs = dict(t.example.kwargs)
    for path, value in more.items():
        if path in p.parameters and path not in arguments_of(t):
            kwargs[path] = value.to(device_of(t.model))
    return Example(t.example.args, kwargs)


def from_paths(t, values):
    """Makes an example from paths: a number is an index in a list, any other word a key."""
    tree = {}
    for path, value in values.items():
        words = path.split(".")
        at = tree
        for word in words[:-1]:
            at = at.setdefault(word, {})
            if not isinstance(at, dict):
                raise Refused("%s: the path before the last dot is a tensor already" % path)
        at[words[-1]] = value

    def settled(v):
        if not isinstance(v, dict):
            return v
        inner = {k: settled(x) for k, x in v.items()}
        if inner and all(k.isdigit() for k in inner):
            if sorted(map(int, inner)) != list(range(len(inner))):
                raise Refused("a list needs the indices 0 to %d, and has %s" % (len(inner) - 1, ", ".join(inner)))
            return [inner[str(i)] for i in range(len(inner))]
        return inner

    arguments = {k: settled(v) for k, v in tree.items()}
    p = parameters_of(t)
    if not isinstance(p, inspect.Signature):
        names = p or list(arguments)
        unknown = [k for k in arguments if k not in names]
        if unknown:
            raise Refused("the model takes no %s; it takes %s" % (", ".join(unknown), ", ".join(names)))
        return Example([arguments[n] for n in names if n in arguments], {})
    wild = any(x.kind == x.VAR_KEYWORD for x in p.parameters.values())
    for name in arguments:
        if name not in p.parameters and not wild:
            raise Refused("the model takes no %s; it takes %s" % (name, ", ".join(p.parameters)))
    args, kwargs, by_keyword = [], {}, False
    for name, x in p.parameters.items():
        if x.kind == x.VAR_POSITIONAL and name in arguments:
            args.extend(arguments[name])
        elif x.kind in (x.POSITIONAL_ONLY, x.POSITIONAL_OR_KEYWORD):
            if name in arguments and not by_keyword:
                args.append(arguments[name])
            elif name in arguments:
                kwargs[name] = arguments[name]
            elif x.default is x.empty:
                raise Refused("the model wants %s too: --input %s=f32[…]" % (name, name))
            else:
                by_keyword = True
        elif name in arguments and x.kind == x.KEYWORD_ONLY:
            kwargs[name] = arguments[name]
        elif x.kind == x.KEYWORD_ONLY and x.default is x.empty:
            raise Refused("the model wants %s too: --input %s=f32[…]" % (name, name))
    kwargs.update({k: v for k, v in arguments.items() if k not in p.parameters})
    return Example(args, kwargs)


def dynamic_of(t, shapes):
    """Converts dynamic_shapes of torch.export to a list of path, axis and symbol."""
    out = []
    arguments = arguments_of(t)
    if isinstance(shapes, (tuple, list)):
        shapes = dict(zip(arguments, shapes))

    def walk(value, spec, path):
        if spec is None:
            return
        if is_tensor(value):
            axes = spec.items() if isinstance(spec, dict) else enumerate(spec)
            for axis, dim in axes:
                if dim is None or isinstance(dim, int) or getattr(dim, "name", "") == "STATIC":
                    continue
                symbol = dim if isinstance(dim, str) else getattr(dim, "__name__", None)
                out.append({"path": dotted(path), "axis": int(axis), "symbol": symbol or "%s_dim_%d" % ("_".join(path), axis)})
            return
        members = parts(value)
        if members is None:
            return
        inner = spec if isinstance(spec, dict) else {str(i): s for i, s in enumerate(spec)}
        for k, v in members:
            walk(v, inner.get(k), path + (k,))

    for name, value in arguments.items():
        walk(value, (shapes or {}).get(name), (name,))
    return out


def axes_wanted(t):
    """Returns the axes that the target itself makes dynamic."""
    return t.dynamic or (dynamic_of(t, t.dynamic_shapes) if t.dynamic_shapes else [])


def shapes_for_export(t, dynamic):
    """Converts a list of path, axis and symbol to dynamic_shapes for torch.export."""
    axes = {}
    for d in dynamic:
        axes.setdefault(d["path"], {})[d["axis"]] = symbol_for_export(d["symbol"])

    def spec(value, path):
        if is_tensor(value):
            return axes.get(dotted(path)) or None
        members = parts(value)
        if members is None:
            return None
        if is_record(value) and not isinstance(value, dict):  # torch.export expects a list of the fields that are not None
            return [spec(v, path + (k,)) for k, v in members if v is not None]
        inner = [spec(v, path + (k,)) for k, v in members]
        if isinstance(value, dict):
            return dict(zip(value.keys(), inner))
        return type(value)(*inner) if hasattr(value, "_fields") else type(value)(inner)

    return {name: spec(value, (name,)) for name, value in arguments_of(t).items()}


_dims = {}


def symbol_for_export(symbol):
    # A sum of sizes is a name there, too.
    symbol = "_".join("plus" if word == "+" else word for word in symbol.split())
    # PyTorch 2.7 and later accept a string, and infer the bounds of its size.
    if version() >= (2, 7):
        return symbol
    if symbol not in _dims:
        # In some versions a slice requires that a size is below the largest integer.
        _dims[symbol] = torch.export.Dim(symbol, max=2**62)
    return _dims[symbol]


def version():
    return tuple(int("".join(c for c in part if c.isdigit()) or 0) for part in torch.__version__.split("+")[0].split(".")[:2])
