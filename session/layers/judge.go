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

// gap is the result of comparing a value of B with that of A.
type gap struct {
	same      bool // equal bits
	metrics   *tensor.Metrics
	reason    string // why there are no metrics, or in which other shape B has the elements
	tolerance tensor.Tolerance
}

// gap compares a value of B with that of A. Of the tensors in a sequence or map, the one with the
// largest error counts.
func (c *comparison) gap(l *layer, a, b graphops.Value) gap {
	if a.Type.Kind != b.Type.Kind {
		return gap{reason: fmt.Sprintf("is %s in b, %s in a", b.Type, a.Type)}
	}
	as, bs := tensorsOf(a), tensorsOf(b)
	if len(as) != len(bs) {
		return gap{reason: fmt.Sprintf("has %d tensors in b, %d in a", len(bs), len(as))}
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

// tensorsOf returns the tensors in a value, or the value itself if it is a tensor.
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

// equalMetrics returns the metrics of two equal tensors with n elements. The metrics that depend on
// the magnitude of the elements are left at 0.
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

// sameCount reports whether two shapes have the same number of elements, and at least one.
func sameCount(a, b []int64) bool {
	n, errA := tensor.Elements(a)
	k, errB := tensor.Elements(b)
	return errA == nil && errB == nil && n == k && n > 0
}

// sameBits reports whether two tensors of the same shape have the same type and the same bits.
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

// compareValues compares two tensors of the same shape, which may be in memory or in the file.
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

// scaleSlack is the factor by which the absolute tolerance of a type is multiplied, in addition to
// the magnitude of the value. A sum has an error as large as that of its terms, and the terms can
// be larger than the sum.
const scaleSlack = 10

// tolerance returns the tolerance for a layer, unless the user requested one. It is that of the
// coarsest type among the inputs and the output of the layer's region. If nodes inside the region
// cast to a coarser type, that type does not count, because such a cast may be the fault.
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

// judge judges the local error of a layer. The text says why the layer is not judged or what is
// wrong, if that is known.
func (l *layer) judge() (Judgement, string) {
	switch j := l.byItself(); {
	case !j.Failed():
		return j, l.Reason
	case len(l.RegionB) == 0:
		return Unjudged, "a constant in b: the nodes that read it show whether it is right"
	case j != Stuck && l.isFine():
		return Unjudged, "b computes a's value, but from inputs that mean something else than a's"
	default:
		return j, l.Reason
	}
}

// byItself returns the judgement that follows from the local error alone.
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

// byNumbers returns the judgement that follows from the elements alone, whatever their shape.
func (l *layer) byNumbers() Judgement {
	switch m := l.Local; {
	case isEqual(m):
		return Equal
	case m.Mismatched == 0:
		return Rounding
	case !l.Quantizes:
		return Differs
	// 8-bit integers cannot represent an infinity, such as those in an attention mask.
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

// pardonForm withdraws the judgement on values that have another shape in B but no other error, if
// B returns to A's shape later. If an optimizer removes a Reshape and a later one that undoes it,
// all values in between keep the earlier shape. The region in which B returns to A's shape must
// compute in another way than in A. If it has the same Reshape in both models, that Reshape could
// hide a shape that is wrong by mistake.
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

// isReshaped reports whether the value has the same number of elements in B but another shape.
func (l *layer) isReshaped() bool {
	a, known := sizesOf(l.Type)
	b, knownB := sizesOf(l.TypeB)
	return known && knownB && !slices.Equal(a, b) && l.Local != nil
}

// pardon withdraws the judgement on layers whose two values do not mean the same, so that they
// cannot be compared. That is shown by everything that B computes from the value being as in A.
// There are two cases. In the first, the pair does not rest on equal names. In the second, a
// quantizer has dropped an activation such as Relu, because the range of the QuantizeLinear after
// it has the same effect. The value that has the activation's name in B has then not been through
// the activation. In the second case, the error must nearly vanish in the values computed from it.
// An error that is passed on is a fault.
func pardon(list []*layer) {
	readers := readersOf(list)
	for i, l := range list {
		if !l.Judgement.Failed() || len(readers[i]) == 0 || l.Accumulated != nil && l.Accumulated.NaNMismatched+l.Accumulated.InfMismatched > 0 {
			continue
		}
		if l.Pair.How != counterpart.ByName && all(readers[i], (*layer).isFine) || all(readers[i], l.vanishesIn) {
			l.Judgement, l.Reason = Unjudged, "everything that b computes from it is right, so it means something else than a's value"
		}
	}
}

func all(list []*layer, is func(*layer) bool) bool {
	return !slices.ContainsFunc(list, func(l *layer) bool { return !is(l) })
}

// isFine reports whether B computes A's value for the layer when it runs by itself.
func (l *layer) isFine() bool {
	return l.seen && (l.same || l.AccumulatedReason == "" && l.Accumulated != nil && l.Accumulated.Mismatched == 0)
}

// vanishesIn reports whether hardly anything of the layer's error is left in the value of reader,
// where one of the two quantizes.
func (l *layer) vanishesIn(reader *layer) bool {
	return (l.Quantizes || reader.Quantizes) && reader.seen && reader.Accumulated != nil && l.Accumulated != nil &&
		muchCloser*reader.Accumulated.RMS < l.Accumulated.RMS
}
