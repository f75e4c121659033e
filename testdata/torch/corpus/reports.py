"""Programs after public reports about torch.onnx.export. Each names the report that it follows."""

import torch
from free import module, program
from torch import nn
from torch.nn import functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


@program("x:0=batch")
def cubic_with_filter():
    """pytorch/pytorch#177138: with antialias, PyTorch's bicubic filter has another coefficient."""

    def forward(self, x):
        return F.interpolate(x, size=(5, 4), mode="bicubic", antialias=True)

    return module(forward), (torch.randn(2, 3, 11, 9),)


@program("x:0=batch")
def resized_to_one_pixel():
    """pytorch/pytorch#183523: a bilinear resize to a single pixel."""

    def forward(self, x):
        return F.interpolate(x, size=(1, 1), mode="bilinear", align_corners=False)

    return module(forward), (torch.randn(2, 3, 4, 6),)


@program("x:0=batch")
def average_over_the_edge():
    """pytorch/pytorch#183528: how many cells a window at the edge divides by, with ceil_mode."""

    def forward(self, x):
        return F.avg_pool2d(x, 3, 2, padding=1, ceil_mode=True, count_include_pad=True)

    return module(forward), (torch.randn(2, 1, 4, 4),)


@program("x:0=batch")
def average_without_last_window():
    """pytorch/pytorch#131272: with ceil_mode, PyTorch skips a window that would start in the padding."""

    def forward(self, x):
        return F.avg_pool2d(x, 3, 3, padding=1, ceil_mode=True)

    return module(forward), (torch.randn(2, 3, 2, 2),)


@program("x:0=batch", "x:1=time", "mask:0=batch", "mask:1=time")
def both_ways_by_hand():
    """pytorch/pytorch#191855: two LSTMs, the second over the reversed sequence."""

    def forward(self, x, mask):
        there, _ = self.there(x)
        back, _ = self.back(x.flip(1))
        return torch.cat([there, back.flip(1)], -1) * mask.unsqueeze(-1)

    parts = {"there": nn.LSTM(4, 3, batch_first=True), "back": nn.LSTM(4, 3, batch_first=True)}
    return module(forward, **parts), (torch.randn(2, 7, 4), torch.ones(2, 7))


@program("mask:0=batch", "mask:1=seq")
def positions_of_mask():
    """pytorch/pytorch#40044: a running sum of truth values counts."""

    def forward(self, mask):
        at = mask.cumsum(1)
        return at, (at - 1).masked_fill(~mask, 1)

    return module(forward), (torch.tensor([[False, True, True, True], [True, True, False, False]]),)


@program("x:0=batch", "x:1=channels", "x:2=height", "x:3=width")
def sizes_of_data():
    """pytorch/pytorch#77410: the sizes are read from x.data."""

    def forward(self, x):
        n, c, h, w = x.data.size()
        return x.reshape(n, c, h * w) / (h * w), torch.full((n,), c)

    return module(forward), (torch.randn(2, 3, 4, 5),)


@program("x:0=batch", "y:0=batch")
def slice_scattered_aside():
    """pytorch/pytorch#124915: slice_scatter makes a new tensor and leaves its input alone."""

    def forward(self, x, y):
        z = x.slice_scatter(y, dim=1, start=2, end=6, step=2)
        return x, z, x + z

    return module(forward), (torch.randn(8, 8), torch.randn(8, 2))


@program("x:0=batch")
def zero_where_constant_mask():
    """pytorch/pytorch#126856: an assignment by a mask that is made in forward, to the input itself."""

    def forward(self, x):
        mask = torch.ones(x.shape, dtype=torch.bool)
        mask[:, 0, 1] = False
        x[mask] = 0
        return x

    return module(forward), (torch.randn(2, 3, 3),)


@program("x:0=batch", "y:0=batch")
def columns_in_turn():
    """pytorch/pytorch#29647: a loop that scatters into what the round before has made."""

    def forward(self, x, y):
        for i in range(4):
            at = torch.full((x.shape[0], 1), i)
            x = x.scatter(1, at, x.sum(1, keepdim=True) + y[:, i : i + 1])
        return x

    return module(forward), (torch.randn(3, 5), torch.randn(3, 4))


@program("x:0=batch", "x:2=time", "past:1=batch")
def layer_of_a_cache():
    """pytorch/pytorch#80271: a cache is written through a variable that is a view of one layer."""

    def forward(self, x, past):
        new = past.clone()
        for i, conv in enumerate(self.convs):
            layer = new[i]
            joined = torch.cat([past[i], x], -1)
            layer[:, :, :] = joined[:, :, -2:]
            x = conv(joined)
        return x, new

    convs = nn.ModuleList([nn.Conv1d(3, 3, 3), nn.Conv1d(3, 3, 3)])
    return module(forward, convs=convs), (torch.randn(2, 3, 5), torch.randn(2, 2, 3, 2))


@program("x:0=batch", "x:2=height", "x:3=width")
def shuffled_at_any_size():
    """pytorch/pytorch#34352: a pixel shuffle whose height and width are free."""

    def forward(self, x):
        y = F.pixel_shuffle(x, 2)
        return y, F.pixel_unshuffle(y, 2) - x

    return module(forward), (torch.randn(2, 8, 4, 5),)


