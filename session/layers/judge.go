package layers

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/counterpart"
	"lathe/graphops/tensor"
	"lathe/session/compare"
	"lathe/session/proof"
)

// gap is how far a value is from another one.
type gap struct {
	same      bool // equal bits
	metrics   *tensor.Metrics
	reason    string // why there are no metrics, or in which other shape B has the elements
	tolerance tensor.Tolerance
}

// gap compares a value of B with A's. For sequences and maps, the tensor with the largest error
// counts.
func (c *comparison) gap(l *layer, a, b graphops.Value) gap {
	if a.Type.Kind != b.Type.Kind {
		return gap{reason: fmt.Sprintf("is %s in b, %s in a", b.Type, a.Type)}
	}
	as, bs := tensorsOf(a), tensorsOf(b)
	if len(as) != len(bs) {
		return gap{reason: fmt.Sprintf("is of %d tensors in b, of %d in a", len(bs), len(as))}
	}
	all := gap{same: true, metrics: equalMetrics(0)}
	for i := range as {
		g := c.gapOf(l, as[i], bs[i])
		if g.metrics == nil {
			return g
		}
		all.same, all.reason = all.same && g.same, cmp.Or(all.reason, g.reason)
		if i == 0 || g.metrics.Used > all.metrics.Used {
			all.metrics, all.tolerance = g.metrics, g.tolerance
		}
	}
	return all
}

// tensorsOf returns the tensors that a value consists of.
func tensorsOf(v graphops.Value) []graphops.Value {
	if v.IsTensor() {
		return []graphops.Value{v}
	}
	var out []graphops.Value
	for _, t := range v.Tensors() {
		out = append(out, graphops.TensorValue(t))
	}
	return out
}

// equalMetrics are the metrics of n equal pairs. The magnitude of the numbers is not computed.
func equalMetrics(n int64) *tensor.Metrics {
	return &tensor.Metrics{Total: n, Cosine: 1, SNR: math.Inf(1)}
}

// gapOf compares two tensors.
func (c *comparison) gapOf(l *layer, va, vb graphops.Value) gap {
	a, b, form := va.Tensor, vb.Tensor, ""
	if !slices.Equal(a.Shape, b.Shape) {
		form = fmt.Sprintf("has the shape %s in b, %s in a", tensor.FormatShape(b.Shape), tensor.FormatShape(a.Shape))
		if !sameCount(a.Shape, b.Shape) {
			return gap{reason: form}
		}
		vb.Tensor.Shape = a.Shape
	}
	if sameBits(va, vb) {
		n, _ := tensor.Elements(a.Shape)
		return gap{same: form == "", reason: form, metrics: equalMetrics(n)}
	}
	t := c.tolerance(l, va, vb)
	m, err := compareValues(va, vb, t)
	if err != nil {
		return gap{reason: err.Error()}
	}
	return gap{reason: form, metrics: &m, tolerance: t}
}

// sameCount reports whether tensors of two shapes have the same, positive number of elements.
func sameCount(a, b []int64) bool {
	n, errA := tensor.Elements(a)
	k, errB := tensor.Elements(b)
	return errA == nil && errB == nil && n == k && n > 0
}

// sameBits reports whether two tensors of the same shape have equal bits.
func sameBits(a, b graphops.Value) bool {
	switch {
	case a.Tensor.DType != b.Tensor.DType:
		return false
	case a.Stored == nil && b.Stored == nil:
		return bytes.Equal(a.Tensor.Data, b.Tensor.Data) && slices.Equal(a.Tensor.Strings, b.Tensor.Strings)
	case a.Stored == b.Stored: // the follower found them equal when the value arrived
		return true
	}
	return bytesIn(a) == bytesIn(b) && sameStored(bytesOf(a), bytesOf(b), bytesIn(a))
}

// compareValues compares two tensors of the same shape, in memory or in files.
func compareValues(a, b graphops.Value, t tensor.Tolerance) (tensor.Metrics, error) {
	if a.Stored == nil && b.Stored == nil {
		return tensor.Compare(a.Tensor, b.Tensor, t)
	}
	ra, err := elementsOf(a)
	if err != nil {
		return tensor.Metrics{}, err
	}
	rb, err := elementsOf(b)
	if err != nil {
		return tensor.Metrics{}, err
	}
	return tensor.CompareReaders(ra, rb, a.Tensor.Shape, t)
}

// scaleSlack is the factor between the absolute tolerance and that of the type, for values of
// magnitude 1. A sum has an error as large as its terms, which may cancel.
const scaleSlack = 10

