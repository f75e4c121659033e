"""Types: whole numbers beyond float's precision, division, casts, halves, overflow, comparisons."""

import torch
from free import module, program

BIG = 10**18


@program("x:0=n")
def large_sums():
    def forward(self, x):
        return x + 1, x - 3, x.sum(), x.cumsum(0)

    return module(forward), (torch.tensor([BIG + 1, BIG + 3, -BIG - 7]),)


@program("x:0=n")
def large_products():
    """Beyond the range a product wraps."""

    def forward(self, x):
        return x * 3, x * x, x // 7, x % 1000

    return module(forward), (torch.tensor([BIG + 1, BIG + 3, -BIG - 7]),)


@program("x:0=n")
def large_compared():
    """Neighbours that are one number as floats."""

    def forward(self, x):
        return x == BIG + 1, x > BIG + 2, x.max(), x.clamp(max=BIG + 2), x.remainder(10)

    return module(forward), (torch.tensor([BIG + 1, BIG + 2, BIG + 3]),)


@program("x:0=n")
def large_mean():
    def forward(self, x):
        return x.double().mean(), x.float() / 2, (x / 2)

    return module(forward), (torch.tensor([BIG + 1, BIG + 3]),)


@program("a:0=n", "b:0=n", also=lambda: [(torch.tensor([BIG + 1, -BIG - 3]), torch.tensor([1, 3]))])
def divided_wholes():
    """Rounding down and toward zero, of both signs, and beyond what floats hold."""

    def forward(self, a, b):
        b = b + (b == 0)
        return a // b, torch.div(a, b, rounding_mode="trunc"), a % b, torch.fmod(a, b), a / b

    return module(forward), (torch.tensor([7, -7, 7, -7]), torch.tensor([2, 2, -2, -2]))


@program("a:0=n")
def divided_floats():
    def forward(self, a):
        return a // 0.7, torch.div(a, 0.7, rounding_mode="trunc"), a % 0.7, torch.fmod(a, 0.7), a.remainder(-0.7)

    return module(forward), (torch.randn(6) * 3,)


@program("x:0=n")
def narrow_overflow():
    def forward(self, x):
        return x * 3, x + x, -x, x.int() * 1000

    return module(forward), (torch.tensor([100, -128, 127, 3], dtype=torch.int8),)


@program("x:0=n")
def unsigned_overflow():
    def forward(self, x):
        return x - 1, x + 200, ~x

    return module(forward), (torch.tensor([0, 255, 127, 3], dtype=torch.uint8),)


@program("x:0=n")
def cast_toward_zero():
    def forward(self, x):
        return x.int(), x.long(), x.bool(), x.to(torch.int8), x.half().float()

    return module(forward), (torch.tensor([1.7, -1.7, 0.2, -0.2, 3.0]),)


@program("x:0=n")
def rounded():
    """Halves go to the even neighbour."""

    def forward(self, x):
        return x.round(), x.floor(), x.ceil(), x.trunc(), x.frac(), torch.round(x * 1.5, decimals=1)

    return module(forward), (torch.tensor([0.5, 1.5, 2.5, -0.5, -1.5, 0.49]),)


@program("x:0=batch")
def bfloat_inside():
    def forward(self, x):
        return (x.bfloat16() * 3).float() + 1

    return module(forward), (torch.randn(2, 3),)


@program("x:0=batch")
def half_product():
    def forward(self, x):
        return (x @ self.w).softmax(-1)

    return module(forward, w=torch.randn(4, 3).half()), (torch.randn(2, 4).half(),)


@program("x:0=batch")
def half_sum_overflow():
    """A sum beyond what halves hold."""

    def forward(self, x):
        return (x.half() * 60000 + 60000).float(), x.half().sum(dtype=torch.float32)

    return module(forward), (torch.randn(2, 3),)


@program("x:0=n", "n:0=n", "h:0=n")
def mixed_types():
    """Which type wins when two meet."""

    def forward(self, x, n, h):
        return x + n, h + n, n + 1.5, n * True, h * x, n.to(torch.int32) + n

    return module(forward), (torch.randn(3), torch.tensor([1, 2, 3]), torch.randn(3).half())


@program("x:0=n")
def mixed_with_scalars():
    """A scalar tensor does not widen, a tensor with axes does."""

    def forward(self, x):
        return x * torch.tensor(2.0, dtype=torch.float64), x * torch.tensor([2.0], dtype=torch.float64), x.half() + 1e-3

    return module(forward), (torch.randn(4),)


@program("x:0=n", "y:0=n")
def compared():
    def forward(self, x, y):
        return x == y, x != y, x >= y, torch.isclose(x, y, atol=0.5), torch.maximum(x, y), torch.eq(x.sign(), y.sign()).all()

    return module(forward), (torch.randn(5), torch.randn(5))


@program("x:0=n")
def compared_across_types():
    def forward(self, x):
        return x > 1.5, x == 2.0, x < torch.tensor(2.5)

    return module(forward), (torch.tensor([1, 2, 3, 0]),)


@program("x:0=n")
def not_a_number():
    """Comparisons, maxima and clamps with NaN and infinities among the values."""

    def forward(self, x):
        y = (x - 1).sqrt()
        return y.isnan(), y.nan_to_num(7, 8, 9), y.clamp(min=0.5), torch.fmax(y, x), (x / 0).isinf(), torch.maximum(y, x)

    return module(forward), (torch.tensor([0.5, 1.5, -2.0, 5.0]),)


@program("x:0=n")
def signs_of_zero():
    def forward(self, x):
        y = x * 0
        return torch.copysign(torch.ones(1), x), 1 / (y.abs() + 1), torch.signbit(x), x.sign(), x.sgn()

    return module(forward), (torch.randn(5),)


@program("a:0=n", "b:0=n")
def bits():
    def forward(self, a, b):
        return a & b, a | b, a ^ b, ~a, a << 2, a >> 1

    return module(forward), (torch.tensor([5, -6, 7]), torch.tensor([3, 12, -1]))


@program("x:0=n", also=lambda: [(torch.tensor([-5, 6], dtype=torch.int32), torch.tensor(n, dtype=torch.int32)) for n in (0, 5)])
def bits_shifted_by_tensor():
    def forward(self, x, n):
        return torch.bitwise_left_shift(x, n), torch.bitwise_right_shift(x, n)

    return module(forward), (torch.tensor([-5, 6, 7], dtype=torch.int32), torch.tensor(2, dtype=torch.int32))


@program("x:0=n", also=lambda: [(torch.tensor([3037000499, -3037000499]),)])
def powers():
    """The square of the largest number given fits 64 bits, and no double holds it; two to its power wraps around in PyTorch."""

    def forward(self, x):
        return x**2, 2**x, x.float() ** -1, x.pow(3).float().sqrt(), torch.pow(2.0, x)

    return module(forward), (torch.tensor([1, 2, 5]),)


@program("x:0=n")
def wide():
    """Differences that only doubles see."""

    def forward(self, x):
        return (x + 1e-12 - x) * 1e12, (x * 1e200).sum(), x.float().double() - x

    return module(forward), (torch.randn(4, dtype=torch.float64),)


@program("x:0=n")
def viewed_as_bits():
    """The bits of a float as a whole number."""

    def forward(self, x):
        return x.view(torch.int32) >> 23

    return module(forward), (torch.randn(4),)


@program("x:0=n")
def autocast():
    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return (x @ self.w).float()

    return module(forward, w=torch.randn(4, 3)), (torch.randn(2, 4),)
