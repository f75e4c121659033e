// Package bounds finds out which elements the nodes that read an input allow. For example, an index
// has to stay within the axis that it points into, a length is small, a shape is valid for the
// data, and the argument of a logarithm is positive. The package uses the structure of a model, its
// small constants and the sizes of its inputs. It states no bound if no reader implies one. It
// excludes 0 for integer divisors, but not for floating-point ones, because a random one is not 0.
package bounds

import (
	"slices"

	"lathe/graphops"
)

// Kind is the form of a bound.
type Kind uint8

// The kinds of bound. If two bounds are combined, the later kind wins.
const (
	Anything Kind = iota
	Within        // floating-point numbers from Lo to Hi
	Between       // integers from Lo to Hi
	OneOf         // any of Values
	Words         // any of Words
	InDomain      // floating-point numbers from the whole of Domain
	ByColumn      // Columns, by the position along the last axis
	Exactly       // exactly Values, in this order
)

// Allowed is what the readers of an input allow its elements to be.
type Allowed struct {
	Kind   Kind
	Lo, Hi int64
	Values []int64
	Words  []string
	// Columns are the bounds of elements by their position along the last axis.
	Columns []Allowed
	// Why names the reader and what it requires.
	Why string
	// Suggested is set if the reader accepts other values too, for example if it only compares with
	// these. A name or another reader takes precedence.
	Suggested bool
	// Domain is the set of numbers for which the functions that read the input have a finite
	// result; nil if it is not limited. A name takes precedence.
	Domain *Domain
	// End is the value that each row ends with and does not contain elsewhere; nil if there is
	// none.
	End *End

	loose bool // Hi is a usual value and not a limit
}

// End is a number that a reader looks for in each row.
type End struct {
	Value int64
	Why   string
}

// Inputs are the sizes that the inputs will have.
type Inputs map[string][]int64

// Finder finds bounds in a model whose inputs have the given sizes.
type Finder struct{ shapes *shapes }

// For returns the finder for a model.
func For(m *graphops.Model, fed Inputs) *Finder {
	return &Finder{&shapes{model: m, fed: fed}}
}

// Of returns what the readers of an input of the main graph allow. If there are several bounds, the
// result is what all of them allow. If they contradict each other, the bound of the nearest reader
// counts.
func (f *Finder) Of(input string) Allowed {
	t := newTracer(f.shapes)
	return t.trace(input)
}

// and returns what both bounds allow.
func (a Allowed) and(b Allowed) Allowed {
	out := a.both(b)
	if out.Domain = a.Domain.and(b.Domain); a.End != nil {
		out.End = a.End
	} else {
		out.End = b.End
	}
	return out
}

// both returns the stronger of two bounds, restricted by the other. A suggestion stays only if the
// other bound is a usual range and not a limit.
func (a Allowed) both(b Allowed) Allowed {
	if a.Kind != Anything && b.Kind != Anything && a.Suggested != b.Suggested {
		if a.Suggested {
			a, b = b, a
		}
		if b.Kind == OneOf && a.loose && slices.ContainsFunc(b.Values, a.allows) {
			return b.filtered(a)
		}
		return a
	}
	if b.Kind > a.Kind {
		a, b = b, a
	}
	switch {
	case b.Kind == Anything || a.Kind == Words || a.Kind == ByColumn || a.Kind == Exactly:
		return a
	case a.Kind == OneOf:
		return a.filtered(b)
	}
	narrow := a
	narrow.Lo, narrow.Hi = max(a.Lo, b.Lo), min(a.Hi, b.Hi)
	switch {
	case narrow.Lo > narrow.Hi:
		return a
	case narrow.Hi == b.Hi && b.Hi < a.Hi:
		narrow.Why = b.Why
	}
	return narrow
}

// filtered removes values from a list that the other bound does not allow.
func (a Allowed) filtered(b Allowed) Allowed {
	var keep []int64
	for _, v := range a.Values {
		if b.allows(v) {
			keep = append(keep, v)
		}
	}
	if len(keep) > 0 {
		a.Values = keep
	}
	return a
}

func (a Allowed) allows(v int64) bool {
	if a.Kind == OneOf {
		for _, x := range a.Values {
			if x == v {
				return true
			}
		}
		return false
	}
	return a.Kind != Within && a.Kind != Between || a.Lo <= v && (v <= a.Hi || a.loose)
}

// before inverts an affine function: it returns the bound of v if v·scale+offset has the bound a.
// ok is false if no value is left.
func (a Allowed) before(scale, offset int64) (_ Allowed, ok bool) {
	if scale == 1 && offset == 0 {
		return a, true
	}
	switch a.Kind {
	case Within, Between:
		a.Lo, a.Hi = ceilDiv(a.Lo-offset, scale), floorDiv(a.Hi-offset, scale)
		if a.Lo < 0 && a.Hi >= 0 {
			a.Lo = 0
		}
		return a, a.Lo <= a.Hi
	case OneOf:
		var values []int64
		for _, v := range a.Values {
			if (v-offset)%scale == 0 {
				values = append(values, (v-offset)/scale)
			}
		}
		a.Values = values
		return a, len(values) > 0
	}
	return Allowed{}, false
}

// floorDiv divides by a positive number and rounds down.
func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func ceilDiv(a, b int64) int64 { return -floorDiv(-a, b) }

func between(lo, hi int64, why string) Allowed {
	return Allowed{Kind: Between, Lo: lo, Hi: max(lo, hi), Why: why}
}

func exactly(values []int64, why string) Allowed {
	return Allowed{Kind: Exactly, Values: values, Why: why}
}

func oneOf(why string, values ...int64) Allowed {
	return Allowed{Kind: OneOf, Values: values, Why: why}
}
