"""Quantizes models by onnxruntime.quantization, a question a line: rows of an archive are samples."""
import contextlib
import json
import logging
import os
import sys

import numpy
from onnxruntime.quantization import CalibrationDataReader, CalibrationMethod, quantize_static

logging.disable(logging.CRITICAL)


class Rows(CalibrationDataReader):
    def __init__(self, path):
        with numpy.load(path) as archive:
            self.arrays = {name: archive[name] for name in archive.files}
        self.rest = iter(range(len(next(iter(self.arrays.values())))))

    def get_next(self):
        row = next(self.rest, None)
        if row is None:
            return None
        return {name: a[row : row + 1] for name, a in self.arrays.items()}


def answer(q):
    try:
        quantize_static(
            q["model"], q["out"], Rows(q["data"]),
            calibrate_method=CalibrationMethod[q["method"]], calibration_cache_path=q["cache"],
        )
    except Exception as e:
        return {"error": f"{type(e).__name__}: {e}"}
    return {}


for line in sys.stdin:
    with contextlib.redirect_stdout(open(os.devnull, "w")):
        out = answer(json.loads(line))
    print(json.dumps(out), flush=True)
