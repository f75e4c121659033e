package sizing

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// Description is what is known of a symbol, and what is chosen for it.
type Description struct {
	Symbol string   `json:"symbol"`
	Counts string   `json:"counts"` // what kind of size it is, "other" if that is not known
	Axes   []string `json:"axes"`   // INPUT:AXIS
	// Fits says which sizes fit by what is demanded of the symbol alone: "any size", "a
	// multiple of 32", "7 or more".
	Fits string `json:"fits"`
	// DependsOn are the symbols whose sizes decide, too, whether a size fits.
	DependsOn []string `json:"depends_on"`
	Check     *int64   `json:"check"`   // the size for a check; null where it is given or nothing fits
	Measure   *int64   `json:"measure"` // the size for a measurement
	// Demands begin with those that decide which sizes fit.
	Demands []Demand `json:"demands"`
}

// Demand is a condition on a symbol, and on others perhaps.
type Demand struct {
	Text string `json:"text"`
	By   string `json:"by"` // the first node that needs it, or what else states it
	// Nodes is how many nodes need it.
	Nodes int `json:"nodes"`
	// Sure is false of what a node needs that may not run, and of what names or files state.
	Sure bool `json:"sure"`
	// Fits says which sizes of the symbol it allows; "" if it is about several symbols.
	Fits string `json:"fits,omitempty"`
	// Follows is true of what holds at every size that the demands before it allow.
	Follows bool `json:"follows"`
	// Place and Node are the first node that needs it; Place is nil where none does.
	Place *graphops.Place `json:"-"`
	Node  int             `json:"-"`

	plain  bool // the text is the symbol, a relation and a number
	likely bool // nobody needs it; it is what a model is made for
}

// IsAssumed reports whether nobody needs it: it is what a model is made for.
func (d Demand) IsAssumed() bool { return d.likely }

// Describe says of every symbol what is demanded of it, and what would be chosen beside
// sizes that are given. If ctx ends, what it returns is incomplete.
func (s *System) Describe(ctx context.Context, given map[string]int64) []Description {
	check, _ := s.Search(given, Check).Next(ctx)
	measure, _ := s.Search(given, Measure).Next(ctx)
	of := s.conditionsBySymbol()
	out := []Description{}
	for i, symbol := range s.Symbols {
		d := Description{Symbol: symbol.Name, Counts: symbol.Kind.String(), Axes: []string{}, DependsOn: s.others(i, of[i])}
		for _, a := range symbol.Axes {
			d.Axes = append(d.Axes, fmt.Sprintf("%s:%d", a.Input, a.Axis))
		}
		if n, ok := check[symbol.Name]; ok {
			d.Check = &n
		}
		if n, ok := measure[symbol.Name]; ok {
			d.Measure = &n
		}
		d.Fits, d.Demands = s.demandsOn(ctx, i, of[i])
		if d.Fits == noSize && d.Check != nil && s.fits(i, *d.Check, of[i]) {
			d.Fits = fmt.Sprintf("above %d, as %d", looked, *d.Check)
		}
		out = append(out, d)
	}
	return out
}

// conditionsBySymbol are the conditions on each symbol, by its position.
func (s *System) conditionsBySymbol() [][]*Condition {
	out := make([][]*Condition, len(s.Symbols))
	for _, c := range s.Conditions {
		for _, i := range c.symbols {
			out[i] = append(out[i], c)
		}
	}
	return out
}

// fits reports whether a size satisfies what is needed of a symbol alone.
func (s *System) fits(i int, n int64, list []*Condition) bool {
	sizes := make([]int64, len(s.Symbols))
	sizes[i] = n
	return !slices.ContainsFunc(list, func(c *Condition) bool {
		return len(c.symbols) == 1 && c.weight >= needed && !c.holds(sizes)
	})
}

// others are the symbols that stand in what is needed of a symbol.
func (s *System) others(i int, list []*Condition) []string {
	out := []string{}
	seen := map[int]bool{i: true}
	for _, c := range list {
		for _, k := range c.symbols {
			if c.weight >= needed && !seen[k] {
				seen[k] = true
				out = append(out, s.Symbols[k].Name)
			}
		}
	}
	return out
}

// demand is a condition as it is told.
func (c *Condition) demand() Demand {
	d := Demand{
		Text: c.String(), By: c.by(), Sure: c.weight >= needed,
		Place: c.place, Node: c.node, plain: c.isPlain(), likely: c.weight == likely,
	}
	if c.Node != "" {
		d.Nodes = c.Nodes
	}
	return d
}

// by is the first node that needs a condition, or what else states it.
func (c *Condition) by() string {
	if c.Node != "" {
		return c.Node
	}
	return c.Why
}

// isPlain reports whether the condition compares a symbol with a number.
func (c *Condition) isPlain() bool {
	if c.Relation != shape.Equals && c.Relation != shape.AtMost && c.Relation != shape.Multiple {
		return false
	}
	isSymbol := func(d dim.Dim) bool { _, ok := d.IsSymbol(); return ok }
	isNumber := func(d dim.Dim) bool { _, ok := d.Number(); return ok }
	return isSymbol(c.A) && isNumber(c.B) || isNumber(c.A) && isSymbol(c.B)
}
