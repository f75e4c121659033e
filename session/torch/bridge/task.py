# For each task: the classes of transformers, in the order in which they are tried, the exported part of the
# model, and the outputs with their dynamic axes after the batch.
_TASKS = {
    "default": (("AutoModel",), "encoder", {"last_hidden_state": ["sequence"]}),
    "pooling": (("AutoModel",), "encoder", {"embeddings": []}),
    "question-answering": (("AutoModelForQuestionAnswering",), "model", {"start_logits": ["sequence"], "end_logits": ["sequence"]}),
    "text-classification": (("AutoModelForSequenceClassification",), "model", {"logits": []}),
    "zero-shot-classification": (("AutoModelForSequenceClassification",), "model", {"logits": []}),
    "cross-encoder": (("AutoModelForSequenceClassification",), "model", {"logits": []}),
    "token-classification": (("AutoModelForTokenClassification",), "model", {"logits": ["sequence"]}),
    "fill-mask": (("AutoModelForMaskedLM",), "model", {"logits": ["sequence"]}),
    "seq2seq-encoder": (("AutoModelForSeq2SeqLM", "AutoModelForSpeechSeq2Seq"), "encoder", {"last_hidden_state": ["sequence"]}),
    "seq2seq-decoder": (("AutoModelForSeq2SeqLM", "AutoModelForSpeechSeq2Seq"), "decoder", {"logits": ["decoder_sequence"]}),
    "image-classification": (("AutoModelForImageClassification",), "model", {"logits": []}),
    "audio-classification": (("AutoModelForAudioClassification",), "model", {"logits": []}),
}


def resolve_task(name, task, known):
    """Makes the target of a task: a transformer from a folder, or the (model, tokenizer) that a callable returns."""
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    kinds, part, outputs = _TASKS[task]
    t, missing, after = Target(), [], None
    if os.path.isdir(name):
        folder = transformer_folder(name)
        whole, missing = load_transformer(kinds, folder)
        reader = load_reader(whole, folder)
    else:
        whole, reader = made_for_task(name)
        folder = str(getattr(whole, "name_or_path", "") or "")
    if task == "pooling":
        after = os.path.isdir(folder) and sentence_folder(name if os.path.isdir(name) else folder)[1] or [Pooling({"pooling_mode_mean_tokens": True})]
    whole.eval()
    if hasattr(whole, "config"):
        whole.config.use_cache = False  # the result must not contain a cache
    model = part_of(whole, part, task)
    stage("inputs")
    made = reads_of(whole, reader, task)
    if part == "decoder":
        made = decoder_reads(whole, made)
    example = {n: v for n, (v, _) in made.items()}
    t.original, t.model = model, task_module(model, list(example), list(outputs), after)
    t.example = Example((), example)
    t.input_names, t.output_names = list(example), list(outputs)
    t.dynamic_shapes = {n: {i: symbol_for_export(symbol) for i, symbol in axes.items()} for n, (_, axes) in made.items()}
    if any("height" in axes.values() for _, axes in made.values()) and apart(lambda: asks_more_than_a_least(t)):
        t.dynamic_shapes = {n: {0: axes[0]} for n, axes in t.dynamic_shapes.items()}
    free = {symbol for _, axes in made.values() for symbol in axes.values()}
    t.dynamic_outputs = [
        {"path": n, "axis": i, "symbol": symbol} for n, axes in outputs.items() for i, symbol in enumerate(["batch", *axes]) if symbol in free
    ]
    refuse_untrained(t, whole, missing, name, task, known)
    return t


def load_transformer(kinds, folder):
    """Loads a transformer by the first class that accepts its configuration. Also returns its missing weights."""
    say(phase="importing transformers")
    import transformers

    say(phase="loading %s" % folder)
    dtype = "dtype" if tuple(int(x) for x in transformers.__version__.split(".")[:2] if x.isdigit()) >= (4, 56) else "torch_dtype"
    # Weights may be stored in half precision, for which ONNX Runtime has few CPU kernels.
    options = {dtype: torch.float32, "local_files_only": True, "output_loading_info": True}
    for kind in kinds:
        try:
            model, told = getattr(transformers, kind).from_pretrained(folder, **options)
            return model, sorted(told["missing_keys"])
        except (OSError, ValueError) as e:
            if "Unrecognized configuration class" not in str(e):
                raise Refused("%s: transformers cannot load a model from it: %s" % (folder, str(e).split("\n")[0]))
    held = ", ".join(read_json(folder, "config.json").get("architectures") or ["model without a name"])
    raise Refused("%s: the folder has a %s, and transformers has no %s for that" % (folder, held, " or ".join(kinds)))


