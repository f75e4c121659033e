def output_names(t, given):
    """Returns the names of outputs: the given ones, else the keys of the result, else numbers."""
    paths = [o.path for o in t.outputs if o.type]
    if len(paths) == 1 and not paths[0]:
        own = ["output"]
    else:
        own = [cache_name(path, t.caches, "present") or ("_".join(path) if not path[0].isdigit() else "output_" + "_".join(path)) for path in paths]
    return named_fully(given or t.output_names or [], own)


def give_tensors(t):
    """Makes forward return only tensors, if its result has other values too or contains a dataclass."""
    if t.kind in ("program", "script") or all(o.type for o in t.outputs) and not t.records and not t.caches:
        return
    forward = t.model.forward
    kept = [o.path for o in t.outputs if o.type]

    @functools.wraps(forward)
    def tensors(*args, **kwargs):
        given = dict(leaves(forward(*args, **kwargs)))
        return tuple(given[path] for path in kept)

    t.model.forward = tensors


def named_fully(given, others):
    """Returns the given names, followed by the default names of the outputs without one."""
    return list(given) + [n for n in others[len(given) :]]


def has_new_exporter():
    return "dynamo" in inspect.signature(torch.onnx.export).parameters


def only_supported(options):
    """Returns the options that the installed exporter has, and the names of the others."""
    has = inspect.signature(torch.onnx.export).parameters
    taken = {k: v for k, v in options.items() if k in has}
    return taken, [k for k in options if k not in has]


def warm_up(q):
    """Imports the exporter once for all forks. It does not do so if there is a device, because the exporter would
    use the device here, and then forks could not."""
    if q["strategy"] == "legacy" or not has_new_exporter() or not can_fork() or devices():
        return
    if _apart.get("warm"):
        return
    _apart["warm"] = True
    say(phase="importing the exporter")
    with contextlib.suppress(Exception), quietly():
        torch.onnx.export(torch.nn.Identity(), (torch.zeros(2),), None, **only_supported({"dynamo": True, "verbose": False, "fallback": False})[0])


def capture_only(strict):
    """Limits the exporter to one way of capturing. Returns False if this version cannot be limited."""
    try:
        from torch.onnx._internal.exporter import _capture_strategies as c

        c.CAPTURE_STRATEGIES = (c.TorchExportStrictStrategy if strict else c.TorchExportNonStrictStrategy,)
        return True
    except (ImportError, AttributeError):
        return False


def export_new(t, q):
    give_plain(t)
    tensors, _ = inputs_of(t)
    strict = q["strategy"] == "strict"
    args, kwargs = copied(t.example.args, t.example.kwargs)
    model, shapes = t.model, None
    if t.kind != "program":
        shapes = shapes_for_export(t, q["dynamic"] or t.dynamic) if q["dynamic"] or t.dynamic else t.dynamic_shapes
        if not capture_only(strict) and strict:
            stage("capture")
            model = torch.export.export(model, args, kwargs, dynamic_shapes=shapes, strict=True)
    options = dict(q["options"])
    translations = {**stable_translations(), **quotient_translations(), **attention_translation(options.get("opset_version") or 0)}
    if q["translations"]:
        table = named_value(q["translations"], "translations")
        if not isinstance(table, dict):
            raise Refused("--translations %s: is a %s, expected a dictionary {torch.ops.NAMESPACE.OPERATOR.OVERLOAD: function}" % (q["translations"], type(table).__name__))
        translations.update(table)
    if q["translations"] or "custom_translation_table" in inspect.signature(torch.onnx.export).parameters:
        options["custom_translation_table"] = translations
    options.update(dynamo=True, dynamic_shapes=shapes, kwargs=kwargs, fallback=False, report=True, artifacts_dir=q["artifacts"])
    taken, without = only_supported(options)
    if taken.get("profile"):
        wants_package("pyinstrument", "--profile")
    if taken.get("verify"):
        wants_package("onnxruntime", "--verify")
    stage("export")
    if args and isinstance(args[-1], dict) and not kwargs:
        args = (*args, {})  # otherwise a dict at the end is taken for keyword arguments
    apart = t.fake or q["keep_weights"]
    if apart:
        taken["optimize"] = False  # weights without elements, or with others later, must not be folded
    register_records(t)
    give_tensors(t)
    program = torch.onnx.export(model, args, None, **taken)
    t.ranges = ranges_of(t, program)
    if apart:
        t.fakes = optimize_without_weights(t, program, q["options"].get("optimize", True))
    stage("save")
    say(phase="writing the model")
    program.save(q["path"], external_data=True)
    return without


