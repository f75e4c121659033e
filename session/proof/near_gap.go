package proof

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// gap is how much a value differs from the original's.
type gap struct {
	bits                bool // all bits are equal
	maxAbs, maxRel, rms float64
	odd                 int64 // elements that are NaN or infinite on one side only
	// otherShape is set if the number of parts or the shape differs, which can follow from rounding
	// if a model selects elements. otherType is set if the type differs, which cannot.
	otherShape, otherType bool
	exact                 bool // values without rounding differ: integers, bools, texts
	unequal               elements
	// signal-to-noise ratio in dB, the lowest of the tensors; 0 if all are equal
	snr float64
	// difference is the first that exceeds the tolerance, or nil.
	difference *Difference
}

// gapOf compares a value with the original's, part by part.
func gapOf(want, got graphops.Value) gap {
	g := gap{bits: true}
	as, bs := partsOf(want), partsOf(got)
	if want.Type.Kind != got.Type.Kind || len(as) != len(bs) {
		g.bits, g.otherType, g.otherShape = false, want.Type.Kind != got.Type.Kind, true
		g.difference = &Difference{Reason: fmt.Sprintf("%s of %d tensors, expected %s of %d", got.Type, len(bs), want.Type, len(as))}
		return g
	}
	for i, a := range as {
		d := g.tensor(i, a.Tensor, bs[i].Tensor)
		if d != nil && g.difference == nil {
			d.At = a.at
			g.difference = d
		}
	}
	return g
}

// tensor compares one tensor and returns the difference if it exceeds the tolerance. part is its
// position in the value.
func (g *gap) tensor(part int, a, b tensor.Tensor) *Difference {
	if d := unlike(a, b); d != nil {
		g.bits, g.otherShape, g.otherType = false, true, g.otherType || a.DType != b.DType
		return d
	}
	if bytes.Equal(a.Data, b.Data) && slices.Equal(a.Strings, b.Strings) {
		return nil
	}
	g.bits = false
	m, err := tensor.Compare(a, b, toleranceUpTo(a))
	if err != nil {
		g.otherType = true
		return &Difference{Reason: err.Error()}
	}
	g.maxAbs, g.maxRel, g.rms = max(g.maxAbs, m.MaxAbs), max(g.maxRel, m.MaxRel), max(g.rms, m.RMS)
	if g.snr == 0 || m.SNR < g.snr {
		g.snr = m.SNR
	}
	g.odd += m.NaNMismatched + m.InfMismatched
	if m.Mismatched == 0 {
		return nil
	}
	if !isFloat(a.DType) {
		g.exact = true
		g.unequal.add(part, a, b)
	}
	d := &Difference{}
	d.element(m.Worst)
	return d
}

func isFloat(d tensor.DType) bool {
	return d.Kind() == tensor.KindFloat || d.Kind() == tensor.KindComplex
}

// samples is how many numbers of a tensor are used to determine its scale.
const samples = 4096

// Scale returns the usual magnitude of the nonzero numbers of a tensor. This is their root mean
// square, but at most four times the magnitude below which a third of them are. For normally
// distributed numbers, the root mean square is smaller than that limit. The limit matters if a few
// numbers are much larger than all others, such as the -1e9 of a mask: they would hide errors of
// the others.
func Scale(t tensor.Tensor) float64 {
	list := sampled(t)
	if len(list) == 0 {
		return 0
	}
	squares := 0.0
	for _, x := range list {
		squares += x * x
	}
	slices.Sort(list)
	return min(math.Sqrt(squares/float64(len(list))), 4*list[len(list)/3])
}

// sampled returns the magnitudes of numbers at equal distances, without zeros and numbers that are
// not finite.
func sampled(t tensor.Tensor) []float64 {
	n, err := tensor.Elements(t.Shape)
	if err != nil {
		return nil
	}
	step, at := n/samples+1, int64(0)
	var list []float64
	for x := range numbers(t) {
		if at++; at%step != 0 {
			continue
		}
		if x = math.Abs(x); x > 0 && x <= math.MaxFloat64 {
			list = append(list, x)
		}
	}
	return list
}

// numbers yields the numbers of a tensor, and nothing for texts.
func numbers(t tensor.Tensor) func(yield func(float64) bool) {
	return func(yield func(float64) bool) {
		r, err := t.Reader()
		if err != nil {
			return
		}
		for {
			chunk, err := r.Float64s()
			if err != nil {
				return
			}
			for _, x := range chunk {
				if !yield(x) {
					return
				}
			}
		}
	}
}
