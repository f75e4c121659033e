import contextlib
import math
from typing import Optional


def attention_translation(opset):
    """A translation of attention with a mask for the new exporter. PyTorch returns zeros for a row whose keys are all
    masked. The exporter's own translation returns the mean of all values there, or NaN."""
    try:
        from onnxscript import ir
        from onnxscript import opset18 as op
        from onnxscript.function_libs.torch_lib.ops import nn

        plain = nn.aten_scaled_dot_product_attention
        plain_of_bools = getattr(nn, "aten_scaled_dot_product_attention_bool_mask", plain)  # onnxscript 0.2 has two functions
        one_node = plain
        if opset >= 23:
            with contextlib.suppress(ImportError):  # PyTorch 2.6 converts the opset itself
                from torch.onnx._internal.exporter._torchlib.ops.nn import aten_scaled_dot_product_attention_23 as one_node
    except ImportError:
        return {}

    def attention(query, key, value, attn_mask=None, dropout_p: float = 0.0, is_causal: bool = False, scale: Optional[float] = None, enable_gqa: bool = False):
        # ONNX Runtime's Attention rejects a mask with one row for all queries.
        has_row_per_query = attn_mask is None or len(attn_mask.shape) > 1 and attn_mask.shape[-2] == query.shape[-2]
        function, three = one_node if has_row_per_query else plain, all(len(x.shape) == 3 for x in (query, key, value))
        if function is plain and attn_mask is not None and attn_mask.dtype == ir.DataType.BOOL:
            function = plain_of_bools
        operands = [with_batch(x) if three and x is not None else x for x in (query, key, value, attn_mask)]
        made = function(*operands, dropout_p, is_causal, scale, **({"enable_gqa": True} if enable_gqa else {}))
        if three:
            made = op.Squeeze(made, op.Constant(value=ir.tensor([0], dtype=ir.DataType.INT64)))
        return made if attn_mask is None else op.Where(nothing_left(attn_mask), op.CastLike(0.0, made), made)

    def with_batch(value):
        """Adds a first axis, because the exporter's translation takes only four axes."""
        made = op.Unsqueeze(value, op.Constant(value=ir.tensor([0], dtype=ir.DataType.INT64)))
        made.dtype, made.shape = value.dtype, ir.Shape([1, *value.shape])
        return made

    def nothing_left(mask):
        """Returns the rows in which the mask hides all keys. A mask is false or -inf at hidden keys."""
        axis = op.Constant(value=ir.tensor([-1], dtype=ir.DataType.INT64))
        if mask.dtype == ir.DataType.BOOL:
            return op.Equal(op.ReduceMax(op.Cast(mask, to=int(ir.DataType.INT32)), axis), op.Constant(value=ir.tensor(0, dtype=ir.DataType.INT32)))
        return op.Equal(op.ReduceMax(mask, axis), op.CastLike(-math.inf, mask))

    return {torch.ops.aten.scaled_dot_product_attention.default: attention}
