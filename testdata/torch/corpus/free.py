"""What every file of programs imports."""

import torch
from torch import nn


def program(*axes, also=tuple):
    """Marks a function that returns a model and its arguments.

    Axes are those that are to be free, as x:0=batch. Also gives further arguments that the model is to be
    held to, of a kind that is not drawn from the example.
    """

    def mark(f):
        f.free, f.also = list(axes), also
        return f

    return mark


def module(forward, **parts):
    """A module with this forward. Parts are what it holds: modules, parameters, other tensors as buffers, plain attributes."""
    made = type(forward.__qualname__.split(".")[0], (nn.Module,), {"forward": forward})()
    for name, value in parts.items():
        if isinstance(value, torch.Tensor) and not isinstance(value, nn.Parameter):
            made.register_buffer(name, value)
        else:
            setattr(made, name, value)
    return made
