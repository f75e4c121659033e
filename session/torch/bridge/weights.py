import json, struct

_SAFETENSORS = {
    "float64": "F64", "float32": "F32", "float16": "F16", "bfloat16": "BF16", "bool": "BOOL", "complex64": "C64",
    "int64": "I64", "int32": "I32", "int16": "I16", "int8": "I8", "uint64": "U64", "uint32": "U32", "uint16": "U16", "uint8": "U8",
    "float8_e4m3fn": "F8_E4M3", "float8_e5m2": "F8_E5M2",
}


def refuse(why):
    say(refused=why)
    os._exit(0)


def loaded(torch):
    say(phase="reading %s" % ask["file"])
    try:
        # weights_only creates only tensors and plain containers, so no code in the file runs.
        return torch.load(ask["file"], map_location="cpu", weights_only=True)
    except TypeError:
        refuse("torch %s cannot read weights without running the code in a file; 1.13 and later can" % torch.__version__)
    except Exception as e:
        if type(e).__name__ != "UnpicklingError":
            refuse("%s: cannot be read by torch %s: %s: %s" % (ask["file"], torch.__version__, type(e).__name__, str(e).split("\n")[0][:300]))
        refuse("%s: contains more than tensors, for example a whole model, and Lathe runs no code in a file; save model.state_dict() instead" % ask["file"])


def tensors_in(torch, found):
    """Returns the state dict in a file: the whole file, or one of its entries, with the key of that."""

    def is_state(v):
        return isinstance(v, dict) and v and all(isinstance(x, torch.Tensor) for x in v.values())

    if is_state(found):
        return found, ""
    if not isinstance(found, dict):
        refuse("%s: contains a %s, expected a dictionary of tensors" % (ask["file"], type(found).__name__))
    inner = {k: v for k, v in found.items() if is_state(v)}
    for key in ("state_dict", "model_state_dict", "model", "module"):
        if key in inner:
            return inner[key], key
    if len(inner) == 1:
        return next(iter(inner.values())), next(iter(inner))
    refuse("%s: contains %s, and it is not clear which of them has the weights; save model.state_dict() alone" % (ask["file"], ", ".join(map(repr, list(found)[:10]))))


def write():
    say(phase="importing torch")
    import ctypes, torch

    state, key = tensors_in(torch, loaded(torch))
    header, at, skipped = {}, 0, []
    for name, t in state.items():
        kind = _SAFETENSORS.get(str(t.dtype).replace("torch.", ""))
        if kind is None or t.layout != torch.strided:
            skipped.append(str(name))
            continue
        n = t.numel() * t.element_size()
        header[str(name)] = {"dtype": kind, "shape": list(t.shape), "data_offsets": [at, at + n]}
        at += n
    text = json.dumps(header).encode()
    say(phase="writing the tensors")
    with open(ask["to"], "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text)
        for name, t in state.items():
            if str(name) in header and t.numel():
                t = t.detach().contiguous()
                f.write((ctypes.c_char * (t.numel() * t.element_size())).from_address(t.data_ptr()))
    return {"version": torch.__version__, "key": key, "skipped": skipped}


answer(write)
