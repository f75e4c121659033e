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
		title: "a stored tensor contains NaN",
		hint:  "restore the weight from its source",
		about: `A NaN (not a number) in a weight turns everything computed from it into NaN, without an error
message. The cause is a training run that diverged, a cast or conversion that overflowed, or bytes
that are read with the wrong type. Only the original weights can fix it. This check runs with
--weights.`,
		model: weightRule(notNumbers),
	},
	{
		code: "weight-infinite", severity: Warning,
		title: "a stored tensor contains infinity",
		hint:  "check where the tensor comes from: clip numbers that overflowed, but keep infinities of a mask or bound",
		about: `An infinite weight turns what is computed from it into infinity or NaN. In a float16 tensor, the
original number was most likely too large when the model was converted: the largest number of
float16 is 65504.

Infinity is intended in the mask of an attention, as a bound of a Clip, and as the value of a
padding. A tensor that contains only infinity and at most one other value is therefore an Info. This
check runs with --weights.`,
		model: weightRule(infinities),
	},
	{
		code: "weight-zero", severity: Info,
		title: "all elements of a weight are zero",
		hint:  "nothing, if the weight is meant to have no effect; otherwise check whether the weights were loaded",
		about: `The product with a matrix or filter of zeros is zero for every input. This is intended if a layer
was initialized to have no effect (a gate, an adapter that is not yet trained). Otherwise the
weights were probably never loaded. The check considers tensors of rank 2 and more that a MatMul,
Gemm, Conv or ConvTranspose reads. It runs with --weights.`,
		model: weightRule(zeros),
	},
	{
		code: "weight-denormal", severity: Info,
		title: "many elements of a weight are denormal",
		hint:  "set them to zero, or set session.set_denormal_as_zero in ONNX Runtime",
		about: `Denormal numbers are closer to zero than the smallest normal number of their type (1.2e-38 for f32).
They have fewer digits, and processors compute with them up to a hundred times slower, as ONNX
Runtime does unless session.set_denormal_as_zero is set. They come from weights that a strong weight
decay moved towards zero. Setting them to zero has practically no effect on results. The check
reports tensors with at least one denormal in a hundred elements. It runs with --weights.`,
		model: weightRule(denormals),
	},
	{
		code: "weight-beyond-float16", severity: Info,
		title: "a stored tensor contains numbers that are too large for float16",
		hint:  "nothing, unless you convert the model to float16: then clip the numbers first",
		about: `The largest number of float16 is 65504. Larger numbers become infinite when the model is converted,
and results that depend on them are often NaN. The usual case is a mask with a number that stands
for minus infinity (-1e9, -3.4e38); -65504 or -10000 has the same effect there. Conversion tools
clip such numbers or leave their nodes in float32. This check runs with --weights.`,
		model: weightRule(beyondFloat16),
	},
	{
		code: "cast-overflow", severity: Warning,
		title: "a constant is cast to a type that cannot represent its numbers",
		hint:  "clip the constant to the range of the type, or cast it to another one",
		about: `A Cast to float16 turns numbers from 65520 on into infinity. A Cast to bfloat16 or to an 8-bit float
overflows in the same way, except that with attribute saturate an 8-bit float gets its largest
number. If a number is outside the range of an integer type, the result depends on the processor:
the standard does not define it, and ONNX Runtime wraps around on one machine and saturates on
another.

The causes are conversions to float16 that put a Cast after every weight, and indices that are cast
from int64 to int32: INT64_MAX, which means "up to the end", becomes -1. Clip the constant to the
range of the type. This check runs with --weights.`,
		node: castOverflow,
	},
}

// weightRule returns a rule that calls of for each tensor whose elements were read.
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

// among returns the beginning of a message: for how many of all numbers something is true.
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
		report(0, "has %s, but the largest number of float16 is 65504", numbersOf(w.Profile))
	}
}

// overflows has the smallest number that overflows in a cast to a float type: the largest number of
// the type plus half a step.
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
	found := of(n, "%q has %s, which %s cannot represent", n.Input(0), numbersOf(p), to)
	found.Value = n.Input(0)
	report(found)
}

// numbersOf returns the range of the numbers as text for a message.
func numbersOf(p tensor.Profile) string {
	if p.MinText == p.MaxText {
		return "the number " + p.MinText
	}
	return fmt.Sprintf("numbers from %s to %s", p.MinText, p.MaxText)
}

// castTo returns the type that a node casts to.
func (s *subject) castTo(n site) (tensor.DType, bool) {
	switch n.StandardOp() {
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
