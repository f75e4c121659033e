# Caches of transformers are objects. Exporters take and return tensors, so a cache is seen here as nested dictionaries:
# by layer, then "key" and "value", and of an encoder and a decoder "decoder" and "encoder" between the two.


def cache_class(name):
    return getattr(sys.modules.get("transformers.cache_utils"), name, ())


def is_cache(value):
    if isinstance(value, cache_class("Cache")) or isinstance(value, cache_class("EncoderDecoderCache")):
        return True
    kind = type(value)  # before transformers 5 some models had caches of their own, such as MambaCache
    return kind.__name__.endswith("Cache") and kind.__module__.startswith("transformers.")


def cache_tree(cache):
    """Returns the tensors of a cache by layer."""
    if isinstance(cache, cache_class("EncoderDecoderCache")):
        own, other = cache_tree(cache.self_attention_cache), cache_tree(cache.cross_attention_cache)
        return {n: {part: tree[n] for part, tree in (("decoder", own), ("encoder", other)) if n in tree} for n in sorted({**own, **other}, key=int)}
    if hasattr(cache, "layers"):  # since transformers 4.54
        return {str(i): layer_tree(layer) for i, layer in enumerate(cache.layers)}
    if hasattr(cache, "key_cache"):
        return {str(i): {"key": k, "value": v} for i, (k, v) in enumerate(zip(cache.key_cache, cache.value_cache)) if is_tensor(k)}
    raise Refused("%s: transformers %s keeps its tensors in a form that is not known here; a DynamicCache is" % (type(cache).__name__, transformers_version()))


def layer_tree(layer):
    out = {}
    if is_tensor(getattr(layer, "keys", None)):
        out.update(key=layer.keys, value=layer.values)
    for name, states in (("conv_state", getattr(layer, "conv_states", None)), ("recurrent_state", getattr(layer, "recurrent_states", None))):
        for i, v in enumerate(states.values() if isinstance(states, dict) else [states]):
            if is_tensor(v):
                out[name + ("_%d" % i if i else "")] = v
    return out


def cache_like(cache, tree):
    """Returns a cache of the same kind with other tensors. The original stays unchanged."""
    refuse_cache(cache)
    if isinstance(cache, cache_class("EncoderDecoderCache")):
        split = lambda part: {n: parts[part] for n, parts in tree.items() if part in parts}
        own, other = cache_like(cache.self_attention_cache, split("decoder")), cache_like(cache.cross_attention_cache, split("encoder"))
        return type(cache)(own, other)
    made = copy.copy(cache)
    if not hasattr(cache, "layers"):
        made.key_cache, made.value_cache = [v["key"] for v in tree.values()], [v["value"] for v in tree.values()]
        made._seen_tokens = made.key_cache[0].shape[-2] if made.key_cache else 0
        return made
    made.layers = [layer_like(layer, tree.get(str(i), {})) for i, layer in enumerate(cache.layers)]
    return made


def layer_like(layer, tensors):
    """Returns a layer with other tensors. A layer of a window becomes one that keeps all positions: the mask hides those
    that left the window, and the number of positions is the size of the tensors, not a number beside them."""
    if type(layer) is cache_class("DynamicSlidingWindowLayer"):
        made = cache_class("DynamicLayer")()
        made.is_initialized = layer.is_initialized
        if made.is_initialized:
            made.device = layer.device
    else:
        made = copy.copy(layer)
    if "key" in tensors:
        made.keys, made.values = tensors["key"], tensors["value"]
        made.dtype = made.keys.dtype
    for name in ("conv_state", "recurrent_state"):
        states = getattr(layer, name + "s", None)
        if isinstance(states, dict):
            setattr(made, name + "s", {i: tensors.get(name + ("_%d" % i if i else ""), v) for i, v in states.items()})
            for flags in ("has_previous_state", "is_conv_states_initialized", "is_recurrent_states_initialized"):
                setattr(made, flags, dict(getattr(layer, flags)))
    return made


def refuse_cache(cache):
    """Raises Refused for a cache whose content is not only its tensors, or whose size does not follow from them."""
    name = type(cache).__name__
    if isinstance(cache, cache_class("EncoderDecoderCache")):
        return
    for layer in getattr(cache, "layers", []):
        kind = type(layer).__name__
        if "Static" in kind or hasattr(layer, "max_cache_len"):
            raise Refused("%s: has room for a fixed number of positions and counts by itself where the next one is written, so that it cannot be an input; give a DynamicCache" % name)
        if "Quant" in kind or "Indexed" in kind:
            raise Refused("%s: its %s has more than keys and values, which cannot be inputs; give a DynamicCache" % (name, kind))
        if type(layer) is cache_class("DynamicSlidingWindowLayer") and is_tensor(layer.keys) and layer.cumulative_length != layer.keys.shape[-2]:
            raise Refused("%s: it has dropped positions that left its window of %d; give an example with fewer positions" % (name, layer.sliding_window))
    if not hasattr(cache, "layers") and name not in ("DynamicCache", "Cache"):
        raise Refused("%s of transformers %s: only a DynamicCache can be an input there" % (name, transformers_version()))


def transformers_version():
    import transformers

    return transformers.__version__


def holds_cache(value):
    return is_cache(value) or any(holds_cache(v) for _, v in parts(value) or ())


def caches_in(value, path=()):
    """Returns the paths of the caches in a value."""
    if is_cache(value):
        return [path]
    return [found for k, v in parts(value) or () for found in caches_in(v, path + (k,))]


def cache_name(path, caches, word):
    """Returns the name of a tensor of a cache as optimum has it, such as present.0.key, or "" for other tensors."""
    for at in caches:
        if tuple(path[: len(at)]) == tuple(at) and len(path) > len(at):
            return ".".join([word if len(caches) == 1 else ".".join(at), *path[len(at) :]])
    return ""


def own_input_names(t, given):
    """Returns names of all inputs if some are caches, which are called past_key_values.0.key and so on."""
    caches = [at for n, v in arguments_of(t).items() for at in caches_in(v, (n,))]
    if not caches:
        return list(given)
    names = [cache_name(path.split("."), caches, "past_key_values") or path.replace(".", "_") for path, _ in inputs_of(t)[0]]
    return named_fully(given, names)


def give_plain(t):
    """Makes forward take dictionaries in place of caches, because exporters look for tensors only in those."""
    caches = {n: v for n, v in arguments_of(t).items() if holds_cache(v)}
    if not caches:
        return
    forward, signature = t.model.forward, inspect.signature(t.model.forward)

    @functools.wraps(forward)
    def plain(*args, **kwargs):
        bound = signature.bind_partial(*args, **kwargs)
        for name, like in caches.items():
            given = dict(leaves(bound.arguments[name]))
            bound.arguments[name] = rebuilt(like, (), lambda path, leaf: given.get(path, leaf))
        return forward(*bound.args, **bound.kwargs)

    arguments = {n: plainly(v) for n, v in arguments_of(t).items()}
    t.example = Example(*call_with(t, arguments))
    t.model.forward = plain


def plainly(value):
    """Returns a value with nested dictionaries of tensors in place of caches."""
    if is_cache(value):
        return plainly(cache_tree(value))
    if type(value) is dict:
        return {k: plainly(v) for k, v in value.items()}
    if type(value) in (list, tuple):
        return type(value)(plainly(v) for v in value)
    return value
