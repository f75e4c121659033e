import traceback


def _name(node):
    domain = node.domain + "." if node.domain not in ("", "ai.onnx") else ""
    named = ' (node "%s")' % node.name if node.name else ""
    return '"%s%s"%s' % (domain, node.op_type, named)


def _guilty(e, wanted):
    """Returns the innermost value in the frames of an exception that wanted accepts."""
    found = None
    for frame, _ in traceback.walk_tb(e.__traceback__):
        for name in ("node", "self"):
            node = wanted(frame.f_locals.get(name))
            found = node if node is not None else found
    return found


class Lacking(Exception):
    pass


class Reference:
    def __init__(self):
        self.evaluator = None
        self.refused = None

    def open(self):
        say(phase="importing onnx.reference")
        import onnx

        self.onnx = onnx
        try:
            import onnx.reference
            from onnx.reference.op_run import OpRun
        except ModuleNotFoundError as e:
            if not (e.name or "").startswith("onnx"):
                raise
            raise Lacking("onnx %s has no reference evaluator, which exists since 1.13; upgrade onnx" % onnx.__version__)
        self.OpRun = OpRun
        say(phase="loading into the reference evaluator")
        try:
            self.evaluator = onnx.reference.ReferenceEvaluator(ask["model"])
        except Exception as e:
            node = _guilty(e, lambda x: x if isinstance(x, onnx.NodeProto) else None)
            if node is None:
                raise
            if isinstance(e, NotImplementedError) or "Domain" in str(e):
                raise Lacking("it has no operator %s" % _name(node))
            raise Lacking("operator %s: %s: %s" % (_name(node), type(e).__name__, e))

    def __call__(self, question):
        if self.refused is not None:
            raise self.refused
        if self.evaluator is None:
            try:
                self.open()
            except BaseException as e:
                self.refused = e
                raise
        if question["only_open"]:
            return {"version": self.onnx.__version__, "outputs": []}
        feeds = {f["name"]: self.read(f["kind"], f["file"]) for f in question["feeds"]}
        say(phase="running in the reference evaluator")
        try:
            got = self.evaluator.run(None, feeds)
        except Exception as e:
            node = _guilty(e, lambda x: getattr(x, "onnx_node", None) if isinstance(x, self.OpRun) else None)
            if node is None:
                raise
            if isinstance(e, NotImplementedError):
                raise Lacking("it does not support this form of operator %s: %s" % (_name(node), e))
            raise Lacking("operator %s: %s: %s" % (_name(node), type(e).__name__, e))
        outputs = []
        for i, (name, value) in enumerate(zip(self.evaluator.output_names, got)):
            path = "%s/output_%d.pb" % (question["folder"], i)
            try:
                outputs.append({"name": name, "kind": self.write(self.unwrapped(i, value), path), "file": path})
            except Exception as e:
                raise Lacking('its result for output "%s" cannot be written to a file: %s: %s' % (name, type(e).__name__, e))
        return {"version": self.onnx.__version__, "outputs": outputs}

    def unwrapped(self, i, value):
        """Returns the content of an optional, which the operator Optional puts into a list."""
        declared = self.evaluator.output_types[i]
        if not declared.HasField("optional_type") or not isinstance(value, list) or len(value) != 1:
            return value
        holds = declared.optional_type.elem_type
        if value[0] is None or isinstance(value[0], list) or holds.HasField("tensor_type"):
            return value[0]
        return value

    def read(self, kind, path):
        from onnx import numpy_helper

        proto, convert = {
            "tensor": (self.onnx.TensorProto, numpy_helper.to_array),
            "sequence": (self.onnx.SequenceProto, numpy_helper.to_list),
            "optional": (self.onnx.OptionalProto, numpy_helper.to_optional),
            "map": (self.onnx.MapProto, numpy_helper.to_dict),
        }[kind]
        message = proto()
        with open(path, "rb") as f:
            message.ParseFromString(f.read())
        return convert(message)

    def write(self, value, path):
        kind, message = self.message(value)
        with open(path, "wb") as f:
            f.write(message.SerializeToString())
        return kind

    def message(self, value):
        import numpy
        from onnx import numpy_helper

        if value is None:
            return "optional", self.onnx.OptionalProto()
        if isinstance(value, dict):
            return "map", numpy_helper.from_dict(value)
        if isinstance(value, (list, tuple)):
            return "sequence", self.sequence(list(value))
        array = numpy.asarray(value)
        if array.dtype.kind in "US":
            array = array.astype(object)
        return "tensor", numpy_helper.from_array(array)

    def sequence(self, values):
        message = self.onnx.SequenceProto()
        message.elem_type = self.onnx.SequenceProto.TENSOR
        for v in values:
            kind, item = self.message(v)
            if kind == "tensor":
                message.tensor_values.append(item)
            elif kind == "map":
                message.elem_type = self.onnx.SequenceProto.MAP
                message.map_values.append(item)
            elif kind == "sequence":
                message.elem_type = self.onnx.SequenceProto.SEQUENCE
                message.sequence_values.append(item)
            else:
                raise TypeError("a %s in a sequence" % kind)
        return message


if ask["memory"]:
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (ask["memory"], ask["memory"]))
evaluate = Reference()


def answered(question):
    try:
        return evaluate(question)
    except Lacking as e:
        return {"lacking": str(e), "version": evaluate.onnx.__version__}


answer_each(answered)
