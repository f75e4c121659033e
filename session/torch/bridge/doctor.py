import importlib, importlib.metadata


def looked_at(name):
    """The version of a package and why it cannot be imported, as far as it is there."""
    found = {}
    try:
        found["version"] = importlib.metadata.version(name)
    except Exception:
        found["version"] = ""
    say(phase="importing %s" % name)
    try:
        module = importlib.import_module(name)
        if getattr(module, "__file__", None) is None:
            return None  # a folder of that name, and no package
        found["version"] = str(getattr(module, "__version__", "")) or found["version"]
    except ModuleNotFoundError as e:
        if e.name == name:
            return None
        found["error"] = "it wants %s, which is not there" % e.name
    except BaseException as e:
        found["error"] = "%s: %s" % (type(e).__name__, str(e)[:500])
    return found


def examine():
    packages = {name: looked_at(name) for name in ask["packages"]}
    arguments, devices = [], []
    if packages.get("torch") and not packages["torch"].get("error"):
        import inspect, torch

        try:
            arguments = list(inspect.signature(torch.onnx.export).parameters)
        except Exception:
            pass  # it has none that can be told
        if torch.cuda.is_available():
            devices = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
    return {
        "python": "%d.%d.%d" % sys.version_info[:3],
        "prefix": sys.prefix,
        "packages": {name: found for name, found in packages.items() if found},
        "arguments": arguments,
        "devices": devices,
    }


answer(examine)
