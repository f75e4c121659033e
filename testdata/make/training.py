"""What the training scripts share: a repeatable PyTorch and the exports they post-process.

Packages: torch, numpy, onnx, onnxscript.

Import this module before torch: the math libraries read their settings once, when they load.
"""

import os

# One instruction set for every CPU, so that two machines round alike.
os.environ.setdefault("ATEN_CPU_CAPABILITY", "default")
os.environ.setdefault("MKL_CBWR", "COMPATIBLE")
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "SSE41")

import io

import onnx
import torch


def repeatable(seed):
    """Makes what follows a function of the seed: one thread, deterministic kernels."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)


def fit(model, loss_of, examples, epochs, batch, rate, seed):
    """Trains with Adam and a one-cycle learning rate; loss_of takes the indices of a batch."""
    steps = epochs * -(-examples // batch)
    optimizer = torch.optim.Adam(model.parameters(), lr=rate)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=rate, total_steps=steps)
    order = torch.Generator().manual_seed(seed)
    model.train()
    for _ in range(epochs):
        for rows in torch.randperm(examples, generator=order).split(batch):
            optimizer.zero_grad()
            loss_of(rows).backward()
            optimizer.step()
            schedule.step()
    model.eval()


def export_classic(model, inputs, **options):
    """Exports through TorchScript tracing and adds value_info for the intermediate values."""
    buffer = io.BytesIO()
    torch.onnx.export(model, inputs, buffer, dynamo=False, opset_version=17, **options)
    return onnx.shape_inference.infer_shapes(onnx.load_from_string(buffer.getvalue()))


def rename_value(graph, old, new):
    """Renames an intermediate value of a graph without subgraphs, wherever it is named."""
    for node in graph.node:
        node.input[:] = [new if name == old else name for name in node.input]
        node.output[:] = [new if name == old else name for name in node.output]
    for info in graph.value_info:
        if info.name == old:
            info.name = new
