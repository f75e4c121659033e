import contextlib


def precisely(t, q):
    """Runs a copy of the model that has float64 parameters and computes in float64."""

    def call(fed):
        refuse_large(t)
        precise = t.callable.double()
        torch.set_default_dtype(torch.float64)  # for tensors that the code creates
        with widening():
            return run_eager(t, {path: widened(v) for path, v in fed.items()}, precise)[0]

    return told(t, q, call)


def widened(v):
    """Replaces narrower floating-point types by float64, in tensors and in arguments that are types."""
    if isinstance(v, torch.Tensor):
        wide = widened(v.dtype)
        return v if wide is v.dtype else v.to(wide)
    if isinstance(v, torch.dtype):
        if v in (torch.float32, torch.float16, torch.bfloat16):
            return torch.float64
        return torch.complex128 if v is torch.complex64 else v
    if type(v) in (list, tuple):
        return type(v)(widened(x) for x in v)
    return v


def widening():
    """Makes operators return float64 even if the code names another type."""
    try:
        from torch.utils._python_dispatch import TorchDispatchMode
    except ImportError:
        return contextlib.nullcontext()

    class Widening(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):
            return func(*widened(args), **{k: widened(v) for k, v in (kwargs or {}).items()})

    return Widening()


def refuse_large(t):
    """Raises Refused if there is too little memory for a float64 copy of the model."""
    wanted = sum(v.numel() * 8 for v in t.callable.state_dict().values())
    try:
        with open("/proc/meminfo") as f:
            free = int(re.search(r"MemAvailable: +(\d+)", f.read()).group(1)) * 1024
    except (OSError, AttributeError):
        return
    if wanted > free // 2:
        raise Refused("a copy of the model in float64 needs %d bytes, and %d are free" % (wanted, free))
