package origin

import (
	"math"
	"strconv"
)

// Range is the range of sizes of a symbol. PyTorch verified the exported program for this range.
type Range struct {
	Symbol   string
	Min, Max Bound
}

// Bound is one end of a range.
type Bound struct {
	Text    string // as written
	Value   int64  // 0 if the end is not finite or not an integer
	Finite  bool
	IsWhole bool // Value equals Text
}

// openEnd is the smallest value that means "no upper bound". Older versions of PyTorch write the
// largest index minus one for that, and later ones int_oo.
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

// ranges parses {s0: VR[2, 1024], u0: VR[0, int_oo]}. The ranges have the order of the text.
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