// tolerance returns the tolerance of the coarsest type among the region's inputs and outputs,
// unless one was requested. Types that the region casts to inside do not count, since such a cast
// may be the fault.
func (c *comparison) tolerance(l *layer, va, vb graphops.Value) tensor.Tolerance {
	a, b := va.Tensor, vb.Tensor
	types := []tensor.DType{a.DType, b.DType}
	if a.DType.Kind() == tensor.KindFloat || a.DType.Kind() == tensor.KindComplex {
		for _, w := range c.cutB.Inputs(l.Pair.B) {
			if from := c.of[w]; from != nil {
				types = append(types, from.elem())
			} else if fed := c.b.In[c.m.B.Graph().Index().Name(w)]; fed.IsTensor() && fed.Tensor.DType.Kind() == tensor.KindFloat {
				types = append(types, fed.Tensor.DType)
			}
		}
	}
	t := compare.ToleranceOf(types...)
	if t != (tensor.Tolerance{}) {
		t.ATol *= scaleSlack * proof.Scale(sampleOf(va))
	}
	if c.o.RTol != nil {
		t.RTol = *c.o.RTol
	}
	if c.o.ATol != nil {
		t.ATol = *c.o.ATol
	}
	return t
}

// judge judges a local error. The text says why it is not judged, or the reason of the error.
func (l *layer) judge() (Judgement, string) {
	switch j := l.byItself(); {
	case !j.Failed():
		return j, l.Reason
	case len(l.RegionB) == 0:
		return Unjudged, "a constant of b: what reads it shows whether it is right"
	case j != Stuck && l.isFine():
		return Unjudged, "b computes a's value from values with another meaning than a's"
	default:
		return j, l.Reason
	}
}

// byItself is the judgement from the local error only.
func (l *layer) byItself() Judgement {
	switch {
	case l.stuck:
		return Stuck
	case !l.done || l.Random:
		return Unjudged
	case l.localSame:
		return Equal
	case l.Local == nil || l.Reason != "":
		return Differs
	}
	return l.byNumbers()
}

// byNumbers is the judgement from the elements only, whatever their shape.
func (l *layer) byNumbers() Judgement {
	switch m := l.Local; {
	case isEqual(m):
		return Equal
	case m.Mismatched == 0:
		return Rounding
	case !l.Quantizes:
		return Differs
	// eight bits cannot represent an infinity, for example of a mask
	case m.NaNMismatched+m.InfMismatched > 0:
		return Noisy
	case m.SNR >= compare.MinSNR:
		return Quantized
	}
	return Noisy
}

func isEqual(m *tensor.Metrics) bool {
	return m.Mismatched == 0 && m.MaxAbs == 0
}

// pardonForm revokes verdicts on values that have another shape in B, if B returns to A's values.
// An optimizer that removes a Reshape and its inverse leaves all values in between in the earlier
// shape. The region in which B returns must compute differently than in A: if it contains a Reshape
// in both models, that Reshape could hide a shape that is wrong by mistake.
func (c *comparison) pardonForm() {
	list := c.layers
	readers := readersOf(list)
	returns := map[*layer]bool{}
	for i, l := range slices.Backward(list) {
		if !l.isReshaped() {
			continue
		}
		returns[l] = len(readers[i]) > 0 && all(readers[i], func(r *layer) bool { return returns[r] || !r.isReshaped() && !r.Judgement.Failed() && c.isChanged(r) })
		if returns[l] && l.Judgement == Differs {
			l.Judgement = l.byNumbers()
		}
	}
}

// isReshaped reports whether B has the same number of elements in another shape.
func (l *layer) isReshaped() bool {
	a, known := sizesOf(l.Type)
	b, knownB := sizesOf(l.TypeB)
	return known && knownB && !slices.Equal(a, b) && l.Local != nil
}

// pardon revokes verdicts on pairs that are not really counterparts, because everything that B
// computes from the value is as in A. This happens to pairs that are not supported by names. It
// also happens if a quantizer lets the range of a QuantizeLinear replace an activation: the value
// with the activation's name has then not been through it. In the second case the error must nearly
// vanish in the readers; an error that is passed on is a fault.
func pardon(list []*layer) {
	readers := readersOf(list)
	for i, l := range list {
		if !l.Judgement.Failed() || len(readers[i]) == 0 || l.Accumulated != nil && l.Accumulated.NaNMismatched+l.Accumulated.InfMismatched > 0 {
			continue
		}
		if l.Pair.How != counterpart.ByName && all(readers[i], (*layer).isFine) || all(readers[i], l.vanishesIn) {
			l.Judgement, l.Reason = Unjudged, "nothing that b computes from it is off: it means another value than a's"
		}
	}
}

func all(list []*layer, is func(*layer) bool) bool {
	return !slices.ContainsFunc(list, func(l *layer) bool { return !is(l) })
}

// isFine reports whether B, run by itself, has A's value.
func (l *layer) isFine() bool {
	return l.seen && (l.same || l.AccumulatedReason == "" && l.Accumulated != nil && l.Accumulated.Mismatched == 0)
}

// vanishesIn reports whether quantization is involved and hardly anything of the error is left in a
// reader's value.
func (l *layer) vanishesIn(reader *layer) bool {
	return (l.Quantizes || reader.Quantizes) && reader.seen && reader.Accumulated != nil && l.Accumulated != nil &&
		muchCloser*reader.Accumulated.RMS < l.Accumulated.RMS
}
