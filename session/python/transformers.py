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
    # The package imports torch only for its version, which takes most of the time for a
    # small model. It is imported here so that the progress says so.
    say(phase="importing torch, which onnxruntime.transformers asks for its version")
    try:
        import torch  # noqa: F401
    except ImportError:
        pass  # most types of models do not need it; for others the package reports it
    say(phase="fusing in onnxruntime.transformers")
    made = optimizer.optimize_model(
        ask["input"], model_type=ask["model_type"], num_heads=ask["num_heads"], hidden_size=ask["hidden_size"]
    )
    count = getattr(made, "get_fused_operator_statistics", dict)()
    say(phase="saving the result")
    made.save_model_to_file(ask["output"], use_external_data_format=ask["external"])
    return {
        "version": onnxruntime.__version__,
        "fused": {op: n for op, n in count.items() if n},
        "warnings": warnings.lines,
    }


answer(optimize)
