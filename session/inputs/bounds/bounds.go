// Package bounds finds out which values the elements of a model input may have, from the nodes that
// read the input. For example, an index must stay within the axis that it points into, a length is
// small, a shape must be valid for the data, and the argument of a logarithm is positive. The
// package uses the structure of a model, its small constants and the sizes of its inputs. If no
// node implies a limit, it states none. It excludes 0 for integer divisors. It need not do so for
// floating-point divisors, because a random number is almost never 0.
package bounds

import (
	"slices"

	"lathe/graphops"
)

// Kind is the form in which a bound is given.
type Kind uint8

// The kinds of bound. If two bounds of different kinds are combined, the kind that is listed later
// is used.
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

// Allowed says which values the nodes that read an input allow for its elements.
type Allowed struct {
	Kind   Kind
	Lo, Hi int64
	Values []int64
	Words  []string
	// Columns are separate bounds for each position along the last axis.
	Columns []Allowed
	// Why names the node that sets the bound, and what it requires.
	Why string
	// Suggested is set if other values work too, for example if the node only compares the input
	// with these. The bound of another node, or what the input's name suggests, then takes
	// precedence.
	Suggested bool
	// Domain is the interval in which functions that are applied to the input, such as a logarithm,
	// have a finite result. It is nil if there is no limit. What the input's name suggests takes
	// precedence.
	Domain *Domain
	// End is the number with which each row should end, and which it should have nowhere else. It
	// is nil if there is none.
	End *End

	loose bool // Hi is a usual value and not a limit
}

// End is a number that a node looks for in each row, such as the token that ends a text.
type End struct {
	Value int64
	Why   string
}

// Inputs are the sizes that each input will have, by name.
type Inputs map[string][]int64

// Finder finds bounds in a model whose inputs have the given sizes.
type Finder struct{ shapes *shapes }

// For returns the finder for a model.
func For(m *graphops.Model, fed Inputs) *Finder {
	return &Finder{&shapes{model: m, fed: fed}}
}

// Of returns which values the nodes that read an input of the main graph allow. If several nodes
// set bounds, the result is what all of them allow. If the bounds contradict each other, that of
// the node nearest to the input counts.
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

// both combines two bounds, without their domains and ends. The bound of the stronger kind is kept,
// restricted by the other one. A bound takes precedence over a suggestion. The exception is a bound
// whose upper end is only a usual value: then the suggested values that it allows are kept.
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

// filtered removes from a.Values those that b does not allow. If none would be left, all stay.
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

// before returns the bound on v that follows from the bound a on scale·v+offset. ok is false if no
// value of v is left, or if the bound cannot be converted.
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

// floorDiv divides by a positive number and rounds towards minus infinity.
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
