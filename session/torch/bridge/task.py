import json

# What a task gives: the class of transformers that has it, the outputs by name, and the axes of
# each that are free behind the batch.
_TASKS = {
    "default": ("AutoModel", {"last_hidden_state": ["sequence"]}),
    "pooling": ("AutoModel", {"embeddings": []}),
    "question-answering": ("AutoModelForQuestionAnswering", {"start_logits": ["sequence"], "end_logits": ["sequence"]}),
    "text-classification": ("AutoModelForSequenceClassification", {"logits": []}),
    "zero-shot-classification": ("AutoModelForSequenceClassification", {"logits": []}),
}

# Two texts of different lengths, so that a mask masks something, and more than one of each, so
# that no exporter takes a size for a constant.
_TEXTS = ["test inputs", "a second, longer text to test with"]


def resolve_task(name, task, known):
    """The target of a task: a transformer from its folder, or the (model, tokenizer) that a callable returns."""
    os.environ["HF_HUB_OFFLINE"] = os.environ["TRANSFORMERS_OFFLINE"] = "1"
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    kind, outputs = _TASKS[task]
    t, missing = Target(), []
    if os.path.isdir(name):
        folder, after = sentence_folder(name) if task == "pooling" else (transformer_folder(name), None)
        model, tokenizer, missing = load_transformer(kind, folder)
    else:
        model, tokenizer = made_for_task(name)
        folder = str(getattr(model, "name_or_path", "") or "")
        after = sentence_folder(folder)[1] if task == "pooling" and os.path.isdir(folder) else None
    model.eval()
    if task == "pooling":
        after = after or [Pooling({"pooling_mode_mean_tokens": True})]
    example = example_of(model, tokenizer)
    t.original, t.model = model, task_module(model, list(example), list(outputs), after)
    t.example = Example((), example)
    t.input_names, t.output_names = list(example), list(outputs)
    batch, sequence = symbol_for_export("batch"), symbol_for_export("sequence")
    t.dynamic_shapes = {n: {0: batch, 1: sequence} for n in example}
    t.dynamic_outputs = [
        {"path": n, "axis": i, "symbol": symbol} for n, axes in outputs.items() for i, symbol in enumerate(["batch", *axes])
    ]
    refuse_untrained(t, model, missing, name, task, known)
    return t


def load_transformer(kind, folder):
    say(phase="importing transformers")
    import transformers

    say(phase="loading %s" % folder)
    auto = getattr(transformers, kind)
    dtype = "dtype" if tuple(int(x) for x in transformers.__version__.split(".")[:2] if x.isdigit()) >= (4, 56) else "torch_dtype"
    # Half precision is what weights are kept in; few of ONNX Runtime's kernels for the CPU compute in it.
    options = {dtype: torch.float32, "local_files_only": True, "output_loading_info": True}
    try:
        model, told = auto.from_pretrained(folder, **options)
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError) as e:
        raise Refused("%s: transformers cannot make a model and a tokenizer of it: %s" % (folder, str(e).split("\n")[0]))
    return model, tokenizer, sorted(told["missing_keys"])


def made_for_task(name):
    if name.rpartition(":")[0] == "":
        raise Refused("%s: no such folder; expected the folder of a model of transformers, or FILE.py:CALLABLE that returns (model, tokenizer)" % name)
    found = load_target(name)
    if callable(found) and not isinstance(found, torch.nn.Module):
        found = found()
    if not isinstance(found, tuple) or len(found) != 2 or not isinstance(found[0], torch.nn.Module) or not callable(found[1]):
        raise Refused("%s gives a %s, expected (model, tokenizer)" % (name, type(found).__name__))
    return found


def example_of(model, tokenizer):
    """What a tokenizer makes of two texts, as far as the model takes it."""
    stage("inputs")
    try:
        made = dict(tokenizer(_TEXTS, padding=True, return_tensors="pt"))
    except ValueError:  # nothing to pad with
        made = dict(tokenizer([_TEXTS[0]] * 2, return_tensors="pt"))
    takes = inspect.signature(model.forward).parameters
    out = {n: made[n] for n in ("input_ids", "attention_mask", "token_type_ids") if n in made and n in takes}
    out.update((n, v) for n, v in made.items() if is_tensor(v) and n in takes and n not in out)
    if "decoder_input_ids" in takes:
        raise Refused("%s has a decoder, and the tasks here are those of encoders; export it with lathe torch export and an example of your own" % type(model).__name__)
    if not out:
        raise Refused("the tokenizer gives %s, and %s takes %s" % (", ".join(made), type(model).__name__, ", ".join(takes)))
    return out


def task_module(model, inputs, outputs, after):
    """A module with a parameter for each input, so that exporters see their names."""

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
        raise Refused("pooling leaves out what the attention mask masks, and the tokenizer gives none")
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
        raise Refused("the model gives no %s, but %s" % (name, ", ".join(told.keys()) if hasattr(told, "keys") else type(told).__name__))
    return value


