package sizing

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// Condition is a relation between sizes that must hold for the model to run, such as "height is a
// multiple of 32".
type Condition struct {
	A, B     dim.Dim
	Relation shape.Relation
	// Node is the first node that needs the condition, as messages show it. It is "" if the
	// condition comes from a name or a file. Nodes is the number of nodes that need it.
	Node  string
	Nodes int
	// Why says where the condition comes from if no node needs it.
	Why string

	place *graphops.Place // the place of Node
	node  int

	text    string
	weight  weight
	symbols []int // positions of the symbols in A and B, ascending
	a, b    dim.Evaluator
	least   int64 // the number, if the condition is that its symbol is at least a number
}

// weight is how certain a condition is. If not all conditions can be satisfied together, those with
// the lowest weight are given up first.
type weight uint8

const (
	likely weight = iota // assumed: for example, sizes that may be broadcast are equal
	named                // names of symbols, or files beside the model, state it
	inside               // a node that may not run needs it, or a node that may run without it
	needed               // a node of the main graph needs it
	asked                // the user gave it
)

// String returns the condition in words, such as "height is a multiple of 32". The reason follows
// if it is known.
func (c *Condition) String() string {
	if c.text != "" {
		return c.text
	}
	return shape.Demand{A: shape.Source{Size: c.A}, B: shape.Source{Size: c.B}, Relation: c.Relation}.Condition()
}

// source returns the nodes that need the condition or, if no node does, what else states it.
func (c *Condition) source() string {
	switch {
	case c.Node == "":
		return c.Why
	case c.Nodes > 1:
		return fmt.Sprintf("%s and %d more", c.Node, c.Nodes-1)
	}
	return c.Node
}

// holds reports whether sizes satisfy the condition. It returns false if a side of the condition
// cannot be computed for these sizes, for example because of a division by zero.
func (c *Condition) holds(sizes []int64) bool {
	a, okA := c.a.At(sizes)
	b, okB := c.b.At(sizes)
	return okA && okB && c.Relation.Holds(a, b)
}

// conditionSet collects conditions. Equal conditions of the same weight are stored once.
type conditionSet struct {
	index map[string]int // position of each symbol by its name
	names []string
	seen  map[string]*Condition
	least map[leastKey]*Condition // the strictest condition for each key
	list  []*Condition
}

func newConditionSet(symbols []Symbol) *conditionSet {
	s := &conditionSet{index: map[string]int{}, seen: map[string]*Condition{}, least: map[leastKey]*Condition{}}
	for i, symbol := range symbols {
		s.names = append(s.names, symbol.Name)
		s.index[symbol.Name] = i
	}
	return s
}

// add adds a condition. It ignores a condition that contains no symbol, or a symbol that no input
// has, because such a condition does not restrict the sizes of inputs.
func (s *conditionSet) add(c Condition) {
	if !c.A.Known() || !c.B.Known() {
		return
	}
	key := fmt.Sprintf("%s %d %s %d", c.A, c.Relation, c.B, c.weight)
	if old, ok := s.seen[key]; ok {
		if old != nil {
			old.Nodes++
		}
		return
	}
	s.seen[key] = nil
	if !s.prepare(&c) {
		return
	}
	c.Nodes = 1
	s.seen[key] = &c
	if !s.isWeaker(&c) {
		s.list = append(s.list, &c)
	}
}

// leastKey identifies the conditions that a symbol is at least some number and that have the same
// weight. Only the strictest of them is kept.
type leastKey struct {
	symbol int
	weight weight
}

// isWeaker reports whether a condition is of the form "symbol is at least a number" and need not be
// stored, because another one of this form covers it. The stored one is replaced if the new one is
// stricter. This matters because deep models have very many conditions of this form.
func (s *conditionSet) isWeaker(c *Condition) bool {
	if c.Relation != shape.AtMost || len(c.symbols) != 1 {
		return false
	}
	name := s.names[c.symbols[0]]
	factor, rest, linear := c.B.Sub(c.A).Linear(name)
	least, isNumber := rest.Neg().Number()
	if !linear || !factor.Is(1) || !isNumber {
		return false
	}
	key := leastKey{c.symbols[0], c.weight}
	strictest := s.least[key]
	if strictest == nil {
		c.least, s.least[key] = least, c
		return false
	}
	c.Nodes += strictest.Nodes
	if least > strictest.least {
		nodes := c.Nodes
		*strictest = *c
		strictest.least, strictest.Nodes = least, nodes
	} else {
		strictest.Nodes = c.Nodes
	}
	return true
}

