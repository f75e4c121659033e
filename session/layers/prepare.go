package layers

import (
	"context"
	"fmt"
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/counterpart"
	"lathe/graphops/opschema"
	"lathe/graphops/quant"
	"lathe/graphops/region"
	"lathe/graphops/tensor"
	"lathe/session/text"
)

// layer is a Layer whose comparison is not finished.
type layer struct {
	Layer
	at           int              // position of its node in the order of A; -1 before the first node
	ready        int              // position at which all inputs of its region are available
	seen         bool             // the accumulated error is known
	same         bool             // B's own value has A's bits
	ownTolerance tensor.Tolerance // for the accumulated error
	scaled       multiple         // whether B's own value is a multiple of A's
	localScaled  multiple         // the same for the region's result
	other        *other           // a pair that is much closer, if one was found
	done         bool             // the local error is known
	localSame    bool             // the region gives A's bits
	stuck        bool             // the region does not run
}

// comparison is the state of one call of Compare.
type comparison struct {
	a, b Side // with their inputs
	ctx  context.Context
	o    Options
	m    *counterpart.Map

	orderA   []int
	placeA   []int // position of a node in the order
	neededA  []bool
	cutA     *region.Cut
	cutB     *region.Cut
	layers   []*layer
	of       map[graphops.ValueID]*layer // the layers by their value in B
	values   *held                       // A's values
	valuesB  *held                       // B's own values
	store    store                       // for large values
	until    map[graphops.ValueID]int    // for values of A: the last position at which they are needed
	ranB     map[int]bool
	neededB  map[int]bool   // nodes that shared values depend on
	deadB    map[int]string // nodes of B that do not run, and why
	bytesA   map[graphops.ValueID]int64
	guess    int64 // size assumed for values of unknown size
	segments int
	skipped  int   // pairs that are not compared
	large    int   // nodes whose values alone exceed a segment's memory
	largest  int64 // bytes that the largest of them needs
	took     taken
	unseen   []string // notes about values inside of nodes
}

// inlined returns a model in which each call of a model-local function is replaced by the
// function's nodes. If a call cannot be replaced, a note says so.
func (c *comparison) inlined(side string, m *graphops.Model) *graphops.Model {
	m, calls, left := region.Inlined(m)
	if calls > 0 {
		c.unseen = append(c.unseen, fmt.Sprintf("%s of %s are replaced by the nodes of their functions, named after the call: call/node", text.Plural(calls, "call"), side))
	}
	if len(left) > 0 {
		c.unseen = append(c.unseen, fmt.Sprintf("calls of %s in %s are one node each: the function holds bodies, or imports other operator versions than the model", some(left), side))
	}
	bodies := 0
	for _, n := range m.Graph().Nodes() {
		if len(n.Graphs()) > 0 {
			bodies++
		}
	}
	if bodies > 0 {
		c.unseen = append(c.unseen, fmt.Sprintf("%s of %s hold bodies; each is one node, and the values inside are not compared", text.Plural(bodies, "node"), side))
	}
	return m
}

func (c *comparison) prepare() error {
	var err error
	if c.orderA, err = c.m.A.Graph().Order(); err != nil {
		return err
	}
	c.placeA = make([]int, len(c.orderA))
	for at, i := range c.orderA {
		c.placeA[i] = at
	}
	c.ranB, c.deadB = map[int]bool{}, map[int]string{}
	for _, p := range c.m.Pairs {
		made := c.m.A.Graph().Index().Producer(p.A) >= 0
		switch {
		// The value is a weight. It is not compared itself, because the values computed from it
		// show whether it is right.
		case !made && p.How != counterpart.ByDequantized:
		case p.TypeA.Kind == graphops.TypeOptional || p.TypeB.Kind == graphops.TypeOptional:
			c.skipped++ // the runtime does not return optionals
		default:
			c.layers = append(c.layers, &layer{Layer: Layer{Pair: p}})
		}
	}
	c.guess = unknownBytes
	if err := c.inferSizes(); err != nil {
		return err
	}
	return c.cut()
}

// cut cuts both models at the shared values. From that follow the region of each layer, the
// position from which its inputs are available, and how long values of A are needed.
func (c *comparison) cut() error {
	var err error
	if c.cutA, c.cutB, err = c.cutAt(c.layers); err != nil {
		return err
	}
	c.of = map[graphops.ValueID]*layer{}
	for _, l := range c.layers {
		c.of[l.Pair.B] = l
	}
	for _, l := range c.layers {
		c.describe(l)
	}
	c.needs()
	return nil
}

