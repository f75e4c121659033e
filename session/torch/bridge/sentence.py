import json


def read_json(*where):
    with open(os.path.join(*where), encoding="utf-8") as f:
        return json.load(f)


def modules_of(folder):
    """Returns the modules that a folder of sentence-transformers lists, or none for a folder of transformers."""
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
    """Returns the folder of the transformer, and the modules after it, or None if none are listed."""
    after = []
    for m in modules_of(folder):
        kind, where = m["type"].rsplit(".", 1)[-1], os.path.join(folder, m["path"])
        if kind != "Transformer":
            if kind not in _MODULES:
                raise Refused("%s: modules.json asks for %s; supported are Transformer, %s" % (folder, m["type"], ", ".join(sorted(_MODULES))))
            after.append(_MODULES[kind](where))
    return transformer_folder(folder), after or None


class Pooling:
    """Combines the vectors of all tokens to one, for each configured mode, and concatenates the results."""

    def __init__(self, config):
        modes = config.get("pooling_mode", [])
        asked = {modes} if isinstance(modes, str) else set(modes)
        asked |= {k[len("pooling_mode_") :].removesuffix("_tokens").removesuffix("_token") for k, on in config.items() if k.startswith("pooling_mode_") and on}
        self.modes = [m for m in ("cls", "max", "mean", "mean_sqrt_len", "weightedmean", "lasttoken") if m in asked]
        unknown = asked - set(self.modes)
        if unknown or not self.modes:
            raise Refused("pooling by %s is not supported" % (", ".join(sorted(unknown)) or "nothing"))

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
        # The last position that is not masked, whether padding is before or after the text.
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
        raise Refused("%s: activation function %s is not in torch.nn" % (folder, name))
    return made()


def state_in(folder):
    path = os.path.join(folder, "model.safetensors")
    if os.path.isfile(path):
        from safetensors.torch import load_file

        return load_file(path)
    return torch.load(os.path.join(folder, "pytorch_model.bin"), map_location="cpu", weights_only=True)


_MODULES = {"Pooling": pooling_in, "Normalize": lambda _: normalized, "Dense": dense_in, "LayerNorm": layer_norm_in}
