package sizing

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// Description describes a symbol: the demands on it, and the sizes that are chosen for it.
type Description struct {
	Symbol string   `json:"symbol"`
	Counts string   `json:"counts"` // the Kind of the symbol as text, "other" if it is not known
	Axes   []string `json:"axes"`   // INPUT:AXIS
	// Fits says which sizes fit, such as "any size", "a multiple of 32" or "7 or more". It
	// considers only conditions that have no other symbol.
	Fits string `json:"fits"`
	// DependsOn are the other symbols on whose sizes it depends whether a size fits.
	DependsOn []string `json:"depends_on"`
	Check     *int64   `json:"check"`   // the size chosen for a check; null if no sizes fit
	Measure   *int64   `json:"measure"` // the size chosen for a measurement; null if no sizes fit
	// Demands are all conditions on the symbol. Those that decide which sizes fit come first.
	Demands []Demand `json:"demands"`
}

// Demand is a condition on a symbol. It may contain other symbols too.
type Demand struct {
	Text string `json:"text"`
	By   string `json:"by"` // the first node that needs it, or what states it if no node does
	// Nodes is the number of nodes that need it.
	Nodes int `json:"nodes"`
	// Sure is false if the node that needs it may not run, or if only names or files state it.
	Sure bool `json:"sure"`
	// Fits says which sizes of the symbol satisfy it. It is "" if it contains other symbols.
	Fits string `json:"fits,omitempty"`
	// Follows is true if it holds at every size that the demands before it in the list allow.
	Follows bool `json:"follows"`
	// Place and Node are the first node that needs it. Place is nil if no node does.
	Place *graphops.Place `json:"-"`
	Node  int             `json:"-"`

	plain  bool // the text is the symbol, a relation and a number
	likely bool // an assumption that no node needs
}

// IsAssumed reports whether the demand is only an assumption about how the model is used, such as
// that no size of 1 is broadcast. No node needs it.
func (d Demand) IsAssumed() bool { return d.likely }

// Describe describes every symbol: the demands on it, and the sizes that would be chosen if the
// given sizes are kept. If ctx ends, the result is incomplete.
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

// conditionsBySymbol returns the conditions that contain each symbol, indexed by the symbol's
// position.
func (s *System) conditionsBySymbol() [][]*Condition {
	out := make([][]*Condition, len(s.Symbols))
	for _, c := range s.Conditions {
		for _, i := range c.symbols {
			out[i] = append(out[i], c)
		}
	}
	return out
}

// fits reports whether a size satisfies the certain conditions that contain no other symbol.
func (s *System) fits(i int, n int64, list []*Condition) bool {
	sizes := make([]int64, len(s.Symbols))
	sizes[i] = n
	return !slices.ContainsFunc(list, func(c *Condition) bool {
		return len(c.symbols) == 1 && c.weight >= needed && !c.holds(sizes)
	})
}

// others returns the names of other symbols in the certain conditions on a symbol.
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

// demand converts a condition to the form in which it is reported.
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

// by returns the first node that needs a condition, or what states it if no node does.
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