def wants_package(name, option):
    """Raises Refused if an option needs a missing package. PyTorch would ignore the option, or fail late."""
    if importlib.util.find_spec(name) is None:
        raise Refused("%s needs the package %s: %s -m pip install %s" % (option, name, sys.executable, name))


def register_records(t):
    """Makes torch.export look for tensors inside the dataclasses in the model's arguments."""
    register = getattr(getattr(torch, "export", None), "register_dataclass", None)
    found = set()

    def look(value):
        if is_record(value) and not isinstance(value, dict):
            found.add(type(value))
        for _, v in parts(value) or ():
            look(v)

    look((t.example.args, t.example.kwargs))
    for kind in found:
        if register:
            with contextlib.suppress(ValueError):  # it is registered already
                register(kind)


def export_old(t, q):
    """Exports by tracing. The traced function takes a flat list of tensors."""
    tensors, _ = inputs_of(t)
    # Unusual names: if a weight or value had the same name, the exporter would change it.
    names = ["lathe_input_%d" % i for i in range(len(tensors))]
    outputs = ["lathe_output_%d" % i for i in range(sum(1 for o in t.outputs if o.type))]
    by_path = {path: name for (path, _), name in zip(tensors, names)}
    by_path.update(zip(output_names(t, q["output_names"]), outputs))
    dynamic = q["dynamic"] or axes_wanted(t)
    axes = {}
    for d in dynamic + (q["dynamic_outputs"] or t.dynamic_outputs):
        axes.setdefault(by_path.get(d["path"], d["path"]), {})[d["axis"]] = d["symbol"]
    options = dict(q["options"], input_names=names, output_names=outputs, dynamic_axes=axes or None, dynamo=False)
    if q["training"]:
        options.update(training=torch.onnx.TrainingMode.TRAINING, do_constant_folding=False, export_params=True)
    elif q["keep_weights"]:
        # In evaluation mode it would fold normalizations into convolutions.
        options.update(training=torch.onnx.TrainingMode.PRESERVE, do_constant_folding=False)
        keep_equal_weights()
    if q["symbolic"]:
        register = named_value(q["symbolic"], "symbolic")
        opsets = register() if callable(register) else register
        if isinstance(opsets, dict):
            options["custom_opsets"] = opsets
    options = {k: v for k, v in options.items() if v is not None}
    taken, without = only_supported(options)
    if "external_data" not in q["options"]:
        taken.pop("external_data", None)
    stage("export")
    model, args = t.called = flat_call(t)
    say(phase="tracing")
    for opset in newest_first(taken.get("opset_version")):
        try:
            torch.onnx.export(model, args, q["path"], **dict(taken, **({"opset_version": opset} if opset else {})))
            return without
        except Exception as e:
            if "opset_version" not in str(e) or opset is None or opset <= 17:
                raise


def keep_equal_weights():
    """Makes the old exporter merge parameters only if they are shared, not if they are merely equal."""
    deduplicate = getattr(torch._C, "_jit_pass_onnx_deduplicate_initializers", None)
    if deduplicate:
        # The argument True is training mode, in which it compares addresses.
        torch._C._jit_pass_onnx_deduplicate_initializers = lambda graph, parameters, _: deduplicate(graph, parameters, True)


def newest_first(opset):
    """Returns the requested opset, then older ones to try if the exporter does not know it; Lathe converts them."""
    return [opset] + [n for n in (23, 20, 17) if opset and n < opset]


