"""Writes the state_dicts of programs, and finds what a file has of one.

    states.py save FOLDER FILE.py:NAME...
    states.py held FILE.onnx STATE.pt

The first form writes FOLDER/NAME.pt for each program. The second prints as JSON how many initializers of a
file have the name of an entry of a state_dict, and the names of those whose bytes are other ones.
"""

import importlib.util
import json
import os
import sys

import torch


def save(folder, targets):
    for target in targets:
        path, _, name = target.rpartition(":")
        sys.path.insert(0, os.path.dirname(path))
        spec = importlib.util.spec_from_file_location("programs", path)
        module = importlib.util.module_from_spec(spec)
        sys.modules["programs"] = module
        torch.manual_seed(0)
        spec.loader.exec_module(module)
        torch.manual_seed(0)
        model, _ = getattr(module, name)()
        torch.save(model.eval().state_dict(), os.path.join(folder, name + ".pt"))


def held(file, state):
    import onnx
    from onnx import numpy_helper

    state = torch.load(state, weights_only=True)
    has = {t.name: t for t in onnx.load(file).graph.initializer if t.name in state}
    other = [n for n, t in has.items() if numpy_helper.to_array(t).tobytes() != state[n].contiguous().numpy().tobytes()]
    print(json.dumps({"held": len(has), "other": other}))


if sys.argv[1] == "save":
    save(sys.argv[2], sys.argv[3:])
else:
    held(*sys.argv[2:])