def refuse_untrained(t, model, missing, name, task, known):
    """transformers makes up the weights that a folder has not. No result may depend on them."""
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
        what = ", ".join(getattr(model.config, "architectures", None) or ["no architecture told"])
        raise Refused("%s has no weights for %s, on which %s depends: they would be random; the folder holds a %s" % (name, ", ".join(missing[:4]) + (" and more" if len(missing) > 4 else ""), task, what))


def read_json(*where):
    with open(os.path.join(*where), encoding="utf-8") as f:
        return json.load(f)


def modules_of(folder):
    """The modules that a folder of sentence-transformers lists; none where it is of transformers alone."""
    try:
        return read_json(folder, "modules.json")
    except FileNotFoundError:
        return []


def transformer_folder(folder):
    for m in modules_of(folder):
        if m["type"].rsplit(".", 1)[-1] == "Transformer":
            return os.path.join(folder, m["path"])
    return folder


def sentence_folder(folder):
    """The transformer of a folder, and what follows it there; None where the folder does not say."""
    after = []
    for m in modules_of(folder):
        kind, where = m["type"].rsplit(".", 1)[-1], os.path.join(folder, m["path"])
        if kind != "Transformer":
            if kind not in _MODULES:
                raise Refused("%s: modules.json asks for %s; known are Transformer, %s" % (folder, m["type"], ", ".join(sorted(_MODULES))))
            after.append(_MODULES[kind](where))
    return transformer_folder(folder), after or None


class Pooling:
    """One vector of those of all tokens, by the modes of a pooling configuration, one behind the other."""

    def __init__(self, config):
        modes = config.get("pooling_mode", [])
        asked = {modes} if isinstance(modes, str) else set(modes)
        asked |= {k[len("pooling_mode_") :].removesuffix("_tokens").removesuffix("_token") for k, on in config.items() if k.startswith("pooling_mode_") and on}
        self.modes = [m for m in ("cls", "max", "mean", "mean_sqrt_len", "weightedmean", "lasttoken") if m in asked]
        unknown = asked - set(self.modes)
        if unknown or not self.modes:
            raise Refused("pooling by %s is not known here" % (", ".join(sorted(unknown)) or "nothing"))

    def __call__(self, hidden, mask):
        return torch.cat([getattr(self, m)(hidden, mask.unsqueeze(-1).to(hidden.dtype)) for m in self.modes], 1)

    def cls(self, hidden, mask):
        return hidden[:, 0]

    def max(self, hidden, mask):
        return hidden.masked_fill(mask == 0, -1e9).max(1).values

    def mean(self, hidden, mask):
        return (hidden * mask).sum(1) / mask.sum(1).clamp(min=1e-9)

    def mean_sqrt_len(self, hidden, mask):
        return (hidden * mask).sum(1) / mask.sum(1).clamp(min=1e-9).sqrt()

    def weightedmean(self, hidden, mask):
        weight = mask * torch.ones_like(mask).cumsum(1)
        return (hidden * weight).sum(1) / weight.sum(1).clamp(min=1e-9)

    def lasttoken(self, hidden, mask):
        # The last place that the mask has, wherever the padding is: of equal numbers one stands for all.
        place = (mask * torch.ones_like(mask).cumsum(1)).argmax(1, keepdim=True).expand(-1, 1, hidden.shape[-1])
        return (hidden * mask).gather(1, place).squeeze(1)


def normalized(at):
    return torch.nn.functional.normalize(at, p=2.0, dim=1)


def pooling_in(folder):
    return Pooling(read_json(folder, "config.json"))


def dense_in(folder):
    config = read_json(folder, "config.json")
    made = torch.nn.Sequential(torch.nn.Linear(config["in_features"], config["out_features"], bias=config.get("bias", True)), activation_of(config.get("activation_function", "torch.nn.modules.linear.Identity"), folder))
    made[0].load_state_dict({k.removeprefix("linear."): v for k, v in state_in(folder).items()})
    return made


def layer_norm_in(folder):
    made = torch.nn.LayerNorm(read_json(folder, "config.json")["dimension"])
    made.load_state_dict({k.removeprefix("norm."): v for k, v in state_in(folder).items()})
    return made


def activation_of(name, folder):
    made = getattr(torch.nn, name.rsplit(".", 1)[-1], None)
    if not name.startswith("torch.nn.") or not isinstance(made, type) or not issubclass(made, torch.nn.Module):
        raise Refused("%s: activation function %s is none of torch.nn" % (folder, name))
    return made()


def state_in(folder):
    path = os.path.join(folder, "model.safetensors")
    if os.path.isfile(path):
        from safetensors.torch import load_file

        return load_file(path)
    return torch.load(os.path.join(folder, "pytorch_model.bin"), map_location="cpu", weights_only=True)


_MODULES = {"Pooling": pooling_in, "Normalize": lambda _: normalized, "Dense": dense_in, "LayerNorm": layer_norm_in}