// cutAt cuts both models at the values of some layers.
func (c *comparison) cutAt(list []*layer) (a, b *region.Cut, err error) {
	xa, xb := c.m.A.Graph().Index(), c.m.B.Graph().Index()
	var as, bs []graphops.ValueID
	for _, l := range list {
		if xb.Producer(l.Pair.B) < 0 || isConstant(c.m.B, l.Pair.B) {
			continue // a constant is part of each region that reads it, and so is its counterpart in A
		}
		bs = append(bs, l.Pair.B)
		if xa.Producer(l.Pair.A) >= 0 {
			as = append(as, l.Pair.A)
		}
	}
	if a, err = region.At(c.m.A, as); err != nil {
		return nil, nil, err
	}
	b, err = region.At(c.m.B, bs)
	return a, b, err
}

func (c *comparison) describe(l *layer) {
	xa, xb := c.m.A.Graph().Index(), c.m.B.Graph().Index()
	l.A, l.B = xa.Name(l.Pair.A), xb.Name(l.Pair.B)
	l.NodeA, l.NodeB = xa.Producer(l.Pair.A), xb.Producer(l.Pair.B)
	l.RegionA, l.RegionB = c.cutA.Nodes(l.Pair.A), c.cutB.Nodes(l.Pair.B)
	l.at = c.position(l.Pair.A)
	l.ready = l.at
	for _, w := range c.cutB.Inputs(l.Pair.B) {
		if from := c.of[w]; from != nil {
			l.ready = max(l.ready, c.position(from.Pair.A))
		}
	}
	l.Quantizes, l.Random = false, false
	for _, side := range []struct {
		m     *graphops.Model
		nodes []int
	}{{c.m.A, l.RegionA}, {c.m.B, l.RegionB}} {
		for _, i := range side.nodes {
			n := side.m.Graph().Nodes()[i]
			l.Quantizes = l.Quantizes || quant.Computes(n)
			l.Random = l.Random || isRandom(n)
		}
	}
}

// position returns at which position in A's order a value is computed, or -1 for inputs and
// constants.
func (c *comparison) position(v graphops.ValueID) int {
	if i := c.m.A.Graph().Index().Producer(v); i >= 0 {
		return c.placeA[i]
	}
	return -1
}

// needs finds the nodes of A on which the shared values depend, and for each value of A the last
// position at which a node of A or a region of B needs it.
func (c *comparison) needs() {
	g := c.m.A.Graph()
	x := g.Index()
	c.neededA, c.until = make([]bool, len(c.orderA)), map[graphops.ValueID]int{}
	for _, info := range c.m.A.Graph().FeedInputs() {
		v, _ := x.Value(info.Name())
		c.values.fix(v, c.a.In[info.Name()])
		c.until[v] = math.MaxInt
	}
	for _, l := range c.layers {
		if l.NodeA >= 0 && !isConstant(c.m.A, l.Pair.A) {
			c.neededA[l.NodeA] = true
		}
		c.extend(l.Pair.A, l.ready)
		if x.Producer(l.Pair.A) < 0 || isConstant(c.m.A, l.Pair.A) {
			c.until[l.Pair.A] = math.MaxInt
		}
		for _, w := range c.cutB.Inputs(l.Pair.B) {
			if from := c.of[w]; from != nil {
				c.extend(from.Pair.A, l.ready)
			}
		}
		for _, v := range c.m.Alternates(l.Pair) {
			c.neededA[x.Producer(v)] = true
			c.extend(v, c.until[l.Pair.A])
		}
	}
	c.needsOfB()
	for _, i := range slices.Backward(c.orderA) {
		if !c.neededA[i] {
			continue
		}
		for v := range region.Reads(g, i) {
			if p := x.Producer(v); p >= 0 {
				c.neededA[p] = true
				c.extend(v, c.placeA[i])
			}
		}
	}
}

func (c *comparison) extend(v graphops.ValueID, until int) {
	c.until[v] = max(c.until[v], until)
}

// isConstant reports whether the value is the output of a Constant node.
func isConstant(m *graphops.Model, v graphops.ValueID) bool {
	i := m.Graph().Index().Producer(v)
	return i >= 0 && m.Graph().Nodes()[i].IsConstant()
}

// isRandom reports whether a node or one of its bodies draws random numbers.
func isRandom(n *graphops.Node) bool {
	switch opschema.DrawsOf(n.Domain(), n.OpType()) {
	case opschema.DrawsAlways:
		return true
	case opschema.DrawsInTraining:
		if ins := n.Inputs(); len(ins) > 2 && ins[2] != "" { // it has an input for the training mode
			return true
		}
	}
	for _, g := range n.Graphs() {
		if slices.ContainsFunc(g.Nodes(), isRandom) {
			return true
		}
	}
	return false
}
