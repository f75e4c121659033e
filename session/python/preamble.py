import sys

# A module in the working folder must not replace one that is imported here.
if sys.path and sys.path[0] == "":
    del sys.path[0]

import json, os, queue, select, signal, site, threading, time

# Isolated mode (-I) ignores the working folder and PYTHONPATH, whose modules could replace others.
# It also ignores the user's site-packages, which are added again.
if sys.flags.isolated and sys.prefix == sys.base_prefix:
    sys.path.append(site.getusersitepackages())


def _watch():
    """Starts a process that kills this one, and its children, a second after Lathe has ended.

    A thread could not do that while other code holds the interpreter's lock. The process keeps
    only standard input open, and never reads from it."""
    try:
        watcher = os.fork()
    except OSError:
        return None  # no more processes are allowed; then only the thread ends this process
    if watcher:
        return watcher
    os.closerange(1, 256)
    gone = select.poll()
    gone.register(0, 0)  # poll always reports that the other end was closed
    gone.poll()
    time.sleep(1)
    os.killpg(0, signal.SIGKILL)


_watcher = _watch() if os.getpgrp() == os.getpid() else None


def _unwatched():
    if _watcher:
        try:
            if os.waitpid(_watcher, os.WNOHANG) == (0, 0):
                os.kill(_watcher, signal.SIGKILL)
                os.waitpid(_watcher, 0)
        except OSError:
            pass  # the user's code has waited for this process


# Packages may print to standard output. That goes to standard error; only say writes answers.
_answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)


def say(**line):
    _answers.write(json.dumps(line) + "\n")
    _answers.flush()


_questions = queue.Queue()
# Code that reads standard input gets an empty file.
_lathe = os.fdopen(os.dup(0), "rb")
_nobody = os.open(os.devnull, os.O_RDONLY)
os.dup2(_nobody, 0)
os.close(_nobody)


def _hear_lathe():
    for line in _lathe:
        _questions.put(line)
    # Lathe has ended, so this process and its children must end too.
    _unwatched()
    if _watcher:
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


threading.Thread(target=_hear_lathe, daemon=True).start()
ask = json.loads(sys.argv[1])


def _answer(work, *args):
    try:
        say(result=work(*args))
    except ModuleNotFoundError as e:
        say(missing=e.name or str(e))
    except SystemExit as e:
        say(failed="it exited: %s" % e)
    except BaseException as e:
        say(failed="%s: %s" % (type(e).__name__, e))


def answer(work):
    _answer(work)
    _unwatched()
    os._exit(0)  # without cleanup at exit, which takes time and may crash


def answer_each(work):
    """Answers questions with work, one after another, until Lathe ends this process."""
    while True:
        _answer(work, json.loads(_questions.get()))

