"""Checks every file of testdata/ and prints what is there.

Packages: onnx, onnxruntime, numpy.
Takes about three seconds.

A good model must pass onnx.checker, and ONNX Runtime must run it. A broken one must be refused by
at least one of them, except the two that are only unpleasant. Each of these is tried in a process
of its own, for a hostile file may take down its reader.
"""

import multiprocessing
import re

import numpy as np
import onnx
import onnxruntime as ort

import modelfile

TOTAL_MAX_BYTES = 10 * 1024 * 1024
GOOD = (
    "digits.onnx",
    "digits_batch1.onnx",
    "text_classifier.onnx",
    "mlp_dynamo.onnx",
    "lm_batch1.onnx",
    "vit_batch1.onnx",
    "cnn_batch1.onnx",
    "rnn_batch1.onnx",
    "gather_mlp.onnx",
    "if_loop.onnx",
    "function.onnx",
    "external.onnx",
    "scalar_f16.onnx",
    "strings.onnx",
    "training/mlp_evaluation_11.onnx",
    "training/mlp_evaluation_17.onnx",
    "training/resnet_evaluation_11.onnx",
    "training/resnet_evaluation_17.onnx",
    "training/transformer_evaluation_17.onnx",
)
ARCHIVES = (
    "digits_test.npz",
    "text_test.npz",
    "training/mlp.npz",
    "training/resnet.npz",
    "training/transformer.npz",
)
MUST_OPEN = {"hostile_names.onnx", "bad_utf8_name.onnx"}
SYMBOL_VALUE = 2
TIMEOUT_SECONDS = 60

TYPES = {
    "tensor(float)": np.float32,
    "tensor(float16)": np.float16,
    "tensor(int64)": np.int64,
    "tensor(string)": object,
}


def feed(argument):
    """Returns ones (or texts "1") in the type and shape of an input; a symbolic dimension is 2."""
    shape = [dim if isinstance(dim, int) else SYMBOL_VALUE for dim in argument.shape]
    return np.full(shape, "1" if argument.type == "tensor(string)" else 1, TYPES[argument.type])


def run(session, feeds):
    """Runs a model and returns the shapes of its outputs."""
    names = [argument.name for argument in session.get_outputs()]
    if any(array.dtype == object for array in feeds.values()):
        return [value.shape for value in session.run(names, feeds)]
    # Through the runtime's own values, for numpy has no bfloat16.
    values = {name: ort.OrtValue.ortvalue_from_numpy(array) for name, array in feeds.items()}
    return [value.shape() for value in session.run_with_ort_values(names, values)]


def describe(argument, shape):
    kind = argument.type.removeprefix("tensor(").removesuffix(")")
    return f"{argument.name}:{kind}{list(shape)}".replace(" ", "")


def good(path):
    """Checks and runs a model; returns its line of the table."""
    modelfile.check_model(path)
    session = modelfile.session(path)
    feeds = {argument.name: feed(argument) for argument in session.get_inputs()}
    shapes = run(session, feeds)
    graph = onnx.load(path, load_external_data=False).graph
    return (
        f"{len(graph.node):4} nodes {len(graph.initializer):3} weights  "
        + " ".join(describe(i, feeds[i.name].shape) for i in session.get_inputs())
        + " -> "
        + " ".join(
            describe(o, shape) for o, shape in zip(session.get_outputs(), shapes, strict=True)
        )
    )


def refusal(path, attempt):
    """Returns the first line of what attempt(path) raises, or None."""
    try:
        attempt(path)
    except Exception as error:
        return (str(error).strip() or repr(error)).splitlines()[0]
    return None


def judge(path, connection):
    """Sends what the checker says to the file, and then what the runtime says."""
    connection.send(refusal(path, lambda p: onnx.checker.check_model(p, full_check=True)))
    connection.send(refusal(path, modelfile.session))


def verdicts(processes, path):
    """Returns both answers to a broken file; if the process dies, how it ended is the answer."""
    receiver, sender = processes.Pipe(duplex=False)
    process = processes.Process(target=judge, args=(str(path), sender))
    process.start()
    sender.close()
    answers = []
    for _ in range(2):
        try:
            answers.append(receiver.recv() if receiver.poll(TIMEOUT_SECONDS) else "no answer")
        except EOFError:
            process.join()
            answers.append(f"process ended with {process.exitcode}")
            break
    process.kill()
    process.join()
    return answers + ["not asked"] * (2 - len(answers))


def show(text):
    """Returns the reason of a refusal, fit for a terminal and cut to a column."""
    if text is None:
        return "accepted"
    reason = re.sub(r"\[ONNXRuntimeError\] : \d+ : |Load model from .*? failed: ?", "", text)
    return ascii(reason)[1:-1][:88]


def check_broken(folder):
    """Prints the table of broken files; returns the names of those that nothing refuses."""
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload(["modelfile"])
    accepted = []
    for path in sorted(folder.iterdir()):
        if path.suffix == ".data":
            continue
        checker, runtime = verdicts(processes, path)
        print(f"{path.name:28} {path.stat().st_size:>9,}  checker: {show(checker)}")
        print(f"{'':38}  runtime: {show(runtime)}")
        if checker is None and runtime is None:
            accepted.append(path.name)
        if runtime is not None and path.name in MUST_OPEN:
            raise SystemExit(f"{path.name}: must open: {runtime}")
    return sorted(set(accepted) - MUST_OPEN)


def check_archive(path):
    """Returns the line of the table for a file of arrays, which must hold as many rows in each."""
    with np.load(path, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    if len({len(array) for array in arrays.values()}) != 1:
        raise SystemExit(f"{path.name}: its arrays have different numbers of rows")
    return " ".join(f"{name}:{array.dtype}{list(array.shape)}" for name, array in arrays.items())


def main():
    out = modelfile.output_folder(__doc__)
    for path in (out / name for name in GOOD):
        print(f"{path.name:28} {path.stat().st_size:>9,}  {good(path)}")
    for path in (out / name for name in ARCHIVES):
        print(f"{path.name:28} {path.stat().st_size:>9,}  {check_archive(path)}")
    accepted = check_broken(out / "broken")
    sizes = {p: p.stat().st_size for p in out.rglob("*") if p.is_file() and "make" not in p.parts}
    print(f"{len(sizes)} files, {sum(sizes.values()):,} bytes")
    if accepted:
        raise SystemExit(f"broken files that nothing refuses: {', '.join(accepted)}")
    if sum(sizes.values()) > TOTAL_MAX_BYTES:
        raise SystemExit(f"more than {TOTAL_MAX_BYTES:,} bytes in all")


if __name__ == "__main__":
    main()
