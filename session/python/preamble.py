import sys

# Nothing that lies in the working folder takes the place of a module that is imported here.
if sys.path and sys.path[0] == "":
    del sys.path[0]

import json, os, queue, select, signal, site, threading, time

# Isolated (-I), so that neither the working folder nor PYTHONPATH puts another module
# in the way; that leaves out the user's own site-packages, which are no danger.
if sys.flags.isolated and sys.prefix == sys.base_prefix:
    sys.path.append(site.getusersitepackages())


def _watch():
    """Starts a process that ends this one, and all that it starts, a second after Lathe is gone.

    Code that holds the interpreter's lock keeps every thread from noticing. The process holds
    nothing but standard input, and reads nothing from it."""
    try:
        watcher = os.fork()
    except OSError:
        return None  # no more processes are allowed; a thread still looks
    if watcher:
        return watcher
    os.closerange(1, 256)
    gone = select.poll()
    gone.register(0, 0)  # that the other end is closed is always told
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
            pass  # the user's code has waited for it


# Packages print as they like: only what goes through say is an answer.
_answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)


def say(**line):
    _answers.write(json.dumps(line) + "\n")
    _answers.flush()


_questions = queue.Queue()
# Code that asks its user something finds nobody there.
_lathe = os.fdopen(os.dup(0), "rb")
_nobody = os.open(os.devnull, os.O_RDONLY)
os.dup2(_nobody, 0)
os.close(_nobody)


def _hear_lathe():
    for line in _lathe:
        _questions.put(line)
    # Lathe is gone, and nobody else ends what was started here.
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
        say(failed="it gave up: %s" % e)
    except BaseException as e:
        say(failed="%s: %s" % (type(e).__name__, e))


def answer(work):
    _answer(work)
    _unwatched()
    os._exit(0)  # a runtime that is pulled down late has nothing to add


def answer_each(work):
    """Has work answer one question after the other, until Lathe asks no more."""
    while True:
        _answer(work, json.loads(_questions.get()))

