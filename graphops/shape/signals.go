package shape

import (
	"fmt"
	"slices"

	"lathe/graphops/dim"
)

// signals has the rules of transforms between a signal and its frequencies. The last axis of such a
// tensor has one number for a real value, or two for a complex one.
var signals = family{"DFT": discreteFourier, "STFT": shortTimeFourier, "MelWeightMatrix": melWeights}

// half returns how many of n frequencies suffice for a real signal.
func half(n dim.Dim) dim.Dim { return n.FloorDiv(dim.Number(2)).Add(dim.Number(1)) }

func discreteFourier(c *call) {
	d := c.dims(0)
	if d == nil {
		return
	}
	if len(d) < 2 {
		c.problem(0, c.describe(0)+" should have an axis for the signal, and a last one for the parts of a number (real or complex)")
		return
	}
	oneSided, inverse := c.attrInt("onesided", 0) != 0, c.attrInt("inverse", 0) != 0
	c.parts(0, oneSided, inverse)
	out := slices.Clone(d)
	if out[len(d)-1] = dim.Number(2); oneSided && inverse {
		out[len(d)-1] = dim.Number(1)
	}
	axis, known, ok := c.signalAxis(len(d))
	if !ok {
		return
	}
	if !known {
		c.outDims(0, append(unknownDims(len(d)-1), out[len(d)-1]))
		return
	}
	out[axis] = c.frequencies(d[axis], oneSided, inverse)
	c.outDims(0, out)
}

// frequencies returns the size of a transformed axis. If dft_length is given, it determines how
// much of the axis is used.
func (c *call) frequencies(n dim.Dim, oneSided, inverse bool) dim.Dim {
	switch {
	case c.has(1):
		n = c.single(1)
	case oneSided && inverse:
		n = n.Sub(dim.Number(1)).Mul(dim.Number(2))
	}
	if oneSided && !inverse {
		return half(n)
	}
	return n
}

// parts requires that an input has the numbers that a one-sided transform needs: real ones for a
// signal, complex ones for frequencies.
func (c *call) parts(i int, oneSided, inverse bool) {
	n := c.extent(i, -1)
	switch {
	case oneSided && inverse:
		c.holds(i, -1, "onesided and inverse", dim.Number(2))
	case oneSided:
		c.holds(i, -1, "onesided", dim.Number(1))
	case dim.Apart(n, dim.Number(1)) && dim.Apart(n, dim.Number(2)):
		c.problem(i, fmt.Sprintf("%s: the last axis should have size 1 (real numbers) or 2 (complex numbers), but has size %s", c.describe(i), n))
	default:
		c.note(c.axisSource(i, -1), Source{dim.Number(2), -1, -1}, AtMost, "")
	}
}

// signalAxis returns the transformed axis, which is an attribute in earlier versions and an
// input in later ones.
func (c *call) signalAxis(rank int) (axis int, known, ok bool) {
	n := int64(-2)
	switch {
	case c.since < 20:
		n = c.attrInt("axis", 1)
	case c.has(2):
		if n, known = c.position(2); !known {
			return 0, false, true
		}
	}
	if axis, ok = c.axis(n, rank); ok && axis == rank-1 {
		c.problem(-1, fmt.Sprintf("axis %d of %s has the parts of complex numbers, expected an axis of the signal", n, c.describe(0)))
		ok = false
	}
	return axis, true, ok
}

// shortTimeFourier is the rule of STFT. It transforms frames of a signal, optionally multiplied by
// a window.
func shortTimeFourier(c *call) {
	oneSided := c.attrInt("onesided", 1) != 0
	if c.rankIn(0, 2, 3) == nil {
		c.outDims(0, append(unknownDims(3), dim.Number(2)))
		return
	}
	if len(c.dims(0)) == 3 {
		c.tolerate(func() { c.parts(0, oneSided, false) }) // ONNX Runtime also accepts complex ones
	}
	n, signal := c.frameLength(), c.extent(0, 1)
	bins := n
	if oneSided {
		bins = half(n)
	}
	c.roomFor(n, signal)
	frames := dim.Unknown()
	step := c.single(1)
	c.atLeast(Source{step, 1, -1}, dim.Number(1), "")
	if step.Known() || n.Equal(signal) {
		frames = signal.Sub(n).FloorDiv(step).Add(dim.Number(1))
	}
	c.outDims(0, []dim.Dim{c.extent(0, 0), frames, bins, dim.Number(2)})
}

// frameLength is given by an input or by the length of the window. Without both it is the length
// of the signal.
func (c *call) frameLength() dim.Dim {
	window := c.has(2) && c.rankIn(2, 1) != nil
	switch {
	case c.has(3) && window:
		n := c.single(3)
		return known(n, c.demand(Source{c.extent(2, 0), 2, 0}, Source{n, 3, -1}))
	case c.has(3):
		return c.single(3)
	case c.has(2):
		return c.extent(2, 0)
	default:
		return c.extent(0, 1)
	}
}

func melWeights(c *call) {
	c.outTensor(0, c.typeIn("output_datatype"), []dim.Dim{half(c.single(1)), c.single(0)})
}
