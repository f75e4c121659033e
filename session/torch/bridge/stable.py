import math


def stable_translations():
    """Translations for the new exporter in place of its own, which overflow at values that PyTorch computes."""
    try:
        from onnxscript import opset18 as op
    except ImportError:
        return {}

    def log_sigmoid(self):
        """Sigmoid is 0 below -103 in float32, and its logarithm infinite."""
        below = op.Neg(op.Relu(op.Neg(self)))
        return op.Sub(below, rest(op.Abs(self)))

    def logaddexp(self, other):
        """Exp is infinite above 88 in float32. Equal values are told apart, because infinite ones have no difference."""
        greater = op.Where(op.GreaterOrEqual(self, other), self, other)
        apart = op.Add(greater, rest(op.Abs(op.Sub(self, other))))
        return op.Where(op.Equal(self, other), op.Add(self, op.CastLike(math.log(2), self)), apart)

    def logaddexp2(self, other):
        natural = op.CastLike(math.log(2), self)
        return op.Div(logaddexp(op.Mul(self, natural), op.Mul(other, natural)), natural)

    def rest(apart):
        """log(1 + exp(-apart)): what the smaller of two terms adds to the logarithm of the greater."""
        return op.Log(op.Add(op.CastLike(1.0, apart), op.Exp(op.Neg(apart))))

    made = {"log_sigmoid": log_sigmoid, "logaddexp": logaddexp, "logaddexp2": logaddexp2}
    return {getattr(torch.ops.aten, name).default: function for name, function in made.items() if hasattr(torch.ops.aten, name)}
