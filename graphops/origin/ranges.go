package origin

import (
	"math"
	"strconv"
)

// Range is what the exported program was proved for: the values that a symbol of
// a dimension may have.
type Range struct {
	Symbol   string
	Min, Max Bound
}

// Bound is one end of a range.
type Bound struct {
	Text    string // as it is written
	Value   int64  // 0 for an end that is not finite, or no whole number
	Finite  bool
	IsWhole bool // Value is what Text says
}

// openEnd is from where on PyTorch means no bound: it writes int_oo, older versions
// the largest index less one.
const openEnd = math.MaxInt64 - 1

func boundOf(s string) Bound {
	switch s {
	case "int_oo", "-int_oo", "oo", "-oo":
		return Bound{Text: s}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return Bound{Text: s, Finite: true}
	}
	if n >= openEnd || n <= -openEnd {
		return Bound{Text: s}
	}
	return Bound{s, n, true, true}
}

// ranges reads {s0: VR[2, 1024], u0: VR[0, int_oo]}, in the order of the file.
func ranges(s string) ([]Range, bool) {
	v, ok := parsePy(s)
	if !ok || v.kind != pyList {
		return nil, false
	}
	var out []Range
	for _, p := range v.part {
		if p.kind != pyPair || p.part[0].kind != pyCall || len(p.part[0].part) != 2 {
			return out, false
		}
		ends := p.part[0].part
		if ends[0].kind != pyAtom || ends[1].kind != pyAtom {
			return out, false
		}
		out = append(out, Range{p.text, boundOf(ends[0].text), boundOf(ends[1].text)})
	}
	return out, true
}
