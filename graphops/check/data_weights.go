package check

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

var weightRules = []rule{
	{
		code: "weight-nan", severity: Warning,
		title: "a stored tensor holds NaN",
		hint:  "restore the weight from where it came from",
		about: `A weight that is not a number makes everything NaN that is computed from it, without any error. It comes from a training run
that diverged, from a cast or a conversion that overflowed before, or from bytes that are read as the wrong type. Nothing mends it but
the original weights. Looked for with --weights.`,
		model: weightRule(notNumbers),
	},
	{
		code: "weight-infinite", severity: Warning,
		title: "a stored tensor holds infinity",
		hint:  "look where the tensor comes from: clip what overflowed, and leave what is a mask or a bound",
		about: `An infinite weight makes infinities and NaN of what is computed from it. In a float16 tensor it mostly is a number that was too
large when the model was converted: float16 ends at 65504.

Infinity is meant in the mask of an attention, and as a bound of a Clip or a value of a padding: a tensor that has infinity and one other
value at most is an Info. Looked for with --weights.`,
		model: weightRule(infinities),
	},
	{
		code: "weight-zero", severity: Info,
		title: "all elements of a weight are zero",
		hint:  "nothing, if the weight is meant to have no effect; else look whether it was loaded",
		about: `A matrix or a filter of zeros multiplies away whatever it is given. It is meant where something was initialized to have no effect
(a gate, an adapter that was not trained), and a sign of weights that were never loaded otherwise. Tensors of rank 2 and more are looked
at that a MatMul, Gemm, Conv or ConvTranspose reads. Looked for with --weights.`,
		model: weightRule(zeros),
	},
	{
		code: "weight-denormal", severity: Info,
		title: "many elements of a weight are denormal",
		hint:  "set them to zero, or session.set_denormal_as_zero in ONNX Runtime",
		about: `Numbers below the smallest normal one of their type (1.2e-38 for f32) have fewer digits, and processors compute with them up to a
hundred times slower; ONNX Runtime does so unless session.set_denormal_as_zero is set. They come from weights that a strong decay took
towards zero. As good as always they can be zero. Told from one element in a hundred on. Looked for with --weights.`,
		model: weightRule(denormals),
	},
	{
		code: "weight-beyond-float16", severity: Info,
		title: "a stored tensor has numbers that float16 does not",
		hint:  "nothing, unless the model is converted to float16: clip the numbers before that",
		about: `float16 ends at 65504. Numbers beyond become infinite when the model is converted to it, and what is computed from those often
NaN. Masks that stand for minus infinity (-1e9, -3.4e38) are the usual ones: -65504 or -10000 does the same there. Tools that convert
clip such numbers or leave their nodes in float32. Looked for with --weights.`,
		model: weightRule(beyondFloat16),
	},
	{
		code: "cast-overflow", severity: Warning,
		title: "a constant is cast to a type that does not hold its numbers",
		hint:  "clip the constant to the range of the type, or cast it to another one",
		about: `A Cast to float16 makes infinity of numbers from 65520 on; to bfloat16 and to the 8-bit floats without saturation likewise, with
saturation the largest number. A Cast to an integer of numbers outside its range gives what the processor happens to give: the standard
leaves it open, and ONNX Runtime wraps around on one machine and saturates on another.

It comes from a conversion to float16 that put a Cast behind every weight, and from indices that are int64 and cast to int32, where
INT64_MAX means "up to the end" and becomes -1. Clip the constant to the range of the type. Looked for with --weights.`,
		node: castOverflow,
	},
}

// weightRule calls of for each tensor that was read.
func weightRule(of func(s *subject, w weight, report func(Severity, string, ...any))) func(*subject, reporter) {
	return func(s *subject, report reporter) {
		for _, w := range s.weighed().list {
			of(s, w, func(severity Severity, format string, args ...any) {
				p := ofTensor(w.StoredTensor, format, args...)
				p.Severity = severity
				report(p)
			})
		}
	}
}

func notNumbers(_ *subject, w weight, report func(Severity, string, ...any)) {
	if w.NaN > 0 {
		report(0, "%s NaN", among(w.NaN, w.Count))
	}
}

// among returns how many of all numbers something is true for.
func among(n, all int64) string {
	switch {
	case all == 1:
		return "is"
	case n == all:
		return fmt.Sprintf("all %d numbers are", all)
	case n == 1:
		return fmt.Sprintf("1 of %d numbers is", all)
	}
	return fmt.Sprintf("%d of %d numbers are", n, all)
}

