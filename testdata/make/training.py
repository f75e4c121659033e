"""What the scripts that train share: a repeatable PyTorch, a training loop, the tracing exporter.

Packages: torch, numpy, onnx, onnxscript.

Import this module before torch: the math libraries read their settings once, when they load.
"""

import os

# One instruction set, which x86-64 servers have had for ten years: two machines round alike.
os.environ.setdefault("ATEN_CPU_CAPABILITY", "avx2")
os.environ.setdefault("MKL_CBWR", "AVX2")
os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX2")

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
    for epoch in range(epochs):
        total = 0.0
        for rows in torch.randperm(examples, generator=order).split(batch):
            optimizer.zero_grad()
            loss = loss_of(rows)
            loss.backward()
            optimizer.step()
            schedule.step()
            total += loss.item() * len(rows)
        print(f"epoch {epoch + 1:2} of {epochs}: mean loss {total / examples:.4f}", flush=True)
    model.eval()


def export_classic(model, inputs, **options):
    """Exports through TorchScript tracing, which leaves no value_info in the model."""
    buffer = io.BytesIO()
    torch.onnx.export(model, inputs, buffer, dynamo=False, opset_version=17, **options)
    return onnx.load_from_string(buffer.getvalue())


def rename_value(graph, old, new):
    """Renames an intermediate value of a graph without subgraphs, wherever it is named."""
    for node in graph.node:
        node.input[:] = [new if name == old else name for name in node.input]
        node.output[:] = [new if name == old else name for name in node.output]
    for info in graph.value_info:
        if info.name == old:
            info.name = new
