# Models that generate, with the cache of a run as an input and an output. Names are those of optimum.
_GENERATION = ("text-generation", "text2text-encoder", "text2text-decoder", "text2text-decoder-with-past")
_NO_PAST = "-no-past"
_PAST = 5  # positions in the cache of the example
_NEW = 3  # and new ones; each size occurs once, so that an exporter keeps them apart


def resolve_generation(name, task, known):
    """Makes the target of a task that generates with a cache."""
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    t = Target()
    task, with_past = (task[: -len(_NO_PAST)], False) if task.endswith(_NO_PAST) else (task, True)
    kinds = ("AutoModelForCausalLM",) if task == "text-generation" else ("AutoModelForSeq2SeqLM", "AutoModelForSpeechSeq2Seq")
    if os.path.isdir(name):
        whole, missing = load_transformer(kinds, name)
    else:
        (whole, _), missing = made_for_task(name, False), []
    whole.eval()
    computed = compute_plainly(whole)
    if with_past:
        refuse_old(whole)
    stage("inputs")
    if task == "text-generation":
        refuse_encoder(whole, False)
        example, axes, call = generation_inputs(whole, t) if with_past else whole_inputs(whole)
    else:
        refuse_encoder(whole, True)
        example, axes, call = encoder_inputs(whole) if task == "text2text-encoder" else decoder_inputs(whole, t, task, with_past)
    t.config = whole.config.to_json_string() if hasattr(whole.config, "to_json_string") else ""
    t.assumed = computed + (assumed_of(whole) if with_past and task != "text2text-encoder" else [])
    t.original, t.model = whole, cached_module(whole, list(example), call)
    t.example = Example((), example)
    t.dynamic = [{"path": path, "axis": axis, "symbol": s} for path, of in axes.items() for axis, s in of.items()]
    refuse_untrained(t, whole, missing, name, task, known)
    return t


def refuse_old(whole):
    import transformers

    if not hasattr(transformers.cache_utils.Cache, "layers") and not hasattr(transformers.DynamicCache(), "layers"):
        raise Refused("transformers %s: the cache as an input needs transformers 4.54 or later; --no-past exports without a cache" % transformers.__version__)


# What transformers can compute in several ways: the attribute of the configuration, the method that chooses, the way that
# exporters can write, and what is said about it. Exporters decompose PyTorch's fused attention, which fails for some models
# with dynamic sizes, and have no function for a product of groups.
_WAYS = (
    ("_attn_implementation", "set_attn_implementation", "eager", "attention is computed by products and a softmax (attn_implementation=%r instead of %r of transformers)"),
    ("_experts_implementation", "set_experts_implementation", "batched_mm", "the weights of the chosen experts are gathered for each token (experts_implementation=%r instead of %r of transformers), which needs much memory for long prompts"),
)


def compute_plainly(whole):
    """Makes a model compute in ways that exporters can write. Returns what the report says about that."""
    said = []
    for attribute, setter, way, words in _WAYS:
        how = getattr(text_config(whole), attribute, None)
        if how in (None, way) or not hasattr(whole, setter):
            continue
        with contextlib.suppress(ValueError, NotImplementedError, AttributeError):  # the model has no such way
            getattr(whole, setter)(way)
            if setter != "set_experts_implementation" or any("experts" in name for name, _ in whole.named_modules()):
                said.append(words % (way, how) + ", with the same results within rounding")
    return said


def text_config(whole):
    return whole.config.get_text_config(decoder=True)


def some_ids(whole, n):
    """Returns token ids that differ between the two sequences and from position to position."""
    most = max(int(getattr(text_config(whole), "vocab_size", 0) or 0), 2)
    return torch.arange(2 * n).reshape(2, n) * 7 % most


def cache_parameter(whole):
    takes = inspect.signature(whole.forward).parameters
    found = next((n for n in ("past_key_values", "cache_params") if n in takes), None)
    if not found:
        raise Refused("%s takes no cache (past_key_values or cache_params); --no-past exports without one" % type(whole).__name__)
    if found == "cache_params" and not cache_class("LinearAttentionLayer"):
        raise Refused("%s: transformers %s keeps its states in a cache of its own, which cannot be an input; transformers 5 has them in a DynamicCache; --no-past exports without a cache" % (type(whole).__name__, transformers_version()))
    return found


def full_cache(whole):
    import transformers

    return transformers.DynamicCache(config=text_config(whole))


def new_cache(whole):
    """Returns an empty cache. Layers with a window keep all positions, and the mask hides those outside of it."""
    made = full_cache(whole)
    made.layers = [layer_like(layer, {}) for layer in made.layers]
    return made


def shapes_in(cache):
    return [[list(path), list(v.shape), name_of(v.dtype)] for path, v in leaves(cache) if is_tensor(v)]


