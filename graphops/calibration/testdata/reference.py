"""Answers what onnxruntime.quantization.calibrate makes of numbers.

A line of JSON in, a line of JSON out: a method with its options, an element type, and
the numbers of each collection; the range, or the error.
"""
import contextlib
import io
import json
import sys

import numpy as np
import onnxruntime
from onnxruntime.quantization.calibrate import HistogramCollector


def histogram(q, collections):
    c = HistogramCollector(
        q["method"], q["symmetric"], q["bins"], q["quantized"], q["percentile"], q["scenario"]
    )
    for values in collections:
        c.collect({"x": [values]})
    if q["method"] == "distribution":
        d = c.compute_collection_result()["x"]
        return [float(d.avg), float(d.std)]
    r = c.compute_collection_result()["x"]
    return [float(r[0]), float(r[1])]


def moving(q, collections):
    """What MinMaxCalibrater computes of the smallest and largest element of each run."""
    found = None
    for values in collections:
        runs = values.reshape(-1, 2)
        low = np.nanmean([x[:1] for x in runs], axis=0)
        high = np.nanmean([x[1:] for x in runs], axis=0)
        if found is None:
            found = low, high
        else:
            c = q["constant"]
            found = found[0] + c * (low - found[0]), found[1] + c * (high - found[1])
    return [float(found[0][0]), float(found[1][0])]


def answer(q):
    collections = [np.array(x, dtype=q["elem"]) for x in q["collections"]]
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        try:
            return {"range": (moving if q["method"] == "moving" else histogram)(q, collections)}
        except Exception as e:
            return {"error": f"{type(e).__name__}: {e}"}


def finite(x):
    """Makes of a number what JSON can say."""
    if np.isfinite(x):
        return x
    return "NaN" if np.isnan(x) else "Infinity" if x > 0 else "-Infinity"


print(json.dumps({"version": onnxruntime.__version__ + ", numpy " + np.__version__}), flush=True)
for line in sys.stdin:
    a = answer(json.loads(line))
    if "range" in a:
        a["range"] = [finite(x) for x in a["range"]]
    print(json.dumps(a), flush=True)
