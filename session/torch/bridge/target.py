import importlib, importlib.util

# Example has the arguments with which a model is called.
class Example:
    def __init__(self, args, kwargs):
        self.args, self.kwargs = tuple(args), dict(kwargs or {})


class Output:
    """A part of the model's result. Its type is "" if it is not a tensor."""

    def __init__(self, path, type, shape):
        self.path, self.type, self.shape = tuple(path), type, shape


class Target:
    """The model that the user named, and what is known about calling it."""

    def __init__(self):
        self.model = self.original = self.example = None
        self.input_names = self.output_names = self.dynamic_shapes = None
        self.dynamic = []  # dynamic axes of inputs by path, if there are no dynamic_shapes
        self.dynamic_outputs = []
        self.called = None  # the model and arguments that the old exporter traces
        self.kind = "module"
        self.fake, self.fakes = False, []  # parameters have no elements; the inputs in their place
        self.ranges = []  # of dynamic axes that do not allow every size
        self.outputs = []
        self.config, self.assumed = "", []
        self.whole = None  # runs all tokens without a cache, if a run with one takes one token
        self.caches = []  # paths of caches in the result
        self.records = False  # the result contains a dataclass

    @property
    def callable(self):
        return self.model.module() if self.kind == "program" else self.model


def load_target(name):
    stage("load")
    if name.endswith(".pt2"):
        say(phase="loading the exported program")
        return torch.export.load(name)
    if name.endswith((".pt", ".ts", ".torchscript")):
        say(phase="loading the ScriptModule")
        return torch.jit.load(name, map_location="cpu")
    where, _, attribute = name.rpartition(":")
    if not where or not attribute:
        raise Refused("%s: expected FILE.py:CALLABLE, module:callable, or a saved .pt2" % name)
    module = module_of(where)
    say(phase="making the model")
    found = module
    for part in attribute.split("."):
        if not hasattr(found, part):
            raise Refused("%s: there is no %s in it; there are %s" % (where, attribute, ", ".join(offers(module)) or "no callables"))
        found = getattr(found, part)
    return found


def offers(module):
    """Returns the callables of a module, for an error message."""
    own = [k for k, v in vars(module).items() if not k.startswith("_") and callable(v) and getattr(v, "__module__", None) == module.__name__]
    return own[:20]


def module_of(where):
    say(phase="importing %s" % where)
    if not where.endswith(".py"):
        if os.sep in where:
            raise Refused("%s: expected a FILE.py, or a module as Python imports it" % where)
        sys.path.insert(0, os.getcwd())
        return importlib.import_module(where)
    path = os.path.abspath(where)
    if not os.path.isfile(path):
        raise Refused("%s: no such file" % where)
    sys.argv = [path]
    name, folder = os.path.splitext(os.path.basename(path))[0], os.path.dirname(path)
    packages = []
    while os.path.isfile(os.path.join(folder, "__init__.py")):  # a file in a package may use relative imports
        packages.insert(0, os.path.basename(folder))
        folder = os.path.dirname(folder)
    sys.path.insert(0, os.path.dirname(path) if not packages else folder)
    sys.path.append(os.getcwd())
    if packages:
        return importlib.import_module(".".join([*packages, name]))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def is_program(v):
    return hasattr(torch, "export") and hasattr(torch.export, "ExportedProgram") and isinstance(v, torch.export.ExportedProgram)


def is_model(v):
    return isinstance(v, (torch.nn.Module, torch.jit.ScriptFunction)) or is_program(v)


def is_exportable(v):
    return callable(getattr(v, "forward", None)) and callable(getattr(v, "example_arguments", None))


def resolve(name):
    """Makes the target of a name: the value with this name, or what it returns if it is a function or class."""
    found = load_target(name)
    if isinstance(found, type) or callable(found) and not is_model(found) and not is_exportable(found):
        found = found()
    t = Target()
    if isinstance(found, tuple) and found and (is_model(found[0]) or is_exportable(found[0])):
        given = found[1:]
        found = found[0]
        if len(given) > 0:
            args = given[0] if isinstance(given[0], (tuple, list)) else (given[0],)
            t.example = Example(args, given[1] if len(given) > 1 else None)
    if not is_model(found) and not is_exportable(found):
        raise Refused(
            "%s is a %s, expected an nn.Module, an ExportedProgram, a ScriptModule or ScriptFunction, an object with forward and example_arguments, or what returns one"
            % (name, type(found).__name__)
        )
    return take(t, found)


