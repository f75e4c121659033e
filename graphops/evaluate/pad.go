package evaluate

import (
	"bytes"
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

const (
	// sincePadInput is the first version in which the padding is an input instead of an attribute.
	// sincePadAxes is the first version with an input for the axes.
	sincePadInput = 11
	sincePadAxes  = 18
)

func pad(c *call) ([]*graphops.Tensor, error) {
	from, err := c.stored(0)
	if err != nil {
		return nil, err
	}
	if c.text("mode", "constant") != "constant" {
		return nil, unable("mode %q", c.text("mode", ""))
	}
	with, err := c.padValue(from.DType)
	if err != nil {
		return nil, err
	}
	before, after, err := c.pads(len(from.Shape))
	if err != nil {
		return nil, err
	}
	p := padding{fill: with}
	kept := tensor.Whole(from.Shape)
	p.inner = int64(len(with))
	var dims []int64
	for i, d := range from.Shape {
		front, back := before[i], after[i]
		if front < -d || back < -d || front > maxSize || back > maxSize || d+min(front, 0)+min(back, 0) < 0 {
			return nil, unable("pads of %d and %d at an axis of size %d", front, back, d)
		}
		kept.Base += max(-front, 0) * kept.Strides[i]
		kept.Shape[i] = d + min(front, 0) + min(back, 0)
		p.axes = append(p.axes, padAxis{before: max(front, 0), kept: kept.Shape[i], after: max(back, 0)})
		dims = append(dims, kept.Shape[i]+max(front, 0)+max(back, 0))
	}
	for i := range p.axes {
		_, p.axes[i].inner = sizes(dims, i)
		p.axes[i].inner *= p.inner
	}
	if kept, _ := tensor.Elements(kept.Shape); kept == 0 {
		return nil, unable("nothing is left")
	}
	return c.one(from.DType, dims, func(w io.Writer) error {
		r, err := kept.Reader(from)
		if err != nil {
			return unable("%w", err)
		}
		return p.write(w, r, 0)
	})
}

// maxSize is larger than the size of any axis that occurs, and so small that sums of sizes do not
// overflow.
const maxSize = 1 << 40

// padValue returns the bytes of the element with which the tensor is padded.
func (c *call) padValue(d tensor.DType) ([]byte, error) {
	zero := make([]byte, d.Bits()/8)
	if c.Version < sincePadInput {
		if a, ok := c.Attribute("value"); ok && a.Float() != 0 {
			t, err := tensor.FromFloat64s(d, []float64{float64(a.Float())})
			if err != nil || d != tensor.F32 {
				return nil, unable("a value of type %s", d)
			}
			return t.Data, nil
		}
		return zero, nil
	}
	if !c.has(2) {
		return zero, nil
	}
	t, err := c.all(2)
	if err != nil || t.DType != d || t.Len() != 1 {
		return nil, unable("a value of type %s %s", t.DType, tensor.FormatShape(t.Shape))
	}
	return t.Data, nil
}

// pads returns, for each axis, the number of elements to add before and after it. It is negative if
// elements are to be removed.
func (c *call) pads(rank int) (before, after []int64, err error) {
	list, stated, err := c.intsOr("pads", 1, sincePadInput)
	if err != nil || !stated {
		return nil, nil, unable("pads are not known")
	}
	axes := make([]int64, 0, rank)
	for i := range rank {
		axes = append(axes, int64(i))
	}
	if c.Version >= sincePadAxes && c.has(3) {
		if axes, err = c.ints(3); err != nil {
			return nil, nil, err
		}
	}
	before, after = make([]int64, rank), make([]int64, rank)
	if len(list) != 2*len(axes) || len(axes) > rank {
		return nil, nil, unable("%d pads along %d axes", len(list), len(axes))
	}
	seen := make([]bool, rank)
	for i, a := range axes {
		at, err := axis(a, rank)
		if err != nil || seen[at] {
			return nil, nil, unable("axes %v", axes)
		}
		seen[at] = true
		before[at], after[at] = list[i], list[len(axes)+i]
	}
	return before, after, nil
}

// padding writes a tensor surrounded by copies of one element.
type padding struct {
	axes  []padAxis
	fill  []byte
	inner int64 // the size of an element
}

type padAxis struct {
	before, kept, after int64
	inner               int64 // number of bytes for one index
}

// write writes the part of the result that belongs to one index of the axes before the given axis.
func (p padding) write(w io.Writer, kept io.Reader, axis int) error {
	if axis == len(p.axes) {
		return copyBytes(w, kept, p.inner, make([]byte, p.inner))
	}
	a := p.axes[axis]
	if err := p.filled(w, a.before*a.inner); err != nil {
		return err
	}
	if axis == len(p.axes)-1 {
		if err := copyBytes(w, kept, a.kept*p.inner, make([]byte, min(a.kept*p.inner, inMemory))); err != nil {
			return err
		}
	} else {
		for range a.kept {
			if err := p.write(w, kept, axis+1); err != nil {
				return err
			}
		}
	}
	return p.filled(w, a.after*a.inner)
}

// filled writes n bytes that consist of copies of the element.
func (p padding) filled(w io.Writer, n int64) error {
	if n == 0 {
		return nil
	}
	buf := bytes.Repeat(p.fill, int(min(n, inMemory)/p.inner))
	return copyBytes(w, endless{buf}, n, slices.Clone(buf))
}

// endless is a reader that returns the same bytes again and again.
type endless struct{ b []byte }

// Read implements io.Reader.
func (e endless) Read(b []byte) (int, error) { return copy(b, e.b), nil }