def flat_call(t):
    """Returns the model and its arguments in a form that takes only tensors."""
    tensors, constants = inputs_of(t)
    if t.kind == "script":
        return t.model, tuple(v for _, v in tensors)
    if t.kind == "program":
        t.model = t.model.module()
    simple = not constants and all(o.type for o in t.outputs) and not t.records and not t.caches and not t.example.kwargs and all("." not in path for path, _ in tensors)
    if simple and all(len(o.path) < 2 for o in t.outputs):
        return t.model, copied(t.example.args, {})[0]
    forward = t.model.forward
    original = {n: v for n, v in arguments_of(t).items()}
    order = [path for path, _ in tensors]

    def flat(*values):
        by_path = dict(zip(order, values))
        arguments = {n: rebuilt(v, (n,), lambda p, leaf: by_path.get(dotted(p), leaf)) for n, v in original.items()}
        args, kwargs = call_with_signature(t, signature, arguments)
        return tuple(v for _, v in leaves(forward(*args, **kwargs)) if is_tensor(v))

    signature = parameters_of(t)
    t.model.forward = flat
    return t.model, tuple(v.clone() for _, v in tensors)


def call_with_signature(t, p, arguments):
    if isinstance(p, inspect.Signature):
        bound = inspect.BoundArguments(p, dict(arguments))
        return bound.args, bound.kwargs
    return tuple(arguments.values()), {}


def named_value(name, what):
    """Returns the value with this name in the file, from FILE.py:NAME."""
    where, _, attribute = name.rpartition(":")
    if not where:
        raise Refused("--%s %s: expected FILE.py:NAME" % (what, name))
    module = module_of(where)
    if not hasattr(module, attribute):
        raise Refused("--%s %s: there is no %s in it" % (what, name, attribute))
    return getattr(module, attribute)


def export(t, q):
    reset_peak()
    _steps.clear()
    os.makedirs(q["artifacts"], exist_ok=True)
    dynamic = q["dynamic"] or axes_wanted(t)
    try:
        with noting_guards():
            without = export_old(t, q) if q["strategy"] == "legacy" else export_new(t, q)
        made = {"without": without, "beyond": sizes_beyond(dynamic), "fakes": t.fakes, "ranges": t.ranges, "weights": list(state_of(t))}
    except Refused:
        raise
    except BaseException as e:
        made = {"failure": failure(e)}
        axes_by_size(t, dynamic)
        made["beyond"] = sizes_beyond(dynamic)
        frames = made["failure"]["chain"][0]["frames"]
        frames += traced_frames(t, str(e)) if q["strategy"] == "legacy" else guard_frames(made["failure"])
    reports = sorted(f for f in os.listdir(q["artifacts"]) if f.startswith("onnx_export_") and f.endswith(".md"))
    made["report"] = os.path.join(q["artifacts"], reports[-1]) if reports else ""
    made["peak_bytes"] = peak()
    return made


def traced_frames(t, message):
    """Returns the user's line that uses the operator for which the old exporter has no function."""
    named = re.search(r"operator '([^']+)'|unrecognized namespace ([\w:]+)", message)
    if not named or not t.called or isinstance(t.model, (torch.jit.ScriptModule, torch.jit.ScriptFunction)):
        return []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            graph = torch.jit.trace(*t.called, check_trace=False).inlined_graph
    except Exception:
        return []  # the line stays unknown
    for node in graph.findAllNodes(named.group(1) or named.group(2)):
        for file, line, function in re.findall(r"^(.+?)\((\d+)\): (\S+)$", node.sourceRange(), re.M):
            if is_users(file):
                code = linecache.getline(file, int(line)).strip()[:500]
                return [{"file": file, "line": int(line), "function": function, "code": code, "user": True}]
    return []


def reset_peak():
    try:
        with open("/proc/self/clear_refs", "w") as f:
            f.write("5")
    except OSError:
        pass  # then the peak includes everything before the export


def peak():
    try:
        with open("/proc/self/status") as f:
            for line in f:
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
    except OSError:
        pass
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
