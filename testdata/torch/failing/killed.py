import os
import signal

import torch


class Model(torch.nn.Module):
    def forward(self, x):
        if torch.compiler.is_exporting():
            os.kill(os.getpid(), signal.SIGKILL)
        return x + 1

    def example_arguments(self):
        return (torch.randn(2, 3),), {}


class Fixed(Model):
    def forward(self, x):
        return x + 1
