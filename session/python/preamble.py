import json, os, site, sys, threading

# Isolated (-I), so that neither the working folder nor PYTHONPATH puts another module
# in the way; that leaves out the user's own site-packages, which are no danger.
if sys.prefix == sys.base_prefix:
    sys.path.append(site.getusersitepackages())

# Packages print as they like: only what goes through say is an answer.
_answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
os.dup2(2, 1)


def say(**line):
    _answers.write(json.dumps(line) + "\n")
    _answers.flush()


def _end_with_lathe():
    sys.stdin.buffer.read()
    os._exit(1)


threading.Thread(target=_end_with_lathe, daemon=True).start()
ask = json.loads(sys.argv[1])


def answer(work):
    try:
        say(result=work())
    except ModuleNotFoundError as e:
        say(missing=e.name or str(e))
    except SystemExit as e:
        say(failed="it gave up: %s" % e)
    except BaseException as e:
        say(failed="%s: %s" % (type(e).__name__, e))
    _answers.flush()
    os._exit(0)  # a runtime that is pulled down late has nothing to add

