def quotient_translations():
    """Translations of quotients and remainders that replace those of the new exporter. The exporter rounds a quotient
    before it takes the floor, so that 1 // 0.1 is 10 and not 9, and it divides integers as float32."""
    try:
        from onnxscript import ir
        from onnxscript import opset18 as op
    except ImportError:
        return {}

    def floor_divide(self, other):
        self, other = alike_typed(self, other)
        if is_whole(self):
            return whole_quotient(self, other)
        left = op.Mod(self, other, fmod=1)
        quotient = op.Div(op.Sub(self, left), other)
        quotient = op.Where(across(left, other), op.Sub(quotient, constant(1, self)), quotient)
        return op.Where(op.Equal(other, constant(0, other)), op.Div(self, other), op.Round(quotient))

    def remainder(self, other):
        self, other = alike_typed(self, other)
        if is_whole(self):
            return op.Mod(self, other)
        left = op.Mod(self, other, fmod=1)
        return op.Where(across(left, other), op.Add(left, other), left)

    def div_mode(self, other, rounding_mode=None):
        if rounding_mode == "floor":
            return floor_divide(self, other)
        self, other = alike_typed(self, other)
        quotient = op.Div(self, other)
        if rounding_mode is None or is_whole(self):
            return quotient  # ONNX truncates the quotient of integers toward 0
        return op.Where(op.Less(quotient, constant(0, self)), op.Ceil(quotient), op.Floor(quotient))

    def whole_quotient(self, other):
        """Returns the floor. A negative quotient that was truncated toward 0 is one too large."""
        quotient = op.Div(self, other)
        if self.dtype.name.startswith("UINT"):
            return quotient
        left = op.Sub(self, op.Mul(quotient, other))
        return op.Sub(quotient, op.CastLike(across(left, other), quotient))

    def across(left, other):
        """Returns where the remainder and the divisor have different signs, so that the floor is one less."""
        zero = constant(0, other)
        return op.And(op.Not(op.Equal(left, zero)), op.Xor(op.Less(other, zero), op.Less(left, zero)))

    def is_whole(value):
        return value.dtype.name.startswith(("INT", "UINT"))

    def alike_typed(self, other):
        """Returns both operands as values. A Python number gets the type of the other operand."""
        if isinstance(self, (int, float)):
            return constant(self, other), other
        if isinstance(other, (int, float)):
            return self, constant(other, self)
        return self, other

    def constant(number, like):
        made = op.Constant(value=ir.tensor(number, dtype=like.dtype))
        made.dtype = like.dtype
        return made

    made = {"floor_divide": ("default Scalar", floor_divide), "remainder": ("Tensor Scalar Scalar_Tensor", remainder), "div": ("Tensor_mode Scalar_mode", div_mode)}
    return {
        getattr(getattr(torch.ops.aten, name), overload): function
        for name, (overloads, function) in made.items()
        for overload in overloads.split()
        if hasattr(getattr(torch.ops.aten, name), overload)
    }