def load_reader(model, folder):
    """Loads the tokenizer of a model that reads text. Other models get random numbers."""
    if main_input(model) != "input_ids":
        return None
    import transformers

    try:
        return transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError) as e:
        raise Refused("%s: transformers cannot load a tokenizer from it: %s" % (folder, str(e).split("\n")[0]))


def made_for_task(name, reads=True):
    if name.rpartition(":")[0] == "":
        raise Refused("%s: no such folder; expected the folder of a model of transformers, or FILE.py:CALLABLE that returns (model, tokenizer)" % name)
    found = load_target(name)
    if callable(found) and not isinstance(found, torch.nn.Module):
        found = found()
    if isinstance(found, torch.nn.Module) and (main_input(found) != "input_ids" or not reads):
        found = found, None
    if not isinstance(found, tuple) or len(found) != 2 or not isinstance(found[0], torch.nn.Module):
        raise Refused("%s returns a %s, expected (model, tokenizer)" % (name, type(found).__name__))
    if reads and main_input(found[0]) == "input_ids" and not callable(found[1]):
        raise Refused("%s returns a model and a %s, expected (model, tokenizer)" % (name, type(found[1]).__name__))
    return found


def part_of(whole, part, task):
    """Returns the part of a model to export. If it has an encoder and a decoder, hidden states are the encoder's."""
    has_decoder = bool(getattr(getattr(whole, "config", None), "is_encoder_decoder", False))
    if part == "model" or part == "encoder" and not has_decoder and not task.startswith("seq2seq"):
        return whole
    if not has_decoder:
        raise Refused("%s has no decoder: %s needs a model with an encoder and a decoder" % (type(whole).__name__, task))
    return whole.get_encoder() if part == "encoder" else decoder_of(whole)


def decoder_of(whole):
    """Wraps the decoder without a cache. It takes the encoder's result as an input."""

    class Decoder(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.whole = whole

        def forward(self, input_ids, encoder_hidden_states, encoder_attention_mask=None):
            masked = {} if encoder_attention_mask is None else {"attention_mask": encoder_attention_mask}
            if "decoder_attention_mask" in inspect.signature(self.whole.forward).parameters:
                # Without a mask, transformers uses a faster path that depends on sizes.
                masked["decoder_attention_mask"] = torch.ones_like(input_ids)
            return self.whole(encoder_outputs=(encoder_hidden_states,), decoder_input_ids=input_ids, use_cache=False, **masked)

    return Decoder()


def task_module(model, inputs, outputs, after):
    """Wraps a model so that forward has a parameter for each input, because exporters use these names."""

    class Task(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = model
            self.after = torch.nn.ModuleList(m for m in after or [] if isinstance(m, torch.nn.Module))

        def give(self, fed):
            told = self.model(**fed)
            if after is None:
                got = tuple(named_output(told, n, i) for i, n in enumerate(outputs))
                return got if len(got) > 1 else got[0]
            at = named_output(told, "last_hidden_state", 0)
            for step in after:
                at = step(at, fed["attention_mask"]) if isinstance(step, Pooling) else step(at)
            return at

    made = {}
    exec("def forward(self, %s):\n    return self.give({%s})" % (", ".join(inputs), ", ".join("%r: %s" % (n, n) for n in inputs)), made)
    Task.forward = made["forward"]
    if after is not None and "attention_mask" not in inputs:
        raise Refused("pooling needs an attention mask, and the tokenizer returns none")
    return Task().eval()


def named_output(told, name, at):
    if is_tensor(told):
        return told
    value = getattr(told, name, None)
    if value is None and isinstance(told, dict):
        value = told.get(name)
    if value is None and isinstance(told, tuple) and not hasattr(told, "_fields") and at < len(told):
        value = told[at]
    if not is_tensor(value):
        raise Refused("the model returns no %s, but %s" % (name, ", ".join(told.keys()) if hasattr(told, "keys") else type(told).__name__))
    return value


def refuse_untrained(t, model, missing, name, task, known):
    """Raises Refused if results depend on weights that the folder lacks, which transformers sets at random."""
    held = model.state_dict(keep_vars=True)
    made_up = [held[n] for n in missing if n in held and held[n].is_floating_point()]
    if not made_up:
        return
    stage("forward")
    t.arguments = arguments_of(t)

    def depends():
        before, _ = run_eager(t)
        with torch.no_grad():
            for v in made_up:
                v.add_(torch.rand_like(v))
        return any(not torch.equal(a, b) for (_, a), (_, b) in zip(before, run_eager(t)[0]))

    if not known and apart(depends):
        what = ", ".join(getattr(model.config, "architectures", None) or ["model without an architecture"])
        raise Refused("%s has no weights for %s, on which %s depends: they would be random; the folder has a %s" % (name, ", ".join(missing[:4]) + (" and more" if len(missing) > 4 else ""), task, what))