// prepare finds the symbols of a condition and prepares its evaluation. It returns false if the
// condition has no symbol, or a symbol that no input has.
func (s *conditionSet) prepare(c *Condition) bool {
	foreign := false
	note := func(name string) {
		i, ok := s.index[name]
		if foreign = foreign || !ok; ok && !slices.Contains(c.symbols, i) {
			c.symbols = append(c.symbols, i)
		}
	}
	c.A.Symbols(note)
	c.B.Symbols(note)
	if foreign || len(c.symbols) == 0 {
		return false
	}
	slices.Sort(c.symbols)
	position := func(name string) int { return s.index[name] }
	c.a, _ = c.A.Evaluator(position)
	c.b, _ = c.B.Evaluator(position)
	return true
}

// addDemands adds the demands of the nodes of a model. It also adds two assumptions that are given
// up first: that no size that is computed is 0, and that no size of 1 is broadcast.
func (s *conditionSet) addDemands(r *shape.Result) {
	for _, d := range r.Demands {
		w := needed
		if d.Tolerated || d.Place.Kind == graphops.BodyGraph {
			w = inside
		}
		for _, side := range []dim.Dim{d.A.Size, d.B.Size} {
			if _, plain := side.IsSymbol(); !plain {
				s.add(Condition{A: dim.Number(1), B: side, Relation: shape.AtMost, weight: likely, Why: "the assumption that nothing is empty"})
			}
		}
		if d.Relation == shape.Broadcasts && !isOne(d.A.Size) && !isOne(d.B.Size) {
			s.add(Condition{A: d.A.Size, B: d.B.Size, Relation: shape.Equals, weight: likely, Why: "the assumption that no size of 1 is broadcast"})
		}
		s.add(Condition{
			A: d.A.Size, B: d.B.Size, Relation: d.Relation, weight: w, text: d.Text(),
			Node: shape.NodeName(d.Node, d.Place.Graph.Nodes()[d.Node]), place: d.Place, node: d.Node,
		})
	}
}

// isOne reports whether a size is at most 1 whatever the symbols are. Such an axis exists only to
// be broadcast.
func isOne(d dim.Dim) bool {
	_, most := d.Bounds()
	return most <= 1
}

// addTotals adds a condition that names of symbols imply: the total number of tokens is the number
// in the cache plus the number in the sequence.
func (s *conditionSet) addTotals(symbols []Symbol) {
	of := func(k Kind) []Symbol {
		var out []Symbol
		for _, symbol := range symbols {
			if symbol.Kind == k {
				out = append(out, symbol)
			}
		}
		return out
	}
	next := slices.DeleteFunc(of(kindSequence), func(s Symbol) bool { return s.encoded })
	past, sequence, ok := decoded(of(kindPast), next)
	if !ok {
		return
	}
	sum := dim.Symbol(past.Name).Add(dim.Symbol(sequence.Name))
	for _, total := range of(kindTotal) {
		s.add(Condition{A: dim.Symbol(total.Name), B: sum, Relation: shape.Equals, weight: named, Why: "the names"})
	}
}

// decoded returns the symbol of the cache and the symbol of the sequence that belong together.
// There may be only one of each. Otherwise the name of the first is that of the second with the
// prefix past_.
func decoded(past, sequence []Symbol) (p, s Symbol, ok bool) {
	if len(past) == 1 && len(sequence) == 1 {
		return past[0], sequence[0], true
	}
	for _, p := range past {
		for _, s := range sequence {
			if p.Name == "past_"+s.Name {
				return p, s, true
			}
		}
	}
	return p, s, false
}
