"""Writes the files of testdata/: whole or not at all, and only after a check.

Packages: numpy, onnx, onnxruntime.
"""

import argparse
import os
import pathlib
import tempfile

import numpy as np
import onnx
import onnxruntime as ort

MAX_BYTES = 2 * 1024 * 1024

TESTDATA = pathlib.Path(__file__).resolve().parent.parent


def output_folder(description):
    """Returns the folder named by the script's only option, --out (default: testdata/)."""
    parser = argparse.ArgumentParser(description=description.strip().splitlines()[0])
    parser.add_argument("--out", type=pathlib.Path, default=TESTDATA, metavar="FOLDER")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write(path, data, check=None):
    """Writes data to path by way of a temporary file beside it, so that no reader sees half a file.

    check, if given, is called with the temporary file and refuses it by raising.
    """
    if len(data) > MAX_BYTES:
        raise ValueError(f"{path.name}: {len(data)} bytes, the limit is {MAX_BYTES}")
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        if check:
            check(temporary)
        os.chmod(temporary, 0o644)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    print(f"{path.name:28} {len(data):>9,} bytes")


def write_model(path, model):
    """Writes a model, once check_model has accepted it."""
    write(path, model.SerializeToString(deterministic=True), check_model)


def check_model(path):
    """Raises unless onnx.checker accepts the file, shapes included, and ONNX Runtime loads it."""
    onnx.checker.check_model(path, full_check=True)
    session(path)


def write_arrays(path, **arrays):
    """Writes a deflated NPZ archive; its dates are constant, so equal arrays give equal bytes."""
    with tempfile.TemporaryFile() as file:
        np.savez_compressed(file, **arrays)
        file.seek(0)
        write(path, file.read())


def session(path):
    """Opens a single-threaded CPU session on a model file."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 4  # fatal: errors arrive as exceptions
    return ort.InferenceSession(os.fspath(path), options, providers=["CPUExecutionProvider"])
