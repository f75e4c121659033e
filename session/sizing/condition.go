package sizing

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// Condition is a relation that sizes must have for the model to run.
type Condition struct {
	A, B     dim.Dim
	Relation shape.Relation
	// Node is the first node that needs it, as messages name it; "" where a name or a
	// file does. Nodes is how many need it.
	Node  string
	Nodes int
	// Why is what asks for it in place of a node.
	Why string

	place *graphops.Place // of that node
	node  int

	text    string
	weight  weight
	symbols []int // positions of those in it, in order
	a, b    dim.Evaluator
	least   int64 // of a condition that its symbol is at least a number
}

// weight is how sure a condition is. Where not all can be satisfied, the lightest are
// given up first.
type weight uint8

const (
	likely weight = iota // sizes that broadcast are equal: the case that a model is made for
	named                // names or files state it
	inside               // a node in a branch or loop needs it, or one that may run without
	needed               // a node of the main graph needs it
	asked                // the user gave it
)

// String says what the condition wants, and why if that is known, as "height is a multiple of
// 32".
func (c *Condition) String() string {
	if c.text != "" {
		return c.text
	}
	return shape.Demand{A: shape.Source{Size: c.A}, B: shape.Source{Size: c.B}, Relation: c.Relation}.Condition()
}

// Source is who wants it.
func (c *Condition) Source() string {
	switch {
	case c.Node == "":
		return c.Why
	case c.Nodes > 1:
		return fmt.Sprintf("%s and %d more", c.Node, c.Nodes-1)
	}
	return c.Node
}

// holds reports whether sizes satisfy the condition. What cannot be calculated for them,
// as a division by zero, is not satisfied.
func (c *Condition) holds(sizes []int64) bool {
	a, okA := c.a.At(sizes)
	b, okB := c.b.At(sizes)
	return okA && okB && c.Relation.Holds(a, b)
}

// conditionSet collects conditions, each once for each weight.
type conditionSet struct {
	index map[string]int // of the symbols
	names []string
	seen  map[string]*Condition
	least map[leastKey]*Condition // the strictest of each
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

// add adds a condition in known symbols; one in others, or in none, says nothing of
// the inputs.
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

// leastKey is of the conditions of one weight that a symbol is at least a number.
type leastKey struct {
	symbol int
	weight weight
}

// isWeaker reports whether a condition that a symbol is at least a number needs no place of
// its own: the strictest of these stands for all of them. Deep models have very many.
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

// prepare finds the symbols of a condition; false where it has none, or one that no
// input has.
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

// addDemands adds what the nodes of a model need.
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

// isOne reports whether a size is at most 1 by what it is: it is there to be broadcast.
func isOne(d dim.Dim) bool {
	_, most := d.Bounds()
	return most <= 1
}

// addTotals adds what names state: the tokens in all are those of the cache and those of
// the sequence.
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
	next := slices.DeleteFunc(of(Sequence), func(s Symbol) bool { return isEncoded(s.Name) })
	past, sequence, ok := decoded(of(Past), next)
	if !ok {
		return
	}
	sum := dim.Symbol(past.Name).Add(dim.Symbol(sequence.Name))
	for _, total := range of(Total) {
		s.add(Condition{A: dim.Symbol(total.Name), B: sum, Relation: shape.Equals, weight: named, Why: "the names"})
	}
}

// decoded are the cache and the sequence that belong together: the only ones, or those
// whose names differ in the word for a cache alone.
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
