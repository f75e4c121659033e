import faulthandler

_here = {}


def versions():
    found = {"python": "%d.%d.%d" % sys.version_info[:3], "torch": torch.__version__}
    import importlib.metadata

    for name in ("onnx", "onnxscript", "onnxruntime", "transformers"):
        try:
            found[name] = importlib.metadata.version(name)
        except Exception:
            pass  # it is not installed
    return found


def make_target(q):
    if q["task"].replace(_NO_PAST, "") in _GENERATION:
        return resolve_generation(q["target"], q["task"], q["known"])
    if q["task"]:
        return resolve_task(q["target"], q["task"], q["known"])
    if not q["fake"]:
        return resolve(q["target"])
    with without_weights() as take_out:
        t = resolve(q["target"])
        if t.kind in ("program", "script"):
            raise Refused("--fake needs the code of an nn.Module, and a %s has its weights already" % t.kind)
        take_out(t.model)
    t.fake = True
    return t


def open_target(q):
    say(phase="importing torch")
    count_devices_apart()
    global torch
    import torch

    if q["known"]:
        _apart["can"] = False  # an earlier child found that out
    hold_threads()
    logging.getLogger("torch.onnx").addHandler(_logger)
    # Weights that are not loaded are then the same in every child.
    torch.manual_seed(0)
    t = make_target(q)
    stage("inputs")
    for g in q["given"]:
        g["path"] = g["path"] or "0"
    give(t, q["given"] or (q["otherwise"] if t.example is None else []))
    trains = bool(getattr(t.model, "training", False)) if t.kind != "program" else False
    if q["training"] and t.kind in ("program", "script"):
        raise Refused("--training needs an nn.Module; this is a program that was made from one")
    if isinstance(t.model, torch.nn.Module) and t.kind != "program":
        t.model.train(q["training"])
    refuse_incomplete(t)
    tensors, constants = inputs_of(t)
    assumed = settle_axes(t)
    t.arguments = arguments_of(t)
    stage("forward")
    say(phase="running the model in PyTorch")
    ran = q["known"] or apart(lambda: first_run(t))
    t.outputs, t.records, t.caches = [Output(**o) for o in ran["outputs"]], ran["records"], ran["result_caches"]
    _here["t"] = t
    return {
        "versions": versions(),
        "spent": not can_fork(),
        "kind": t.kind,
        "class": type(t.original).__name__,
        "new_exporter": has_new_exporter(),
        "trained": trains,
        "inputs": [{"path": path, "type": name_of(v.dtype), "shape": list(v.shape)} for path, v in tensors],
        "constants": [{"path": path, "value": repr(v)[:200]} for path, v in constants],
        "outputs": [{"path": dotted(o.path), "type": o.type, "shape": o.shape} for o in t.outputs if o.type],
        "other_outputs": [dotted(o.path) for o in t.outputs if not o.type],
        "output_names": output_names(t, q["output_names"]) or [],
        "input_names": own_input_names(t, q["input_names"] or t.input_names or []),
        "changes": ran["changes"],
        "caches": ran["caches"],
        "written": ran["written"],
        "known": ran,
        "assumed": t.assumed,
        "cache_axes": assumed,
        "one_token": t.whole is not None,
        "config": t.config,
        "dynamic": axes_wanted(t),
        "parameters": sum(p.numel() for p in t.model.parameters()) if isinstance(t.model, torch.nn.Module) else 0,
    }


# _APART are questions that each get a fork of their own. _LASTING change the process: they are
# sent to a fork that goes on running.
_APART = {"export": export, "run": run, "precisely": precisely, "example": example, "state": state, "held": held, "modules": modules, "flip": flip, "beyond": beyond, "whole": whole}
_LASTING = {"bind": bind, "block": block, "used": used, "weigh": weigh, "slow": slow}


def question(q):
    """Answers a question to this process, or passes it to a fork that was started before."""
    fork, q = q["fork"], q["question"]
    if fork in _forks:
        return asked_of(fork, q)
    if q["do"] == "fork":
        return answered(lambda: begin(fork))
    if q["do"] == "open":
        return answered(lambda: open_target(q))
    if q["do"] in _LASTING:
        return answered(lambda: _LASTING[q["do"]](_here["t"], q))
    if q["do"] == "export":
        warm_up(q)
    return answered(lambda: apart(lambda: _APART[q["do"]](_here["t"], q)))


def begin(name):
    """Starts a fork that answers several questions and keeps their changes."""
    _forks[name] = Fork(question)
    return {}


def asked_of(name, q):
    if q["do"] == "leave":
        _forks.pop(name).close()
        return {"result": {}}
    try:
        return _forks[name].ask({"fork": "", "question": q})
    except Gone as e:
        del _forks[name]
        return {"gone": e.told}


faulthandler.enable()
if ask["memory"]:
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (ask["memory"], ask["memory"]))
torch = None
answer_each(question)
