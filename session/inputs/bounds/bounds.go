// Package bounds tells what the nodes that read an input allow its elements to be:
// an index stays within the axis that it points into, a length is small, a shape
// fits what it shapes, a logarithm is taken of what is positive. It reads the structure of
// a model, its small constants and the sizes that are fed, and says nothing where no
// reader tells. Real divisors are left alone: a random one is not 0. No integer divisor is 0.
package bounds

import (
	"slices"

	"lathe/graphops"
)

// Kind is a way to say what elements may be.
type Kind uint8

// The kinds of bound, each stronger than those before it.
const (
	Anything Kind = iota
	Within        // real numbers from Lo to Hi
	Between       // whole numbers from Lo to Hi
	OneOf         // any of Values
	Words         // any of Words
	InDomain      // real numbers of all of Domain
	ByColumn      // Columns, by the place along the last axis
	Exactly       // Values, in this order
)

// Allowed is what the readers of an input allow its elements to be.
type Allowed struct {
	Kind   Kind
	Lo, Hi int64
	Values []int64
	Words  []string
	// Columns are what the elements may be, by their place along the last axis.
	Columns []Allowed
	// Why names the reader and what it wants.
	Why string
	// Suggested is set where the reader takes other numbers too, as one that compares with
	// them: a name or another reader goes before it.
	Suggested bool
	// Domain, if there is one, are the numbers of which the functions that read the
	// input have a finite result. A name goes before it.
	Domain *Domain
	// End, if there is one, is what each row ends with and has nowhere else.
	End *End

	loose bool // Hi is a usual number and no limit
}

// End is the number that a reader looks for in each row.
type End struct {
	Value int64
	Why   string
}

// Inputs are the sizes of the inputs as they will be fed.
type Inputs map[string][]int64

// Finder finds bounds in a model whose inputs are fed as stated.
type Finder struct{ shapes *shapes }

// For makes the finder of a model.
func For(m *graphops.Model, fed Inputs) *Finder {
	return &Finder{&shapes{model: m, fed: fed}}
}

// Of tells what the readers of an input of the main graph allow. Where several do,
// it is what all of them allow; where they contradict each other, what the nearest
// one does.
func (f *Finder) Of(input string) Allowed {
	t := newTracer(f.shapes)
	return t.trace(input)
}

// and is what both allow.
func (a Allowed) and(b Allowed) Allowed {
	out := a.both(b)
	if out.Domain = a.Domain.and(b.Domain); a.End != nil {
		out.End = a.End
	} else {
		out.End = b.End
	}
	return out
}

// both is the stronger of two bounds with what the other one leaves of it. A suggestion
// stays where the other one is no more than a usual range.
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

// filtered is a list without what the other bound does not allow.
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

// before undoes an affine change: what v may be where v·scale+offset is bound so.
// ok is false where nothing is left.
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

// floorDiv divides by a positive number, downwards.
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
