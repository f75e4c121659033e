package mutate

import (
	"math"
	"slices"
)

// edges are integers that often cause errors.
var edges = []int64{
	0, 0, 0, -1, -1, 1, 2, -2, 3, -3, 4, 5, 7, 8, 16, 31, 32, 33, 63, 64, 100, 127, 128, 255, 256, 1000, 4096, 65535, 65536, 1 << 24,
	math.MaxInt32, math.MaxInt32 - 1, math.MinInt32, math.MinInt32 + 1, 1 << 31, 1<<32 - 1, 1 << 32, 1<<32 + 1, -1 << 32, 1 << 40, -1 << 40,
	1 << 61, 1 << 62, math.MaxInt64, math.MaxInt64 - 1, math.MinInt64, math.MinInt64 + 1, 3037000500, 4611686018427387905,
}

// sizes are the values that a dimension can be changed to. Most are small, because a runtime
// rejects a model with large ones at once.
var sizes = []int64{0, 0, 1, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17, 31, 33, 64, 100, 1000, 65537, 1 << 20, -1, 1 << 31, 1 << 32, 1 << 62, math.MaxInt64, math.MinInt64}

var floats = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, 1e-45, 1e-30, -1e-30, 1e-7, 1e10, -1e10, 2147483648, -2147483649, 9.3e18, -9.3e18, 3e38, -3e38,
	math.Inf(1), math.Inf(-1), math.NaN(),
}

var words = []string{
	"", "x", "NONE", "none", "SAME_UPPER", "SAME_LOWER", "VALID", "linear", "cubic", "nearest", "constant", "reflect", "edge", "wrap", "bidirectional", "reverse",
	"add", "mul", "max", "mean", "sum", "Relu", "Affine", "Softplus", "LeakyRelu", "...", "...->", "i->", "->", "ii", ",", "ij,jk,kl->il", "a...a", "(", "[", "(a+)+$", "\x00", "\xff\xfe", "%s%n",
	"align_corners", "tf_crop_and_resize", "half_pixel_symmetric", "asymmetric", "CRD", "BRANCH_EQ", "LEAF", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!",
}

// whole returns a random integer, based on the given one.
func (m *mutator) whole(was int64) int64 {
	switch m.rng.IntN(8) {
	case 0:
		return -was
	case 1:
		return was + int64(m.rng.IntN(3)) - 1
	case 2:
		return was * 2
	}
	return pick(m, edges)
}

// list returns a random list of integers, based on the given one: an element or the length is
// changed.
func (m *mutator) list(was []int64) []int64 {
	out := slices.Clone(was)
	switch m.rng.IntN(6) {
	case 0:
		return nil
	case 1:
		return append(out, m.whole(1))
	case 2:
		return out[:m.rng.IntN(len(out)+1)]
	case 3:
		n := m.whole(1)
		for i := range out {
			out[i] = n
		}
		return out
	}
	if len(out) == 0 {
		return []int64{m.whole(1)}
	}
	i := m.rng.IntN(len(out))
	out[i] = m.whole(out[i])
	return out
}
