# Needs numpy and ml_dtypes (onnx brings both). Reads one JSON request per line,
# writes one JSON answer per line: the metrics of graphops/tensor, computed with
# numpy in extended precision. Floats travel as hexadecimal strings.
import base64
import json
import sys

import ml_dtypes
import numpy as np

NAMES = {
    "f32": np.float32, "f64": np.float64, "f16": np.float16, "bf16": ml_dtypes.bfloat16,
    "f8e4m3fn": ml_dtypes.float8_e4m3fn, "f8e4m3fnuz": ml_dtypes.float8_e4m3fnuz,
    "f8e5m2": ml_dtypes.float8_e5m2, "f8e5m2fnuz": ml_dtypes.float8_e5m2fnuz,
    "f8e8m0": ml_dtypes.float8_e8m0fnu,
    "i8": np.int8, "u8": np.uint8, "i16": np.int16, "u16": np.uint16,
    "i32": np.int32, "u32": np.uint32, "i64": np.int64, "u64": np.uint64, "bool": np.bool_,
    "c64": np.complex64, "c128": np.complex128,
}


def load(request, key):
    array = np.frombuffer(base64.b64decode(request[key]), dtype=NAMES[request["dtype"]])
    if array.dtype.kind == "c":
        array = array.view(array.real.dtype)
    return array.astype(np.float64 if array.dtype.kind == "V" else np.longdouble).astype(np.longdouble)


def stats(x):
    finite = x[np.isfinite(x)]
    out = {"count": x.size, "nan": int(np.isnan(x).sum()), "inf": int(np.isinf(x).sum())}
    for name in ("min", "max", "mean", "std"):
        out[name] = float(getattr(np, name)(finite)) if finite.size else float("nan")
    return out


def metrics(a, b, request):
    rtol, atol = np.longdouble(request["rtol"]), np.longdouble(request["atol"])
    both = np.isfinite(a) & np.isfinite(b)
    differs = (a != b) & ~(np.isnan(a) & np.isnan(b)) & ~both
    x, y = a[both], b[both]
    # the difference of two float64s, as a float64
    d = (x.astype(np.float64) - y.astype(np.float64)).astype(np.longdouble)
    size = np.abs(x)
    floor = atol / rtol if rtol > 0 else np.longdouble(1)
    rel = np.where(d == 0, 0, np.abs(d) / np.maximum(size, floor))  # no error is none of nothing
    rows = request["row"]
    out = {
        "total": a.size,
        "mismatched": int((np.abs(d) > atol + rtol * size).sum() + differs.sum()),
        "nan": int((np.isnan(a) | np.isnan(b)).sum()),
        "inf": int((np.isinf(a) | np.isinf(b)).sum()),
        "argmax": int((a.reshape(-1, rows).argmax(1) == b.reshape(-1, rows).argmax(1)).sum()),
    }
    if x.size:
        out |= {
            "max_abs": float(np.abs(d).max()),
            "mean_abs": float(np.abs(d).mean()),
            "max_rel": float(rel.max()),
            "mean_rel": float(rel.mean()),
            "rms": float(np.sqrt((d * d).mean())),
            "rms_a": float(np.sqrt((x * x).mean())),
            "cosine": float((x * y).sum() / np.sqrt((x * x).sum() * (y * y).sum())),
            "snr": float(10 * np.log10((x * x).sum() / (d * d).sum())),
        }
    return out


def units(request, key):
    """Codes as whole numbers that count on through zero, for distances in ULP."""
    raw = base64.b64decode(request[key])
    width = {"f16": 2, "bf16": 2, "f32": 4, "c64": 4, "f64": 8, "c128": 8}[request["dtype"]]
    codes = np.frombuffer(raw, dtype=f"<u{width}").astype(np.longdouble)  # 64 bits of mantissa
    half = np.longdouble(2) ** (8 * width - 1)
    return np.where(codes >= half, half - codes, codes)


def ulp(a, b, request):
    both = np.isfinite(a) & np.isfinite(b)
    d = np.sort(np.abs(units(request, "a") - units(request, "b"))[both])
    if not d.size:
        return {}

    def up(x):
        return float(2 ** int(x).bit_length() - 1)

    n = d.size
    return {
        "ulp_max": float(d[-1]),
        "ulp_mean": float(d.mean()),
        "ulp_median": up(d[n - n // 2 - 1]),
        "ulp_p99": up(d[n - n // 100 - 1]),
    }


def top(a, b, request):
    """Rows in which a's largest is among b's five largest, the first of equal ones first."""
    k, rows = 5, request["row"]
    a, b = a.reshape(-1, rows), b.reshape(-1, rows)
    hold = 0
    for x, y in zip(a, b):
        order = np.lexsort((np.arange(rows), -y, ~np.isnan(y)))
        hold += int(x.argmax()) in order[:k]
    return {"topk": int(hold)}


def profile(request, x):
    finite = x[np.isfinite(x)].astype(np.float64)
    shares, edges = request["shares"], np.array(request["edges"])
    magnitude = np.abs(finite)
    out = {
        "zeros": int((finite == 0).sum()),
        "subnormal": int(((magnitude > 0) & (magnitude < float.fromhex(request["normal"]))).sum()),
        "distinct": int(np.unique(x.astype(np.float64)).size),
        "counts": np.histogram(finite, edges)[0].tolist(),
    }
    for method in ("linear", "lower", "higher"):
        out[method] = [float(q) for q in np.quantile(finite, shares, method=method)]
    return out


def spell(value):
    if isinstance(value, dict):
        return {k: spell(v) for k, v in value.items()}
    if isinstance(value, list):
        return [spell(v) for v in value]
    if isinstance(value, float):
        return value.hex()
    return value


np.seterr(all="ignore")
for line in sys.stdin:
    request = json.loads(line)
    a = load(request, "a")
    answer = {"stats": spell(stats(a))}
    if request.get("values"):
        answer["values"] = [float(v).hex() for v in a]
    if "b" in request:
        b = load(request, "b")
        out = metrics(a, b, request)
        if request.get("ulp"):
            out |= ulp(a, b, request)
        if request["row"] > 5:
            out |= top(a, b, request)
        answer["metrics"] = spell(out)
    if "edges" in request:
        answer["profile"] = spell(profile(request, a))
    print(json.dumps(answer))
