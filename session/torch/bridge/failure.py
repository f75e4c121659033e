import functools, linecache, logging, re, traceback, warnings

_stage = ["load"]
_MOST = 200_000  # characters of one message
_home = tuple(os.path.realpath(p) + os.sep for p in {sys.prefix, sys.base_prefix, sys.exec_prefix})


def stage(name):
    _stage[0] = name


@functools.lru_cache(None)
def is_users(path):
    """Returns whether a file is the user's own, and not part of Python or a package."""
    if path.startswith("<"):
        return False
    real = os.path.realpath(path)
    if any(part in real for part in ("site-packages" + os.sep, "dist-packages" + os.sep)):
        return False
    return not (real.startswith(_home) and os.sep + "lib" + os.sep in real)


def frames_of(stack):
    out = []
    for f in list(stack)[-200:]:
        out.append({"file": f.filename, "line": f.lineno or 0, "function": f.name, "code": (f.line or "").strip()[:500], "user": is_users(f.filename)})
    return out


def exception(e):
    frames = frames_of(traceback.extract_tb(e.__traceback__))
    # Dynamo interprets the user's code, so the failing line is not on Python's stack.
    real = getattr(e, "real_stack", None)
    if real:
        frames += frames_of(real)
    if isinstance(e, SyntaxError) and e.filename:
        frames.append({"file": e.filename, "line": e.lineno or 0, "function": "<module>", "code": (e.text or "").strip()[:500], "user": is_users(e.filename)})
    try:
        message = str(e)
    except Exception as broken:
        message = "its message cannot be made: %s" % broken
    return {"class": type(e).__name__, "module": type(e).__module__, "message": message[:_MOST], "frames": frames}


def failure(e):
    chain, seen = [], set()
    while e is not None and id(e) not in seen and len(chain) < 20:
        seen.add(id(e))
        chain.append(exception(e))
        e = e.__cause__ or (None if e.__suppress_context__ else e.__context__)
    missing = missing_package(chain)
    return {"stage": _stage[0], "chain": chain, "steps": list(_steps.values()), "missing_ops": missing_ops(chain), "missing": missing, "missing_at": found_above(missing, chain)}


def found_above(module, chain):
    """Returns the folder that has a module of that name, among the parents of the user's files and of the working folder."""
    name = module.split(".")[0]
    starts = [os.path.dirname(os.path.abspath(f["file"])) for x in chain for f in x["frames"] if f["user"]] + [os.getcwd()]
    for folder in starts if name else ():
        for _ in range(6):
            if os.path.isfile(os.path.join(folder, name + ".py")) or os.path.isfile(os.path.join(folder, name, "__init__.py")):
                return folder
            folder = os.path.dirname(folder)
    return ""


def missing_ops(chain):
    found = []
    for x in chain:
        for op, overload in re.findall(r"No ONNX function found for <OpOverload\(op='([^']+)', overload='([^']*)'\)>", x["message"]):
            name = "%s.%s" % (op, overload)
            if name not in found:
                found.append(name)
    return found


def missing_package(chain):
    for x in chain:
        m = re.match(r"No module named '([^']+)'", x["message"])
        if x["class"] == "ModuleNotFoundError" and m:
            return m.group(1)
    return ""


# The exporter prints a line for each step.
_STEPS = (
    (r"Obtain model graph .* with `torch\.export\.export\(\.\.\., strict=False\)`", "capture", "non-strict"),
    (r"Obtain model graph .* with `torch\.export\.export\(\.\.\., strict=True\)`", "capture", "strict"),
    (r"Obtain model graph .* with `torch\.export draft_export`|Obtain model graph .* with `torch\.export\.draft_export`", "capture", "draft"),
    (r"Run decomposition", "decompose", ""),
    (r"Translate the graph into ONNX", "translate", ""),
    (r"Optimize the ONNX graph", "optimize", ""),
    (r"Check the ONNX model", "check", ""),
    (r"Execute the model with ONNX Runtime", "run", ""),
    (r"Verify output accuracy", "accuracy", ""),
)
_steps = {}


def told_step(line):
    for pattern, name, detail in () if _quiet[0] else _STEPS:
        if re.search(pattern, line, re.S):
            status = "ok" if "✅" in line else "fail" if "❌" in line else "start"
            step = {"id": name, "detail": detail, "status": status}
            _steps[name + detail] = step
            say(event=dict(step, t="step"))
            return


class Printed:
    """A stream that passes text on, and reports the exporter's steps that occur in it."""

    def __init__(self, stream):
        self.stream, self.begun = stream, ""

    def write(self, s):
        self.begun += s
        *lines, self.begun = self.begun.split("\n")
        self.begun = self.begun[-10_000:]
        for line in lines:
            if line.startswith("[torch.onnx] "):
                told_step(line)
        return self.stream.write(s)

    def __getattr__(self, name):
        return getattr(self.stream, name)


_told = set()
_quiet = [False]


class quietly:
    """Suppresses warnings and steps while it is active."""

    def __enter__(self):
        _quiet[0] = True

    def __exit__(self, *_):
        _quiet[0] = False


def warned(kind, message, file="", line=0):
    message = str(message)[:2000]
    at = (message, file, line)
    if not _quiet[0] and at not in _told and len(_told) < 2000:
        _told.add(at)
        say(event={"t": "warning", "category": kind, "message": message, "file": file, "line": line, "user": bool(file) and is_users(file), "ends": kind == "TracerWarning" and ends_otherwise(file, line), "code": linecache.getline(file, line).strip()[:500] if line else ""})


def show_warning(message, category, filename, lineno, file=None, line=None):
    warned(category.__name__, message, filename, lineno)


class Logged(logging.Handler):
    def emit(self, record):
        try:
            warned(record.levelname.lower(), record.getMessage())
        except Exception:
            pass  # a warning that cannot be formatted must not end the export


sys.stdout = Printed(sys.stdout)
warnings.showwarning = show_warning
_logger = Logged(logging.WARNING)