@program("x:0=tokens", "durations:0=tokens", also=lambda: [(torch.randn(3, 4), torch.tensor([0, 7, 1]))])
def repeated_for_durations():
    """pytorch/pytorch#87550: each row is repeated as often as the data say."""

    def forward(self, x, durations):
        return x.repeat_interleave(durations, dim=0)

    return module(forward), (torch.randn(4, 4), torch.tensor([2, 1, 0, 3]))


@program("x:0=batch", "x:2=seq", "positions:0=batch", "positions:1=seq")
def rotary_interleaved():
    """pytorch/pytorch#128505: a rotary embedding whose frequencies stand in pairs."""

    def forward(self, x, positions):
        angle = positions[:, :, None].float() * self.frequency
        angle = angle.repeat_interleave(2, dim=-1)[:, None]
        turned = torch.stack([-x[..., 1::2], x[..., ::2]], -1).flatten(-2)
        return x * angle.cos() + turned * angle.sin()

    frequency = 1 / 100 ** (torch.arange(0, 8, 2) / 8)
    return module(forward, frequency=frequency), (torch.randn(2, 2, 5, 8), torch.arange(5).expand(2, 5).clone())


def near_whole():
    x = torch.tensor([1.0, -1.0, 0.3, -0.3, 6.0, 0.7, -0.7])
    return [(x, torch.full((7,), d)) for d in (0.1, -0.1, 0.3)]


@program("x:0=n", "y:0=n", also=near_whole)
def floored_quotients():
    """microsoft/onnxscript#989: a floored quotient that is off by one where the quotient is almost whole."""

    def forward(self, x, y):
        return torch.floor_divide(x, y), torch.div(x, y, rounding_mode="floor"), x // 0.1

    return module(forward), (torch.randn(7), torch.rand(7) + 0.5)


@program("x:0=batch")
def quantized_in_training():
    """pytorch/pytorch#167063: a FakeQuantize module that was calibrated, with its observer off."""

    def forward(self, x):
        return self.after(self.layer(self.before(x)))

    from torch.ao.quantization import FakeQuantize, MovingAverageMinMaxObserver

    def calibrated(over):
        q = FakeQuantize(MovingAverageMinMaxObserver, quant_min=0, quant_max=255)
        q(over)
        q.disable_observer()
        return q

    parts = {"before": calibrated(torch.linspace(-2, 3, 50)), "after": calibrated(torch.linspace(-4, 1, 50))}
    return module(forward, layer=nn.Linear(4, 3), **parts), (torch.randn(2, 4),)


@program("x:0=batch", "lengths:0=batch")
def sorted_and_packed():
    """pytorch/pytorch#17519: sorted by length, packed, unpacked and put back in order."""

    def forward(self, x, lengths):
        lengths, order = torch.sort(lengths, descending=True)
        y, _ = self.lstm(pack_padded_sequence(x[order], lengths, batch_first=True))
        y, _ = pad_packed_sequence(y, batch_first=True, total_length=x.shape[1])
        return y[order.argsort()]

    return module(forward, lstm=nn.LSTM(2, 2, batch_first=True)), (torch.randn(4, 3, 2), torch.tensor([2, 3, 1, 1]))


class ConvAndNorm(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 4, 3, padding=1, bias=False), nn.BatchNorm2d(4)
        nn.init.uniform_(self.norm.running_mean), nn.init.uniform_(self.norm.running_var, 0.5, 2)

    def forward(self, x: torch.Tensor):
        return self.norm(self.conv(x))


class OneOfTwo(nn.Module):
    def __init__(self, example):
        super().__init__()
        self.a, self.b = (torch.jit.trace(ConvAndNorm().eval(), example) for _ in range(2))

    def forward(self, x):
        if x.sum() > 0:
            return self.a(x)
        return self.b(x)


@program("x:0=batch", also=lambda: [(torch.full((2, 3, 5, 5), v),) for v in (1.0, -1.0)])
def scripted_choice_of_traced():
    """pytorch/pytorch#68724: a scripted module chooses between two traced ones with BatchNorm."""

    def forward(self, x):
        return self.choice(x)

    x = torch.randn(2, 3, 5, 5)
    return module(forward, choice=torch.jit.script(OneOfTwo(x).eval())), (x,)


@program("x:0=batch", also=lambda: [(torch.full((3, 4), v),) for v in (2.0, -2.0)])
def branches_without_input():
    """microsoft/onnxscript#2728: the branches of a torch.cond can be folded into constants."""

    def forward(self, x):
        y = torch.cond(x.sum() > 0, lambda x: torch.ones_like(x), lambda x: torch.zeros_like(x), (x,))
        return y, torch.ones_like(x)

    return module(forward), (torch.randn(3, 4),)


@program("x:0=batch", "x:1=time")
def mel():
    """pytorch/pytorch#107677: a mel spectrogram of any length."""

    def forward(self, x):
        power = torch.stft(x, 16, 8, window=self.window, center=True, return_complex=True).abs().square()
        return (self.filters @ power).clamp(min=1e-5).log()

    return module(forward, window=torch.hann_window(16), filters=torch.rand(5, 9)), (torch.randn(2, 40),)