def take(t, found):
    t.original = found
    if is_program(found):
        t.kind = "program"
        if found.example_inputs is not None:
            t.example = Example(*found.example_inputs)
    elif isinstance(found, (torch.jit.ScriptModule, torch.jit.ScriptFunction)):
        t.kind = "script"
    if is_exportable(found):
        t.kind = "exportable" if t.kind == "module" else t.kind
        args, kwargs = found.example_arguments()
        t.example = t.example or Example(args, kwargs)
        for name in ("input_names", "output_names", "dynamic_shapes"):
            ask_it = getattr(found, name, None)
            setattr(t, name, ask_it() if callable(ask_it) else None)
    t.model = found if is_model(found) else wrapped(found)
    return t


def wrapped(thing):
    """Wraps an object with forward as a module, with the modules that are its attributes."""

    class Wrapped(torch.nn.Module):
        def __init__(self):
            super().__init__()
            for k, v in vars(thing).items():
                if isinstance(v, torch.nn.Module):
                    setattr(self, k, v)

        def forward(self, *args, **kwargs):
            return thing.forward(*args, **kwargs)

    made = Wrapped()
    made.forward = thing.forward
    return made


def parameters_of(t):
    """Returns the signature of forward, a list of names for a script, or None if it is unknown."""
    try:
        forward = t.model.forward if isinstance(t.model, torch.nn.Module) else t.callable
        if isinstance(t.model, torch.jit.ScriptModule):
            return [a.name for a in t.model.forward.schema.arguments][1:]  # the first is self
        if isinstance(t.model, torch.jit.ScriptFunction):
            return [a.name for a in t.model.schema.arguments]
        return inspect.signature(forward)
    except (TypeError, ValueError, AttributeError, RuntimeError):
        return None


def arguments_of(t):
    """Returns the argument for each parameter of forward, by name and in order."""
    p, e = parameters_of(t), t.example
    if isinstance(p, inspect.Signature):
        return dict(p.bind_partial(*e.args, **e.kwargs).arguments)
    names = p or []
    out = {}
    for i, v in enumerate(e.args):
        out[names[i] if i < len(names) else "input_%d" % i] = v
    out.update(e.kwargs)
    return out


def refuse_incomplete(t):
    """Raises Refused if the example lacks an argument that forward requires."""
    p = parameters_of(t)
    if isinstance(p, inspect.Signature):
        given = arguments_of(t)
        for name, x in p.parameters.items():
            if x.default is x.empty and x.kind not in (x.VAR_POSITIONAL, x.VAR_KEYWORD) and name not in given:
                raise Refused("the model also needs %s: --input %s=f32[…]" % (name, name))


def call_with(t, arguments):
    """Returns (args, kwargs) for these arguments, each passed in the way in which the example passes it."""
    p = parameters_of(t)
    if isinstance(p, inspect.Signature):
        bound = inspect.BoundArguments(p, dict(arguments))
        args, kwargs = list(bound.args), dict(bound.kwargs)
        # Keyword arguments of the example stay keyword arguments: exporters distinguish the two.
        names = [n for n, x in p.parameters.items() if x.kind in (x.POSITIONAL_ONLY, x.POSITIONAL_OR_KEYWORD)]
        while len(args) > len(t.example.args) and len(args) <= len(names):
            kwargs[names[len(args) - 1]] = args[-1]
            args.pop()
        order = list(t.example.kwargs)
        return tuple(args), dict(sorted(kwargs.items(), key=lambda kv: order.index(kv[0]) if kv[0] in order else len(order)))
    n = len(t.example.args)
    values = list(arguments.items())
    return tuple(v for _, v in values[:n]), dict(values[n:])
