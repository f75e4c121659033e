# Two texts, because exporters treat a batch of one as a constant. Their lengths differ, so that
# the mask has an effect.
_TEXTS = ["test inputs", "a second, longer text to test with"]
_SAMPLES = 8000  # half a second of speech at the usual rate


def main_input(model):
    return getattr(model, "main_input_name", "input_ids")


def reads_of(model, reader, task):
    """Returns example inputs by name, each with the symbols of its dynamic axes."""
    kind = main_input(model)
    if kind == "pixel_values":
        return {kind: image_for(model, reader)}
    if kind in ("input_values", "input_features"):
        return {kind: sound_for(model, kind)}
    return texts_for(model, reader, task)


def texts_for(model, tokenizer, task):
    """Returns the tokenizer's results for two texts, or two pairs of texts, that are inputs of the model."""
    texts = [_TEXTS, _TEXTS[::-1]] if task == "cross-encoder" else [_TEXTS]
    try:
        made = dict(tokenizer(*texts, padding=True, return_tensors="pt"))
    except ValueError:  # it has no padding token
        made = dict(tokenizer(*[[x[0]] * 2 for x in texts], return_tensors="pt"))
    takes = inspect.signature(model.forward).parameters
    out = {n: made[n] for n in ("input_ids", "attention_mask", "token_type_ids") if n in made and n in takes}
    out.update((n, v) for n, v in made.items() if is_tensor(v) and n in takes and n not in out)
    if not out:
        raise Refused("the tokenizer returns %s, and %s takes %s" % (", ".join(made), type(model).__name__, ", ".join(takes)))
    return {n: (v, {0: "batch", 1: "sequence"}) for n, v in out.items()}


def image_for(model, processor):
    """Makes two images of the model's size. Height and width are dynamic if the model accepts other sizes and has no
    position embeddings, which exporters compute for the size of the example."""
    config = model.config
    channels = getattr(config, "num_channels", 3)
    height, width = size_of_images(config, processor)
    image = torch.randn(2, channels, height, width)
    other = torch.randn(2, channels, height + 32, width + 64)
    free = not any("position" in name for name in model.state_dict()) and apart(lambda: takes(model, pixel_values=other))
    return image, {0: "batch", 2: "height", 3: "width"} if free else {0: "batch"}


def asks_more_than_a_least(t):
    """Returns whether capture makes a size constant, or requires a condition that fails for some sizes at least as
    large as the example's."""
    found = beyond(t, {"dynamic": [], "lines": []})["beyond"]
    if any(type(g).__name__ == "Equality" and len(g.free_symbols) == 1 for g, _ in _guards):
        return True
    return any(all(n >= size["hint"] for n, size in zip(sizes, asked["sizes"])) for asked in found for sizes in asked["broken"])


def takes(model, **given):
    try:
        with torch.no_grad():
            model(**given)
        return True
    except (ValueError, RuntimeError):
        return False


def size_of_images(config, processor):
    """Returns the height and width of images from the configuration of the model or of its preprocessor."""
    sizes = [getattr(config, "image_size", None), *(getattr(processor, k, None) for k in ("crop_size", "size"))]
    folder = getattr(config, "_name_or_path", "") or ""
    if os.path.isfile(os.path.join(folder, "preprocessor_config.json")):
        told = read_json(folder, "preprocessor_config.json")
        sizes += [told.get("crop_size"), told.get("size")]
    for size in sizes:
        if isinstance(size, dict):
            size = [size.get("height") or size.get("shortest_edge"), size.get("width") or size.get("shortest_edge")]
        if isinstance(size, int):
            size = [size, size]
        if size and all(isinstance(n, int) for n in size):
            return size[0], size[1]
    return 224, 224


def sound_for(model, kind):
    """Makes two sounds: samples of any length, or spectra, which must have a fixed length for some models."""
    config = model.config
    has = lambda *names: all(isinstance(getattr(config, n, None), int) for n in names)
    if kind == "input_values" and has("max_length", "num_mel_bins"):
        return torch.randn(2, config.max_length, config.num_mel_bins), {0: "batch"}
    if kind == "input_values":
        return torch.randn(2, _SAMPLES), {0: "batch", 1: "sequence"}
    if has("num_mel_bins", "max_source_positions") and not has("input_feat_per_channel"):
        return torch.randn(2, config.num_mel_bins, 2 * config.max_source_positions), {0: "batch"}
    for width in ("input_feat_per_channel", "feature_projection_input_dim"):
        if has(width):
            return torch.randn(2, 100, getattr(config, width)), {0: "batch", 1: "sequence"}
    raise Refused("%s: the size of %s is not in its configuration; lathe torch export takes an example of your own" % (type(model).__name__, kind))


def decoder_reads(whole, read):
    """Returns the inputs of a decoder: its tokens, and the result of the encoder."""
    example = {n: v for n, (v, _) in read.items()}
    axes = next(iter(read.values()))[1]
    shape = apart(lambda: states_of(whole, example))
    start = getattr(whole.config, "decoder_start_token_id", None) or 0
    ids = torch.full((2, 3), start, dtype=torch.int64)
    ids[:, 1:] = torch.arange(4).reshape(2, 2) % max(whole.config.get_text_config(decoder=True).vocab_size, 1)
    out = {"input_ids": (ids, {0: "batch", 1: "decoder_sequence"})}
    lasting = {i: "encoder_sequence" if symbol == "sequence" else symbol for i, symbol in axes.items()}
    out["encoder_hidden_states"] = (torch.randn(shape), lasting)
    if "attention_mask" in example:
        out["encoder_attention_mask"] = (example["attention_mask"], lasting)
    return out


def states_of(whole, example):
    with torch.no_grad():
        return list(named_output(whole.get_encoder()(**example), "last_hidden_state", 0).shape)
