import math


def stable_translations():
    """Translations that replace those of the new exporter, which overflow for values that PyTorch can compute."""
    try:
        from onnxscript import opset18 as op
    except ImportError:
        return {}

    def log_sigmoid(self):
        """Avoids Sigmoid, which is 0 below -103 in float32, so that its logarithm is infinite."""
        below = op.Neg(op.Relu(op.Neg(self)))
        return op.Sub(below, rest(op.Abs(self)))

    def logaddexp(self, other):
        """Avoids Exp of large values, which is infinite above 88 in float32. Equal values are handled separately,
        because the difference of infinities is NaN."""
        greater = op.Where(op.GreaterOrEqual(self, other), self, other)
        apart = op.Add(greater, rest(op.Abs(op.Sub(self, other))))
        return op.Where(op.Equal(self, other), op.Add(self, op.CastLike(math.log(2), self)), apart)

    def logaddexp2(self, other):
        natural = op.CastLike(math.log(2), self)
        return op.Div(logaddexp(op.Mul(self, natural), op.Mul(other, natural)), natural)

    def rest(apart):
        """Returns log(1 + exp(-apart)), which the smaller term adds to the logarithm of the greater."""
        return op.Log(op.Add(op.CastLike(1.0, apart), op.Exp(op.Neg(apart))))

    made = {"log_sigmoid": log_sigmoid, "logaddexp": logaddexp, "logaddexp2": logaddexp2}
    return {getattr(torch.ops.aten, name).default: function for name, function in made.items() if hasattr(torch.ops.aten, name)}
