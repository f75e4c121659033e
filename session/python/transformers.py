import logging


class Warnings(logging.Handler):
    def __init__(self):
        super().__init__(logging.WARNING)
        self.lines = []

    def emit(self, record):
        if len(self.lines) < 100:
            self.lines.append(record.getMessage())


def optimize():
    say(phase="importing onnxruntime.transformers")
    import onnxruntime
    from onnxruntime.transformers import optimizer

    if ask["model_type"] not in optimizer.MODEL_TYPES:
        say(refused="%r is not one of %s" % (ask["model_type"], ", ".join(sorted(optimizer.MODEL_TYPES))))
        os._exit(0)
    warnings = Warnings()
    logging.getLogger().addHandler(warnings)
    # The package reads the version of torch before ONNX Runtime's own optimizations, which
    # loads all of it: most of the time that a small model takes.
    say(phase="importing torch, which onnxruntime.transformers asks for its version")
    try:
        import torch  # noqa: F401
    except ImportError:
        pass  # not all types of models need it: where one does, the package says so
    say(phase="fusing in onnxruntime.transformers")
    made = optimizer.optimize_model(
        ask["input"], model_type=ask["model_type"], num_heads=ask["num_heads"], hidden_size=ask["hidden_size"]
    )
    count = getattr(made, "get_fused_operator_statistics", dict)()
    say(phase="taking the result over")
    made.save_model_to_file(ask["output"], use_external_data_format=ask["external"])
    return {
        "version": onnxruntime.__version__,
        "fused": {op: n for op, n in count.items() if n},
        "warnings": warnings.lines,
    }


answer(optimize)
