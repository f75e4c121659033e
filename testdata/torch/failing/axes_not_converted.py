import io

import torch


class Nested(torch.nn.Module):
    def forward(self, batch):
        return batch["a"] + batch["b"][0]


def Model():
    """A file that exports by itself, with axes told as the old exporter wants them."""
    model, args = Nested().eval(), ({"a": torch.randn(2, 3), "b": [torch.randn(2, 3)]},)
    torch.onnx.export(model, args, io.BytesIO(), dynamo=True, input_names=["a", "b", "c"], dynamic_axes={"c": {0: "batch"}})
    return model, args


def Fixed():
    return Nested().eval(), ({"a": torch.randn(2, 3), "b": [torch.randn(2, 3)]},)