def filled_cache(make, run):
    """Returns the cache that make returns, with random numbers in the sizes that a run gives it. The run is done in a fork."""
    made = apart(lambda: shapes_in(run(make())))
    tree = {}
    for path, shape, kind in made:
        at = tree
        for k in path[:-1]:
            at = at.setdefault(k, {})
        at[path[-1]] = torch.randn(shape, dtype=dtype_of(kind))
    return filled_from(make(), tree)


def filled_from(cache, tree):
    if isinstance(cache, cache_class("EncoderDecoderCache")):
        split = lambda part: {n: parts[part] for n, parts in tree.items()}
        return type(cache)(filled_from(cache.self_attention_cache, split("decoder")), filled_from(cache.cross_attention_cache, split("encoder")))
    while len(cache.layers) < len(tree):
        cache.layers.append(cache_class("DynamicLayer")())
    for i, layer in enumerate(cache.layers):
        tensors = tree.get(str(i), {})
        if "key" in tensors:
            layer.keys, layer.values, layer.is_initialized = tensors["key"], tensors["value"], True
            layer.dtype, layer.device = layer.keys.dtype, layer.keys.device
        for name, flag in (("conv_state", "is_conv_states_initialized"), ("recurrent_state", "is_recurrent_states_initialized")):
            for n in getattr(layer, name + "s", None) or {}:
                v = tensors.get(name + ("_%d" % n if n else ""))
                if v is not None:
                    getattr(layer, name + "s")[n], getattr(layer, flag)[n] = v, True
                    layer.has_previous_state[n], layer.dtype, layer.device = True, v.dtype, v.device
                    if name == "conv_state":
                        layer.conv_kernel_size[n] = v.shape[-1]
    return cache


def is_recurrent(cache):
    return any(getattr(layer, "conv_states", None) is not None for layer in cache.layers)


def generation_inputs(whole, t):
    """Returns the inputs of a decoder with their axes, and how it is called."""
    takes, past = inspect.signature(whole.forward).parameters, cache_parameter(whole)

    def run(cache):
        with torch.no_grad():
            ids = some_ids(whole, _PAST)
            return getattr(whole(**{"input_ids": ids, "attention_mask": torch.ones_like(ids), past: cache, "use_cache": True}), past)

    cache = filled_cache(lambda: new_cache(whole), run)
    recurrent = is_recurrent(cache)
    new = 1 if recurrent else _NEW  # in later runs such a model takes one token
    ids = some_ids(whole, new)
    example, axes = {"input_ids": ids}, {"input_ids": {0: "batch", **({} if recurrent else {1: "sequence"})}}
    keys = [path for path, v in leaves(cache) if is_tensor(v) and path[-1] == "key"]
    if "attention_mask" in takes and (keys or not recurrent):
        example["attention_mask"] = torch.ones(2, _PAST + new, dtype=torch.int64)
        axes["attention_mask"] = {0: "batch", 1: TOTAL if not recurrent else "past_sequence + 1"}
    if "position_ids" in takes:
        example["position_ids"] = torch.arange(_PAST, _PAST + new).repeat(2, 1)
        axes["position_ids"] = {0: "batch", **({} if recurrent else {1: "sequence"})}
    example["past_key_values"] = cache
    for path, v in leaves(cache):
        if is_tensor(v):
            axes[".".join(("past_key_values",) + path)] = {0: "batch", **({2: "past_sequence"} if path[-1] in ("key", "value") else {})}

    def call(fed):
        fed = dict(fed)
        fed[past] = fed.pop("past_key_values")
        return result(whole(**fed, use_cache=True))

    def result(told):
        return {"logits": told.logits, "past_key_values": getattr(told, past)}

    if recurrent:
        t.whole = lambda fed: result(whole(**{"input_ids": fed["input_ids"], past: new_cache(whole), "use_cache": True}))
    return example, axes, call


def assumed_of(whole):
    """Returns what is assumed of the cache, for the report."""
    windows = sorted({layer.sliding_window for layer in full_cache(whole).layers if hasattr(layer, "sliding_window")})
    return ["layers with a window of %s keep all positions in the cache, and the mask hides those outside of it" % ", ".join(map(str, windows))] if windows else []


def whole_inputs(whole):
    """Returns the inputs of a decoder that reads all tokens in every run."""
    takes = inspect.signature(whole.forward).parameters
    ids = some_ids(whole, _PAST)
    example, axes = {"input_ids": ids}, {"input_ids": {0: "batch", 1: "sequence"}}
    for name, value in (("attention_mask", torch.ones_like(ids)), ("position_ids", torch.arange(_PAST).repeat(2, 1))):
        if name in takes:
            example[name], axes[name] = value, {0: "batch", 1: "sequence"}
    return example, axes, lambda fed: {"logits": whole(**fed, use_cache=False).logits}


