import contextlib, mmap


@contextlib.contextmanager
def without_weights():
    """Within this context, new parameters of modules have a type and a shape, but no elements."""
    if not has_new_exporter():
        raise Refused("--fake needs the exporter of PyTorch 2.5 or later, this is %s" % torch.__version__)
    from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

    mode = FakeTensorMode(allow_non_fake_inputs=True)
    here = torch.nn.Module
    register, apply, load, changed = here.register_parameter, here._apply, torch.load, {}

    def registered(self, name, param):
        register(self, name, param)
        hollow(mode, FakeTensor, self._parameters, name)

    def applied(self, fn, recurse=True):
        # half() and to() replace elements in place, which is not possible without elements.
        outer = not changed
        changed[None] = None
        for module in self.children() if recurse else ():
            module._apply(fn)
        for name, p in self._parameters.items():
            if p is not None and id(p) not in changed:
                with torch.no_grad():
                    made = torch.nn.Parameter(fn(p), requires_grad=p.requires_grad)
                changed[id(p)], changed[id(made)] = (p, made), (made, made)  # for modules that share the parameter
            self._parameters[name] = None if p is None else changed[id(p)][1]
        for name, buffer in self._buffers.items():
            self._buffers[name] = None if buffer is None else fn(buffer)
        if outer:
            changed.clear()
        return self

    def loaded(f, *args, **kwargs):
        if isinstance(f, (str, os.PathLike)) and kwargs.get("mmap") is None:
            with contextlib.suppress(RuntimeError):  # an old file that cannot be mapped
                return load(f, *args, **dict(kwargs, mmap=True))
        return load(f, *args, **kwargs)

    here.register_parameter, here._apply, torch.load = registered, applied, loaded
    try:
        yield lambda model: hollow_all(mode, FakeTensor, model)
    finally:
        here.register_parameter, here._apply, torch.load = register, apply, load


def hollow(mode, fake, parameters, name):
    p = parameters[name]
    if p is None or isinstance(p, fake) or torch.nn.parameter.is_lazy(p):
        return
    if not p.is_contiguous():
        p = p.contiguous()  # as in a file of weights
    made = mode.from_tensor(p.detach())
    parameters[name] = torch.nn.Parameter(made, requires_grad=p.requires_grad)


def hollow_all(mode, fake, model):
    """Removes the elements of parameters that were not set by register_parameter. Shared parameters stay shared."""
    done = {}
    for module in model.modules():
        for name, p in list(module._parameters.items()):
            if p is not None:
                if id(p) not in done:
                    hollow(mode, fake, module._parameters, name)
                    done[id(p)] = p, module._parameters[name]
                module._parameters[name] = done[id(p)][1]


def is_fake(v):
    return type(v).__name__ == "FakeTensor" or type(getattr(v, "data", None)).__name__ == "FakeTensor"


def state_of(t):
    """Returns the tensors of the state_dict, by name."""
    of = t.model if isinstance(t.model, torch.nn.Module) or t.kind == "program" else None
    found = getattr(of, "state_dict", None)
    found = found() if callable(found) else found
    return {name: v for name, v in (found or {}).items() if is_tensor(v)}


def optimize_without_weights(t, program, optimize):
    """Optimizes while all weights are inputs, so that none are folded or merged. Weights with elements become
    initializers again. Returns the others, which stay inputs."""
    graph, held, names, called = program.model.graph, {}, [], {}
    for module, key, name in fakes_of(t.model):
        called.setdefault(id(module._parameters[key]), []).append(name)
    state = state_of(t)
    for name, value in list(graph.initializers.items()):
        if name in state or is_fake(getattr(value.const_value, "raw", None)):
            del graph.initializers[name]
            held[name], value.const_value = value.const_value, None
            graph.inputs.append(value)
    if optimize:
        stage("optimize")
        program.optimize()
        graph = program.model.graph
    for value in [v for v in graph.inputs if v.name in held]:
        name = value.name
        if is_fake(getattr(held[name], "raw", None)):
            others = [list for list in called.values() if name in list]
            names.append({"name": name, "aliases": [n for n in others[0] if n != name] if others else []})
            continue
        graph.inputs.remove(value)
        if value.uses() or value in graph.outputs:
            value.const_value = held[name]
            graph.initializers[name] = value
    return names


def fakes_of(model):
    """Yields (module, key, name) of every parameter without elements, once for each of its names."""
    if not isinstance(model, torch.nn.Module):
        return
    for prefix, module in model.named_modules(remove_duplicate=False):
        for key, p in list(module._parameters.items()):
            if p is not None and is_fake(p):
                yield module, key, prefix + "." + key if prefix else key


def weigh(t, q):
    """Gives parameters without elements, and buffers, the elements in files. The files are mapped and not read."""
    given, placed, missing = {w["path"]: w for w in q["weights"]}, {}, []
    for module, key, name in fakes_of(t.model):
        p = module._parameters[key]
        places, real = placed.setdefault(id(p), ([], []))
        places.append((module, key, name))
        if name in given and not real:
            real.append(torch.nn.Parameter(mapped(given[name], p), requires_grad=False))
    for places, real in placed.values():
        if not real:
            missing.append(places[0][2])
        for module, key, _ in places:
            if real:
                setattr(module, key, real[0])
    for prefix, module in t.model.named_modules(remove_duplicate=False):
        for key, buffer in list(module._buffers.items()):
            name = prefix + "." + key if prefix else key
            if buffer is not None and name in given:
                module._buffers[key] = mapped(given[name], buffer)
    return {"missing": missing}


def mapped(w, like):
    dtype = dtype_of(w["type"])
    if dtype != like.dtype or list(like.shape) != w["shape"]:
        raise Refused("%s is %s %s in PyTorch, and %s %s in the model" % (w["path"], name_of(like.dtype), list(like.shape), w["type"], w["shape"]))
    if not like.numel():
        return torch.empty(w["shape"], dtype=dtype)
    with open(w["file"], "rb") as f:
        # Copy on write: code that changes its parameters does not change the file.
        data = mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_COPY)
    return torch.frombuffer(data, dtype=dtype, count=like.numel(), offset=w["offset"]).reshape(w["shape"])
