package shape

import (
	"fmt"
	"strings"

	"lathe/graphops"
	"lathe/graphops/dim"
)

// Demand is a relation of two sizes that must hold when the model runs, and holds for
// some sizes of the symbols only or, which is a Problem too, for none.
//
// A demand in a body is one of a body that runs, and one in a function holds at each of
// its calls. AtMost is demanded once of two sizes in a place, by the first node that
// demands it; the other relations are demanded by each node.
type Demand struct {
	Place    *graphops.Place
	Node     int
	A, B     Source
	Relation Relation
	// Loading tells that the runtime needs it when it loads the model: there it takes no
	// symbol in the place of a number.
	Loading bool
	// Tolerated tells that ONNX Runtime may run the model where the demand does not hold:
	// something is empty there, or it depends on the data.
	Tolerated bool
	// why is a sentence about the two sizes, with a verb for each, or names what tells the
	// second one, or is empty.
	why string
}

// Relation is how two sizes must be to each other.
type Relation int

// The relations of a size A to a size B.
const (
	Equals     Relation = iota
	Broadcasts          // they are equal, or one of them is 1
	Multiple            // A is a multiple of B
	AtMost              // A is no larger than B
	Spreads             // A is B or 1
)

// Holds reports whether two sizes are in the relation.
func (r Relation) Holds(a, b int64) bool {
	switch r {
	case Broadcasts:
		return a == b || a == 1 || b == 1
	case Multiple:
		return b != 0 && a%b == 0
	case AtMost:
		return a <= b
	case Spreads:
		return a == b || a == 1
	default:
		return a == b
	}
}

// Source is a size and where it comes from.
type Source struct {
	Size  dim.Dim
	Input int // position among the node's inputs
	Axis  int // of that input; -1 where it is no single axis
}

// The reasons of demands that several operators make.
const (
	windowFits    = "a window of %s must fit into %s"
	somethingLeft = "%[2]s must be at least %[1]s, or nothing is left"
	cacheHolds    = "a cache must have room for %s steps, and has it for %s"
	rowsThere     = "a table needs %s rows to be looked up in, and has %s"
)

// Condition is the relation as a formula, or nearly: "n = 3", "n is a multiple of 4".
func (d Demand) Condition() string {
	a, b := sizeText(d.A.Size), sizeText(d.B.Size)
	_, number := d.A.Size.Number()
	if number && d.Relation != Multiple {
		a, b = b, a
	}
	switch d.Relation {
	case Broadcasts:
		return fmt.Sprintf("%s = %s, or one of them is 1", a, b)
	case Spreads:
		return fmt.Sprintf("%s = %s, or %[1]s = 1", a, b)
	case Multiple:
		return fmt.Sprintf("%s is a multiple of %s", a, b)
	case AtMost:
		if number {
			return fmt.Sprintf("%s is at least %s", a, b)
		}
		return fmt.Sprintf("%s is at most %s", a, b)
	default:
		return fmt.Sprintf("%s = %s", a, b)
	}
}

// Text says what is wanted of the sizes, without the node: "a window of 7 must fit into
// height+2", or the condition.
func (d Demand) Text() string {
	switch {
	case strings.Contains(d.why, "%"):
		return fmt.Sprintf(d.why, sizeText(d.A.Size), sizeText(d.B.Size))
	case d.why != "":
		return d.Condition() + ": " + d.why
	default:
		return d.Condition()
	}
}

// String is the text with the node.
func (d Demand) String() string {
	return fmt.Sprintf("%s: %s", NodeName(d.Node, d.Place.Graph.Nodes()[d.Node]), d.Text())
}

// note records that two sizes must be in a relation, if that depends on symbols. Of
// numbers everything is said by the problem, but for what Options.Unmet asks for.
func (c *call) note(a, b Source, r Relation, why string) {
	if !a.Size.Known() || !b.Size.Known() || a.Size.Equal(b.Size) {
		return
	}
	x, number := a.Size.Number()
	y, numbers := b.Size.Number()
	if number && numbers && (!c.options.Unmet || r.Holds(x, y)) {
		return
	}
	switch r {
	case AtMost:
		if lo, _ := b.Size.Bounds(); number && lo >= x || b.Size.AtLeast(a.Size) {
			return
		}
	case Multiple:
		if _, whole := a.Size.Quotient(b.Size); whole {
			return
		}
	}
	c.addDemand(Demand{Place: c.place, Node: c.pos, A: a, B: b, Relation: r, why: why})
}

// limit is a demand of a place that is recorded once, however many nodes make it.
type limit struct {
	place int
	a, b  string
}

// addDemand records a demand, unless it is a limit that stands among the demands already:
// layers that are alike ask the same of the same sizes.
func (e *engine) addDemand(d Demand) {
	if d.Relation == AtMost {
		key := limit{d.Place.ID, d.A.Size.String(), d.B.Size.String()}
		if at, ok := e.limits[key]; ok && at < len(e.demands) && e.demands[at].is(key) {
			return
		}
		e.limits[key] = len(e.demands)
	}
	e.demands = append(e.demands, d)
}

// is reports whether the demand is a limit. Inference that is repeated takes demands back.
func (d Demand) is(l limit) bool {
	return d.Relation == AtMost && d.Place.ID == l.place && d.A.Size.String() == l.a && d.B.Size.String() == l.b
}

// whenLoading marks what a rule demands in f as needed to load the model.
func (c *call) whenLoading(f func()) {
	before := len(c.demands)
	f()
	for i := before; i < len(c.demands); i++ {
		c.demands[i].Loading = true
	}
}

// tolerate marks what a rule demands in f as not always needed.
func (c *call) tolerate(f func()) {
	before := len(c.demands)
	f()
	for i := before; i < len(c.demands); i++ {
		c.demands[i].Tolerated = true
	}
}

// lists notes that an input is a list of n elements. What a list of another known length
// would mean is for the operator's rule to report.
func (c *call) lists(i int, n dim.Dim) {
	if d := c.dims(i); len(d) == 1 {
		c.note(Source{d[0], i, 0}, Source{n, i, -1}, Equals, "")
	}
}

// partsInto notes that a size, of an input, must be a multiple of another one. Of a number
// what divides the size anyway does not count.
func (c *call) partsInto(i int, size, n dim.Dim) {
	if by, ok := n.Number(); ok && by > 0 && size.Known() {
		f := dim.Number(size.Factor(by))
		size, _ = size.Quotient(f)
		n = n.FloorDiv(f)
	}
	c.note(Source{size, i, -1}, Source{n, -1, -1}, Multiple, "")
}

// atLeast notes that a size must be no smaller than a number or another size.
func (c *call) atLeast(size Source, least dim.Dim, why string) {
	c.note(Source{least, size.Input, -1}, size, AtMost, why)
}

// filled notes that a size that is made is not 0.
func (c *call) filled(size dim.Dim) {
	c.tolerate(func() { c.atLeast(Source{size, 0, -1}, dim.Number(1), somethingLeft) })
}

// noneBelow0 notes that the elements of an input are sizes.
func (c *call) noneBelow0(i int, sizes []dim.Dim) {
	for _, size := range sizes {
		c.atLeast(Source{size, i, -1}, dim.Number(0), "")
	}
}

// within notes that a window, or what is alike, of a size must fit into another one.
func (c *call) within(small, large dim.Dim, why string) {
	c.note(Source{small, -1, -1}, Source{large, 0, -1}, AtMost, why)
}
