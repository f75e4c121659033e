import gc, time

_timed = {}


def bind(t, q):
    """Fixes what timed runs are called with, and how the model is run; gives the time of the first run."""
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
    """The times of runs, one behind the other, until there are so many or the time is over."""
    once, times, clock = _timed["once"], [], time.perf_counter_ns
    gc.collect()
    gc.disable()  # as timeit does: when it would come is no property of the model
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
    """Waits until the threads of PyTorch no longer spin: what runs next has the processors to itself."""
    for _ in range(50):
        used = time.process_time()
        time.sleep(0.002)
        if time.process_time() - used < 0.0005:
            return


def used(t, q):
    return {"seconds": time.process_time()}
