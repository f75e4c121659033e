import contextlib, select, socket

# The number of threads that the user's code sets. This process uses one thread: a fork does not have
# the threads of PyTorch's pool, and would wait for them forever.
_wanted = {"threads": 0}
_apart = {"can": None}
_forks = {}
_PATIENCE = 20  # seconds that a fork may take for a trivial computation


class Gone(Exception):
    """A fork ended before it answered."""

    def __init__(self, status, said):
        code = os.waitstatus_to_exitcode(status)
        super().__init__(signal.strsignal(-code) if code < 0 else "exit status %d" % code)
        self.told = {"signal": max(-code, 0), "status": max(code, 0), "said": said.decode("utf-8", "replace")}


class Answered(Exception):
    """A fork answered with a refusal or a failure instead of a result."""

    def __init__(self, answer):
        super().__init__("the fork answered")
        self.answer = answer


class Fork:
    """A copy of this process that answers questions until it is closed. Its changes, for example to the model, are lost then."""

    def __init__(self, answer):
        self.socket, theirs = socket.socketpair()
        self.printed, prints = os.pipe()
        self.said, self.silent = b"", False
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the thread that reads from Lathe, which holds no lock that the fork needs
            self.pid = os.fork()
        if not self.pid:
            self.socket.close()
            os.close(self.printed)
            os.dup2(prints, 1)
            os.dup2(prints, 2)
            serve(theirs, answer)
        theirs.close()
        os.close(prints)

    def ask(self, q, within=None):
        self.socket.sendall(json.dumps(q).encode() + b"\n")
        got, until = b"", within and time.monotonic() + within
        while not got.endswith(b"\n"):
            ready = select.select([self.socket] if self.silent else [self.socket, self.printed], [], [], 0.1)[0]
            if self.printed in ready:
                self.pass_on()
            if self.socket in ready:
                some = self.socket.recv(1 << 20)
                got += some
                if not some:
                    raise self.ended(os.waitpid(self.pid, 0)[1])
            if not ready:
                done, status = os.waitpid(self.pid, os.WNOHANG)
                if done:
                    raise self.ended(status)
                if until and time.monotonic() > until:
                    self.close()
                    raise TimeoutError
        return json.loads(got)

    def pass_on(self):
        some = os.read(self.printed, 1 << 16)
        self.said, self.silent = (self.said + some)[-(16 << 10) :], not some
        if some:
            os.write(2, some)

    def ended(self, status):
        self.pid = 0
        while not self.silent and select.select([self.printed], [], [], 0)[0]:
            self.pass_on()
        self.close()
        return Gone(status, self.said)

    def close(self):
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        self.pid = 0
        self.socket.close()
        if self.printed is not None:
            os.close(self.printed)
            self.printed = None


def serve(questions, answer):
    """Answers questions in a fork until the socket is closed."""
    try:
        with_threads()
        for line in questions.makefile("rb"):
            questions.sendall(json.dumps(answer(json.loads(line))).encode() + b"\n")
    except BaseException:
        traceback.print_exc()  # the end of the printed text becomes part of Gone
    finally:
        os._exit(0)


def hold_threads():
    """Limits PyTorch to one thread here, and records the number that the user's code sets."""
    if not hasattr(os, "fork") or _apart["can"] is False:
        return
    _wanted.update(threads=torch.get_num_threads(), set=torch.set_num_threads)
    torch.set_num_threads(1)
    torch.set_num_threads = lambda n: _wanted.update(threads=n)


def with_threads():
    if "set" in _wanted:
        torch.set_num_threads = _wanted["set"]
        torch.set_num_threads(_wanted["threads"])


def can_fork():
    """Returns whether a fork can compute. It cannot if the user's code has started PyTorch's threads or a device."""
    if _apart["can"] is None:
        _apart["can"] = hasattr(os, "fork") and not on_device() and computes()
        if not _apart["can"] and hasattr(os, "fork"):
            with_threads()
    return _apart["can"]


def on_device():
    cuda = getattr(torch, "cuda", None)
    return cuda is not None and cuda.is_initialized()


def count_devices_apart():
    """Makes PyTorch count CUDA devices without CUDA. If CUDA counts them, forks of this process cannot use it."""
    os.environ.setdefault("PYTORCH_NVML_BASED_CUDA_CHECK", "1")


def devices():
    """Returns the modules of torch for the available devices that a fork may be unable to use."""
    kinds = [getattr(torch, k, None) for k in ("cuda", "xpu", "mps")]
    return [k for k in kinds if hasattr(k, "_is_in_bad_fork") and k.is_available()]


def loses_device():
    """Returns whether this fork cannot use an available device, because its parent process has used it."""
    return any(k._is_in_bad_fork() for k in devices())


def computes():
    def compute(_):
        with contextlib.suppress(Exception):  # it only matters that it ends
            a = torch.ones(300, 300)
            float((torch.mm(a, a) + torch.exp(a)).sum())
        return not loses_device()

    fork = Fork(compute)
    try:
        works = fork.ask(None, _PATIENCE)
    except (Gone, TimeoutError):
        return False
    fork.close()
    return works


def apart(work):
    """Returns the result of work, done in a fork. If forks cannot compute, it is done here; then this process cannot be used again."""
    if not can_fork():
        return work()
    fork = Fork(lambda _: answered(work))
    try:
        told = fork.ask(None)
    finally:
        fork.close()
    if "result" not in told:
        raise Answered(told)
    return told["result"]


def answered(work):
    """Returns the result of work, or why there is none, as an answer to Lathe."""
    try:
        return {"result": work()}
    except Refused as e:
        return {"refused": str(e)}
    except Gone as e:
        return {"gone": e.told}
    except Answered as e:
        return e.answer
    except BaseException as e:
        return {"failure": dict(failure(e), versions=versions() if torch is not None else {})}
