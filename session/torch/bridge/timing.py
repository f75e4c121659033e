import gc, time

_timed = {}


def bind(t, q):
    """Prepares timed runs: their arguments, device and threads. Returns the time of the first run."""
    fed = fit(t, {f["path"]: read_tensor(f) for f in q["feeds"]}, [])
    if q["threads"]:
        torch.set_num_threads(q["threads"])
    device, called = torch.device(q["device"]), t.callable
    if device.type == "cuda" and not torch.cuda.is_available():
        raise Refused("PyTorch %s in this Python has no CUDA device" % torch.__version__)
    if device.type != device_of(called).type:
        say(phase="bringing the model to %s" % device)
        called = called.to(device)
    arguments = {n: rebuilt(v, (n,), lambda p, leaf: fed.get(dotted(p), leaf)) for n, v in t.arguments.items()}
    arguments = {n: rebuilt(v, (n,), lambda p, leaf: leaf.to(device) if is_tensor(leaf) else leaf) for n, v in arguments.items()}
    args, kwargs = call_with(t, arguments)
    if q["compiled"]:
        if not hasattr(torch, "compile"):
            raise Refused("PyTorch %s has no torch.compile, which came with 2.0" % torch.__version__)
        say(phase="compiling the model")
        called = torch.compile(called)
    stage("forward")

    def once():
        with torch.inference_mode():
            called(*args, **kwargs)
        if device.type == "cuda":
            torch.cuda.synchronize(device)

    _timed["once"] = once
    start = time.perf_counter_ns()
    once()
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else ""
    return {"first_ns": time.perf_counter_ns() - start, "threads": torch.get_num_threads(), "device": name}


def block(t, q):
    """Measures consecutive runs until their number or the time is reached."""
    once, times, clock = _timed["once"], [], time.perf_counter_ns
    gc.collect()
    gc.disable()  # as timeit does, because a collection would be counted as time of the model
    try:
        start = before = clock()
        while len(times) < q["runs"]:
            once()
            now = clock()
            times.append(now - before)
            before = now
            if now - start >= q["ns"]:
                break
    finally:
        gc.enable()
    settle()
    return {"times_ns": times}


def settle():
    """Waits until PyTorch's threads no longer spin, so that they do not slow down the next measurement."""
    for _ in range(50):
        used = time.process_time()
        time.sleep(0.002)
        if time.process_time() - used < 0.0005:
            return


def used(t, q):
    return {"seconds": time.process_time()}