def encoder_inputs(whole):
    """Returns the inputs of an encoder. It needs no tokenizer."""
    kind = main_input(whole)
    if kind != "input_ids":
        value, of = sound_for(whole, kind)
        example, axes = {kind: value}, {kind: of}
    else:
        ids = some_ids(whole, 7)
        example = {"input_ids": ids, "attention_mask": torch.ones_like(ids)}
        axes = {n: {0: "batch", 1: "sequence"} for n in example}
    return example, axes, lambda fed: {"last_hidden_state": named_output(whole.get_encoder()(**fed), "last_hidden_state", 0)}


def refuse_encoder(whole, wanted):
    has = bool(getattr(whole.config, "is_encoder_decoder", False))
    if wanted and not has:
        raise Refused("%s has no decoder beside an encoder: text2text-generation needs a model with both; text-generation exports a decoder" % type(whole).__name__)
    if has and not wanted:
        raise Refused("%s has an encoder beside its decoder: text2text-generation exports both" % type(whole).__name__)


def decoder_inputs(whole, t, task, with_past):
    """Returns the inputs of the decoder of an encoder-decoder with their axes, and how it is called."""
    import transformers

    states, mask, encoder_axes = encoded_states(whole)
    later = task == "text2text-decoder-with-past"
    takes = inspect.signature(whole.forward).parameters
    make = lambda: transformers.EncoderDecoderCache(transformers.DynamicCache(), transformers.DynamicCache())

    def forward(ids, states, mask, cache, past):
        given = {"decoder_input_ids": ids, "encoder_outputs": (states,), "past_key_values": cache, "use_cache": cache is not None}
        if mask is not None:
            given["attention_mask"] = mask
        if "decoder_attention_mask" in takes:
            # Without a mask, transformers uses a faster path that depends on sizes.
            given["decoder_attention_mask"] = torch.ones(ids.shape[0], past + ids.shape[1], dtype=torch.int64)
        return whole(**given)

    example, axes = {"input_ids": some_ids(whole, _NEW)}, {"input_ids": {0: "batch", 1: "decoder_sequence"}}
    if mask is not None:
        example["encoder_attention_mask"], axes["encoder_attention_mask"] = mask, encoder_axes
    width = states.shape[-1]
    if not later:
        example["encoder_hidden_states"], axes["encoder_hidden_states"] = states, encoder_axes

        def first(fed):
            told = forward(fed["input_ids"], fed["encoder_hidden_states"], fed.get("encoder_attention_mask"), make() if with_past else None, 0)
            if not with_past:
                return {"logits": told.logits}
            return {"logits": told.logits, "past_key_values": told.past_key_values}

        return example, axes, first

    def run(cache):
        with torch.no_grad():
            return forward(some_ids(whole, _PAST), states, mask, cache, 0).past_key_values

    cache = example["past_key_values"] = filled_cache(make, run)
    for path, v in leaves(cache):
        length = {2: "past_sequence"} if path[-2] == "decoder" else {2: encoder_axes[1]} if 1 in encoder_axes else {}
        axes[".".join(("past_key_values",) + path)] = {0: "batch", **length}

    def next_one(fed):
        cache = fed["past_key_values"]
        keys = cache.cross_attention_cache.layers[0].keys
        # Only the size of the encoder's states is read: their keys and values are in the cache.
        states = keys.new_zeros((keys.shape[0], keys.shape[2], width))
        past = cache.self_attention_cache.layers[0].keys.shape[2]
        told = forward(fed["input_ids"], states, fed.get("encoder_attention_mask"), cache, past)
        own = {n: {"decoder": layer["decoder"]} for n, layer in cache_tree(told.past_key_values).items()}
        return {"logits": told.logits, "present": own}

    t.output_names = ["logits"] + ["present.%s.decoder.%s" % (n, what) for n in cache_tree(cache) for what in ("key", "value")]
    return example, axes, next_one


def encoded_states(whole):
    """Returns random states of the encoder, a mask for text, and their axes."""
    kind = main_input(whole)
    if kind == "input_ids":
        ids = some_ids(whole, 7)
        mask = torch.ones_like(ids)
        given, axes = {"input_ids": ids, "attention_mask": mask}, {0: "batch", 1: "encoder_sequence"}
    else:
        sound, of = sound_for(whole, kind)
        given, mask = {kind: sound}, None
        axes = {0: "batch", **({1: "encoder_sequence"} if 1 in of else {})}
    return torch.randn(apart(lambda: states_of(whole, given))), mask, axes


def cached_module(whole, inputs, call):
    """Wraps a model so that forward has a parameter for each input."""

    class Generation(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = whole

        def give(self, fed):
            return call(fed)

    made = {}
    exec("def forward(self, %s):\n    return self.give({%s})" % (", ".join(inputs), ", ".join("%r: %s" % (n, n) for n in inputs)), made)
    Generation.forward = made["forward"]
    return Generation().eval()
