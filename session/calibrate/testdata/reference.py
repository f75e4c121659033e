"""Answers with the file of ranges that quantize_static keeps: one question a line."""
import contextlib
import json
import logging
import os
import sys

import numpy
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, QuantType, quantize_static

logging.disable(logging.CRITICAL)


class Samples(CalibrationDataReader):
    def __init__(self, paths):
        self.paths, self.at, self.end = paths, 0, len(paths)

    def __len__(self):
        return len(self.paths)

    def set_range(self, start_index, end_index):
        self.at, self.end = start_index, min(end_index, len(self.paths))

    def get_next(self):
        if self.at >= self.end:
            return None
        self.at += 1
        with numpy.load(self.paths[self.at - 1]) as archive:
            return {name: archive[name] for name in archive.files}


def answer(q):
    types = {}
    if q["method"] == "Distribution":  # which is for this type alone
        types = {"activation_type": QuantType.QFLOAT8E4M3FN, "weight_type": QuantType.QFLOAT8E4M3FN}
    try:
        quantize_static(
            q["model"], q["out"], Samples(q["samples"]), calibrate_method=CalibrationMethod[q["method"]],
            extra_options=q["options"], calibration_cache_path=q["cache"], **types,
        )
    except Exception as e:  # the ranges may be there all the same
        return {"error": f"{type(e).__name__}: {e}"}
    finally:
        if os.path.exists(q["out"]):
            os.remove(q["out"])
    return {}


for line in sys.stdin:
    with contextlib.redirect_stdout(sys.stderr if "DEBUG" in os.environ else open(os.devnull, "w")):
        out = answer(json.loads(line))
    print(json.dumps(out), flush=True)