func infinities(_ *subject, w weight, report func(Severity, string, ...any)) {
	if w.Inf == 0 {
		return
	}
	severity := Warning
	if w.Distinct > 0 && w.Distinct <= 2 && w.NaN == 0 {
		severity = Info
	}
	what := "infinite"
	switch {
	case w.NegInf == w.Inf:
		what = "-inf"
	case w.NegInf > 0:
		what = fmt.Sprintf("infinite, %d of them negative", w.NegInf)
	}
	report(severity, "%s %s", among(w.Inf, w.Count), what)
}

// multiplied are the operators that multiply a value by a weight.
var multiplied = []string{"MatMul", "Gemm", "Conv", "ConvTranspose"}

func zeros(_ *subject, w weight, report func(Severity, string, ...any)) {
	if w.Zeros < w.Count || w.Count == 0 || len(w.Dims()) < 2 {
		return
	}
	x := w.Place.Graph.Index()
	v, ok := x.Value(storedValue(w.StoredTensor))
	if !ok {
		return
	}
	nodes := w.Place.Graph.Nodes()
	if slices.ContainsFunc(x.Readers(v), func(i int32) bool {
		n := nodes[i]
		return slices.Contains(multiplied, n.OpType()) && slices.Index(n.Inputs(), x.Name(v)) < 2
	}) {
		report(0, "all %d numbers are 0", w.Count)
	}
}

// denormalShare is the fraction of denormal numbers from which they are reported.
const denormalShare = 0.01

func denormals(_ *subject, w weight, report func(Severity, string, ...any)) {
	if d := w.DType(); d != tensor.F32 && d != tensor.F64 && d != tensor.BF16 {
		return // for narrower types they are not slower
	}
	if w.Subnormal > 0 && float64(w.Subnormal) >= denormalShare*float64(w.Count) {
		report(0, "%s denormal", among(w.Subnormal, w.Count))
	}
}

func beyondFloat16(_ *subject, w weight, report func(Severity, string, ...any)) {
	d := w.DType()
	if (d == tensor.F32 || d == tensor.F64 || d == tensor.BF16) && float64(w.AbsMax) >= overflows[tensor.F16] {
		report(0, "has %s, float16 ends at 65504", numbersOf(w.Profile))
	}
}

// overflows are the numbers from which a cast to a float type overflows: half a step above the
// largest number.
var overflows = map[tensor.DType]float64{
	tensor.F16: 65520, tensor.BF16: 0x1.ffp127, tensor.F32: 0x1.ffffffp127,
	tensor.F8E4M3FN: 464, tensor.F8E4M3FNUZ: 248, tensor.F8E5M2: 61440, tensor.F8E5M2FNUZ: 61440,
}

func castOverflow(s *subject, n site, report reporter) {
	if !s.Weights || n.Domain() != graphops.DefaultDomain || len(n.Inputs()) == 0 {
		return
	}
	to, ok := s.castTo(n)
	if !ok {
		return
	}
	p, ok := s.profile(n, 0)
	if !ok || p.Count == p.NaN+p.Inf || fits(p, to) {
		return
	}
	found := of(n, "%q has %s, which %s does not hold", n.Inputs()[0], numbersOf(p), to)
	found.Value = n.Inputs()[0]
	report(found)
}

// numbersOf describes the range of numbers.
func numbersOf(p tensor.Profile) string {
	if p.MinText == p.MaxText {
		return "the number " + p.MinText
	}
	return fmt.Sprintf("numbers from %s to %s", p.MinText, p.MaxText)
}

// castTo returns the type that a node casts to.
func (s *subject) castTo(n site) (tensor.DType, bool) {
	switch n.OpType() {
	case "Cast":
		a, ok := n.Attribute("to")
		return tensor.DType(attributeInt(a)), ok && a.Kind() == graphops.AttrInt
	case "CastLike":
		if _, t := constantInput(n, 1); t != nil {
			return t.DType(), true
		}
	}
	return 0, false
}

// attributeInt returns the number of an attribute, 0 if there is none.
func attributeInt(a *graphops.Attribute) int64 {
	if a == nil {
		return 0
	}
	return a.Int()
}

// fits reports whether a type can represent the numbers of a tensor.
func fits(p tensor.Profile, to tensor.DType) bool {
	lowest, highest := float64(p.Min), float64(p.Max)
	switch to.Kind() {
	case tensor.KindFloat:
		most, bounded := overflows[to]
		return !bounded || float64(p.AbsMax) < most
	case tensor.KindSigned:
		end := float64(uint64(1) << (to.Bits() - 1))
		return lowest > -end-1 && highest < end
	case tensor.KindUnsigned:
		end := 2 * float64(uint64(1)<<(to.Bits()-1))
		return lowest > -1 && highest < end
	}
	return true
}
