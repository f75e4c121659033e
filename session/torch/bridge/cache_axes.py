# The axes of the inputs of a model with a cache, if nobody says which are dynamic.


def fitting_axes(t):
    """Returns dynamic_shapes for a model with a cache, and which axes of the example stay fixed because their size is 1."""
    arguments = arguments_of(t)
    caches = [at for n, v in arguments.items() for at in caches_in(v, (n,))]
    tensors = [(tuple(path.split(".")), v) for path, v in inputs_of(t)[0]]
    own = [v for path, v in tensors if in_cache(path, caches) == "own"]
    ids = next((v for path, v in tensors if path[-1] in ("input_ids", "decoder_input_ids", "inputs_embeds") and not in_cache(path, caches)), None)
    if not own or ids is None or ids.dim() < 2:
        return None, []
    sizes = {"batch": ids.shape[0], "sequence": ids.shape[1], "past_sequence": own[0].shape[-2]}
    axes, fixed = {}, []
    for path, v in tensors:
        for axis, symbol in axes_of_input(path, v, sizes, caches).items():
            if v.shape[axis] > 1:
                axes.setdefault(".".join(path), {})[axis] = symbol
            else:
                fixed.append("%s:%d=%s" % (".".join(path), axis, symbol))
    return axes, fixed


def in_cache(path, caches):
    """Returns "own" or "cross" for keys and values, "state" for other tensors of a cache, and "" for other inputs."""
    if not any(path[: len(at)] == at for at in caches):
        return ""
    if path[-1] not in ("key", "value"):
        return "state"
    return "cross" if path[-2] == "encoder" else "own"


def axes_of_input(path, v, sizes, caches):
    kind, total = in_cache(path, caches), sizes["past_sequence"] + sizes["sequence"]
    if kind:
        return {0: "batch", **({v.dim() - 2: "past_sequence"} if kind == "own" else {v.dim() - 2: "encoder_sequence"} if kind == "cross" else {})}
    if path[-1].startswith("encoder_"):
        return {0: "batch", 1: "encoder_sequence"} if v.dim() > 1 else {}
    if v.dim() == 1:
        return {0: "sequence"} if v.shape[0] == sizes["sequence"] and "position" in path[-1] else {}
    if v.dim() == 0 or v.shape[0] != sizes["batch"]:
        return {}
    if "mask" in path[-1] and v.dim() == 2 and v.shape[1] == total:
        return {0: "batch", 1: TOTAL}
    return {0: "batch", 1: "sequence"} if v.shape[1] == sizes["sequence"] else {0: "batch"}


# The size of a mask, which counts the positions in the cache and the new ones.
TOTAL = "past_sequence + sequence"


def settle_axes(t):
    """Makes the axes of a model with a cache dynamic, unless the target says which are. Returns what that assumes."""
    if t.dynamic or t.dynamic_shapes or t.kind in ("program", "script") or not any(holds_cache(v) for v in arguments_of(t).values()):
        return []
    axes, fixed = fitting_axes(t)
    if not axes:
        return []
    t.dynamic = [{"path": path, "axis": axis, "symbol": symbol} for path, of in axes.items() for axis, symbol in of.items()]
    told = ["the axes of a cache and of what goes with it are dynamic (%s); --dynamic says otherwise" % ", ".join(sorted({s for of in axes.values() for s in of.values()}))]
    if fixed:
        told.append("%s: stays fixed, because the example has size 1 there" % ", ".join(fixed))
    return told
