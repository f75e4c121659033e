import faulthandler

_here = {}


def versions():
    found = {"python": "%d.%d.%d" % sys.version_info[:3], "torch": torch.__version__}
    import importlib.metadata

    for name in ("onnx", "onnxscript", "onnxruntime", "transformers"):
        try:
            found[name] = importlib.metadata.version(name)
        except Exception:
            pass  # it is not there
    return found


def make_target(q):
    if q["task"]:
        return resolve_task(q["target"], q["task"])
    if not q["fake"]:
        return resolve(q["target"])
    with without_weights() as take_out:
        t = resolve(q["target"])
        if t.kind in ("program", "script"):
            raise Refused("--fake wants the code of an nn.Module, and a %s has its weights already" % t.kind)
        take_out(t.model)
    t.fake = True
    return t


def open_target(q):
    t = make_target(q)
    stage("inputs")
    for g in q["given"]:
        g["path"] = g["path"] or "0"
    give(t, q["given"] or (q["otherwise"] if t.example is None else []))
    trains = bool(getattr(t.model, "training", False)) if t.kind != "program" else False
    if isinstance(t.model, torch.nn.Module) and not q["training"] and t.kind != "program":
        t.model.eval()
    if q["training"] and t.kind in ("program", "script"):
        raise Refused("--training wants an nn.Module, and this is no more than what was made of one")
    refuse_incomplete(t)
    tensors, constants = inputs_of(t)
    t.arguments = arguments_of(t)
    stage("forward")
    say(phase="running the model in PyTorch")
    t.outputs = run_eager(t)
    leave_harmless(t)
    _here["t"] = t
    return {
        "versions": versions(),
        "kind": t.kind,
        "class": type(t.original).__name__,
        "new_exporter": has_new_exporter(),
        "trained": trains,
        "inputs": [{"path": path, "type": name_of(v.dtype), "shape": list(v.shape)} for path, v in tensors],
        "constants": [{"path": path, "value": repr(v)[:200]} for path, v in constants],
        "outputs": [{"path": dotted(path), "type": name_of(v.dtype), "shape": list(v.shape)} for path, v in t.outputs if is_tensor(v)],
        "other_outputs": [dotted(path) for path, v in t.outputs if not is_tensor(v)],
        "output_names": output_names(t, q["output_names"]) or [],
        "input_names": list(q["input_names"] or t.input_names or []),
        "changes": sorted(t.changes),
        "dynamic": dynamic_of(t, t.dynamic_shapes) if t.dynamic_shapes else [],
        "parameters": sum(p.numel() for p in t.model.parameters()) if isinstance(t.model, torch.nn.Module) else 0,
    }


def question(q):
    global torch
    try:
        if "t" not in _here and q["do"] == "open":
            say(phase="importing torch")
            import torch

            logging.getLogger("torch.onnx").addHandler(_logger)
            # Weights that nobody loads are the same in every child that makes the model.
            torch.manual_seed(0)
            return open_target(q)
        return {"export": export, "run": run, "precisely": precisely, "example": example, "parameters": parameters, "bind": bind, "block": block, "modules": modules, "used": used, "weigh": weigh}[q["do"]](_here["t"], q)
    except Refused as e:
        return {"refused": str(e)}
    except BaseException as e:
        return {"failure": dict(failure(e), versions=versions() if torch is not None else {})}




faulthandler.enable()
if ask["memory"]:
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (ask["memory"], ask["memory"]))
torch = None
answer_each(question)
