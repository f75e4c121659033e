package check

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// splitFault checks a Split without sizes, which from version 18 on creates parts of equal size
// and a smaller last one. ONNX Runtime creates as many parts as there are outputs.
func splitFault(o operands) string {
	if o.hasInput(1) {
		return negativeParts(1)(o)
	}
	d := o.dims(0)
	axis, ok := o.axis("axis", 0, len(d))
	if text := o.omittedParts(); text != "" {
		return text
	}
	if !ok || o.since < 18 {
		return ""
	}
	stated, known := o.number("num_outputs", 0)
	n, isNumber := d[axis].Number()
	parts := int64(len(o.Outputs()))
	switch {
	case !known || !o.has("num_outputs") || parts == 0:
	case stated < parts:
		return fmt.Sprintf("attribute \"num_outputs\" is %d, but the node has %s", stated, countedOutputs(o.site))
	case isNumber && n < stated:
		return fmt.Sprintf("axis %d of %s is %d, which does not split into %d parts", axis, o.quoted(0), n, stated)
	case isNumber && (parts-1)*((n+parts-1)/parts) >= n:
		return fmt.Sprintf("axis %d of %s is %d, which does not split into %d parts: parts of %d leave nothing for the last", axis, o.quoted(0), n, parts, (n+parts-1)/parts)
	}
	return ""
}

// omittedParts requires that a Split has as many outputs as its attribute says, which ONNX Runtime
// demands since 1.32. Package shape follows the standard, by which the last parts may be omitted.
func (o operands) omittedParts() string {
	stated, omits := o.statedParts()
	if !omits || !o.subject.isSince("1.32") {
		return ""
	}
	return fmt.Sprintf("attribute \"num_outputs\" is %d, but the node has %s, and ONNX Runtime since 1.32 refuses to leave out the last parts", stated, countedOutputs(o.site))
}

// negativeParts requires that sizes in an input are not negative.
func negativeParts(input int) func(operands) string {
	return func(o operands) string {
		if least, _, known := o.bounds(input); known && least < 0 {
			return fmt.Sprintf("%s contains %d, expected sizes of 0 or more", o.quoted(input), least)
		}
		return ""
	}
}

// emptyAxis requires that there is an element to choose.
func emptyAxis(o operands) string {
	d := o.dims(0)
	if axis, ok := o.axis("axis", 0, len(d)); ok && largest(d[axis]) == 0 {
		return fmt.Sprintf("axis %d of %s is empty, so there is no element to choose", axis, o.quoted(0))
	}
	return ""
}

// zeroDivisor requires that integers are not divided by a constant with a 0.
func zeroDivisor(o operands) string {
	if len(o.Inputs()) < 2 || !isWhole(o.elementType(0)) && !isWhole(o.elementType(1)) {
		return ""
	}
	for _, e := range o.elements(1) {
		if e.Is(0) {
			return fmt.Sprintf("an integer is divided by %s, which contains 0", o.quoted(1))
		}
	}
	if p, ok := o.subject.profile(o.site, 1); ok && !o.isReplaceable(1) && p.Zeros > 0 {
		return fmt.Sprintf("an integer is divided by %s, which contains 0", o.quoted(1))
	}
	return ""
}

func isWhole(t graphops.Type) bool {
	kind := t.Elem.Kind()
	return t.Kind == graphops.TypeTensor && (kind == tensor.KindSigned || kind == tensor.KindUnsigned)
}

func floatModulo(o operands) string {
	if fmod, known := o.number("fmod", 0); !known || fmod != 0 || len(o.Inputs()) == 0 {
		return ""
	}
	if t := o.elementType(0); t.Kind != graphops.TypeTensor || t.Elem.Kind() != tensor.KindFloat {
		return ""
	}
	return "attribute \"fmod\" is 0, which is allowed only for integers, expected 1"
}

// zeroAndRest requires that a shape in which 0 means a size of 0 does not also contain -1.
func zeroAndRest(o operands) string {
	if zero, known := o.number("allowzero", 0); !known || zero == 0 {
		return ""
	}
	hasZero, hasRest := false, false
	for _, e := range o.elements(1) {
		hasZero, hasRest = hasZero || e.Is(0), hasRest || e.Is(-1)
	}
	if hasZero && hasRest {
		return fmt.Sprintf("shape %s has both 0 and -1, and attribute \"allowzero\" is set, so the size for -1 is not determined", o.quoted(1))
	}
	return ""
}

// overlapWithin requires that the threshold of a NonMaxSuppression is a ratio.
func overlapWithin(o operands) string {
	if !o.hasInput(3) || o.isReplaceable(3) {
		return ""
	}
	p, ok := o.subject.profile(o.site, 3)
	if !ok || p.Count == 0 || p.NaN == 0 && p.Min >= 0 && p.Max <= 1 {
		return ""
	}
	return fmt.Sprintf("threshold %s is %s, expected 0 to 1", o.quoted(3), p.Values[0].Text)
}

// risingRange requires that a range of random numbers does not end before it starts.
func risingRange(o operands) string {
	low, known := o.float("low", 0)
	high, ok := o.float("high", 1)
	if !known || !ok || low <= high {
		return ""
	}
	return fmt.Sprintf("attribute \"low\" is %v, which is above \"high\", %v: ONNX Runtime crashes", low, high)
}

func dropoutRatio(o operands) string {
	if !o.hasInput(1) || o.isReplaceable(1) {
		return ""
	}
	p, ok := o.subject.profile(o.site, 1)
	if !ok || p.Count == 0 || p.NaN == 0 && p.Inf == 0 && p.Min >= 0 && p.Max < 1 {
		return ""
	}
	return fmt.Sprintf("ratio %s is %s, expected at least 0 and less than 1", o.quoted(1), p.Values[0].Text)
}

// finiteRange requires a start, an end and a step that give a finite number of elements.
func finiteRange(o operands) string {
	for i, name := range []string{"start", "end", "step"} {
		p, ok := o.subject.profile(o.site, i)
		switch {
		case !ok || o.isReplaceable(i):
		case p.NaN > 0 || p.Inf > 0 && i < 2:
			return fmt.Sprintf("%s %s is not finite", name, o.quoted(i))
		case p.Zeros > 0 && i == 2:
			return fmt.Sprintf("%s %s is 0", name, o.quoted(i))
		}
	}
	return ""
}
