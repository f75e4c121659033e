import concurrent.futures, importlib, importlib.metadata

torch = None


def looked_at(name):
    """Returns the version of a package and why it cannot be imported, or None if it is not installed."""
    found = {}
    try:
        found["version"] = importlib.metadata.version(name)
    except Exception:
        found["version"] = ""
    say(phase="importing %s" % name)
    try:
        module = importlib.import_module(name)
        if getattr(module, "__file__", None) is None:
            return None  # a folder with this name that is not a package
        found["version"] = str(getattr(module, "__version__", "")) or found["version"]
    except ModuleNotFoundError as e:
        if e.name == name:
            return None
        found["error"] = "it needs %s, which is not installed" % e.name
    except BaseException as e:
        found["error"] = "%s: %s" % (type(e).__name__, str(e)[:500])
    return found



def known_of(name):
    found = looked_at(name)
    if name == "torch" and found and not found.get("error"):
        found.update(exporter_and_devices())
    return found


def exporter_and_devices():
    import inspect, torch

    found = {"arguments": [], "devices": []}
    try:
        found["arguments"] = list(inspect.signature(torch.onnx.export).parameters)
    except Exception:
        pass  # it has no signature
    if torch.cuda.is_available():
        found["devices"] = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
    return found


def asked(fork):
    try:
        return fork.ask(None)
    except Gone as e:
        return {"version": "", "error": "importing it ends Python, %s" % e}
    finally:
        fork.close()


def examine():
    """Imports each package in its own fork, all at the same time, so that a package that ends Python does not affect the others."""
    names = ask["packages"]
    if hasattr(os, "fork"):
        forks = [Fork(lambda _, name=name: known_of(name)) for name in names]
        with concurrent.futures.ThreadPoolExecutor(len(forks)) as pool:
            packages = dict(zip(names, pool.map(asked, forks)))
    else:
        packages = {name: known_of(name) for name in names}
    of_torch = packages.get("torch") or {}
    return {
        "python": "%d.%d.%d" % sys.version_info[:3],
        "prefix": sys.prefix,
        "arguments": of_torch.pop("arguments", []),
        "devices": of_torch.pop("devices", []),
        "packages": {name: found for name, found in packages.items() if found},
    }


answer(examine)
