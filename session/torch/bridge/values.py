import copy, ctypes, dataclasses, inspect

# Tensors are exchanged as files with their elements, little endian. This needs only torch and
# supports every element type.
_TYPES = {
    "f64": "float64", "f32": "float32", "f16": "float16", "bf16": "bfloat16", "bool": "bool",
    "i64": "int64", "i32": "int32", "i16": "int16", "i8": "int8",
    "u64": "uint64", "u32": "uint32", "u16": "uint16", "u8": "uint8",
    "c64": "complex64", "c128": "complex128",
    "f8e4m3fn": "float8_e4m3fn", "f8e4m3fnuz": "float8_e4m3fnuz", "f8e5m2": "float8_e5m2", "f8e5m2fnuz": "float8_e5m2fnuz",
}
_NAMES = {}


class Refused(Exception):
    """A request cannot be fulfilled, for a reason that Lathe reports as one line."""


def dtype_of(name):
    dtype = getattr(torch, _TYPES.get(name, ""), None)
    if dtype is None:
        raise Refused("torch %s has no element type for %s" % (torch.__version__, name))
    return dtype


def name_of(dtype):
    if not _NAMES:
        _NAMES.update({getattr(torch, long): short for short, long in _TYPES.items() if hasattr(torch, long)})
    return _NAMES.get(dtype, str(dtype))


def read_tensor(v):
    with open(v["file"], "rb") as f:
        data = bytearray(f.read())
    if not data:
        return torch.empty(v["shape"], dtype=dtype_of(v["type"]))
    return torch.frombuffer(data, dtype=dtype_of(v["type"])).reshape(v["shape"])


def device_of(model):
    """Returns the device of a model's weights, or the CPU if they are on several."""
    found = {v.device for v in (*model.parameters(), *model.buffers())} if hasattr(model, "buffers") else set()
    return found.pop() if len(found) == 1 else torch.device("cpu")


def write_tensor(t, path):
    t = t.detach().cpu()
    if t.is_conj():
        t = t.resolve_conj()
    if t.layout != torch.strided:
        t = t.to_dense()
    t = t.contiguous()
    with open(path, "wb") as f:
        if t.numel():
            f.write((ctypes.c_char * (t.numel() * t.element_size())).from_address(t.data_ptr()))
    return {"type": name_of(t.dtype), "shape": list(t.shape), "file": path}


def is_record(value):
    return dataclasses.is_dataclass(value) and not isinstance(value, type)


def parts(value):
    """Returns the members of a container with their names, or None for any other value."""
    if is_cache(value):
        return list(cache_tree(value).items())
    if isinstance(value, dict):
        return [(str(k), v) for k, v in value.items()]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return list(zip(value._fields, value))
    if isinstance(value, (list, tuple)):
        return [(str(i), v) for i, v in enumerate(value)]
    if is_record(value):
        return [(f.name, getattr(value, f.name)) for f in dataclasses.fields(value) if hasattr(value, f.name)]
    return None


def rebuilt(value, path, change):
    """Returns a copy of a container in which each leaf is replaced by change(path, leaf)."""
    members = parts(value)
    if members is None:
        return change(path, value)
    new = [rebuilt(v, path + (k,), change) for k, v in members]
    if is_cache(value):
        return cache_like(value, {k: v for (k, _), v in zip(members, new)})
    if isinstance(value, dict):
        made = dict(zip(value.keys(), new))
        return made if type(value) is dict else _like(value, made)
    if is_record(value):
        made = copy.copy(value)
        for (name, _), v in zip(members, new):
            object.__setattr__(made, name, v)
        return made
    if hasattr(value, "_fields"):
        return type(value)(*new)
    return type(value)(new)


def _like(value, made):
    try:
        return type(value)(**made)
    except TypeError:
        return type(value)(made)


def leaves(value, path=()):
    members = parts(value)
    if members is None:
        yield path, value
        return
    for k, v in members:
        yield from leaves(v, path + (k,))


def is_tensor(v):
    return isinstance(v, torch.Tensor)


def dotted(path):
    return ".".join(path)
