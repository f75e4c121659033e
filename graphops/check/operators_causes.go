package check

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// typeCause is a node with an attribute for the element type of its output, such as a Cast. Because of
// that type several nodes have inputs of a wrong type.
type typeCause struct {
	retyping
	value  string
	faults []int // positions in the list of faults
	cause  *Cause
	behind bool // other nodes give the type on to some of the nodes with the faults
	// retypes reports that the attribute should be changed. Otherwise other nodes need the type, and
	// the value is converted for those that do not.
	retypes bool
	before  []string // the nodes that read the value with a wrong type, as options of a step
}

// maxNamedNodes is how many nodes a cause lists by name.
const maxNamedNodes = 5

// findTypeCauses finds the nodes from which several faults follow. The result is by fault.
func (s *subject) findTypeCauses() map[int]*typeCause {
	type key struct {
		spot
		want tensor.DType
	}
	found := map[int]*typeCause{}
	groups := map[key]*typeCause{}
	var order []*typeCause
	for i, f := range s.typing().faults {
		for _, w := range f.wanted {
			if _, other := s.retypingOf(f.Place, w); other {
				break
			}
			n, ok := s.typeOrigin(f.Place, w.value)
			if !ok || !s.gives(n, w.elem) {
				continue
			}
			k := key{spot{f.Place, n.index}, w.elem}
			c := groups[k]
			if c == nil {
				c = &typeCause{retyping: retyping{site: n, attribute: namesItsType(n.Node), to: w.elem}, value: n.Output(0)}
				groups[k] = c
				order = append(order, c)
			}
			c.faults = append(c.faults, i)
			c.behind = c.behind || n.Output(0) != w.value
		}
	}
	tries := 0
	for _, c := range order {
		c.faults = slices.DeleteFunc(slices.Compact(c.faults), func(i int) bool { return found[i] != nil })
		nodes := s.madeWrong(c)
		if len(c.faults) == 0 || tries >= singleTrials {
			continue
		}
		tries++
		if len(nodes) < 2 {
			nodes = append(nodes, s.wrongAfter(c)...)
		}
		if len(nodes) < 2 {
			continue
		}
		if c.retypes = s.improves([]retyping{c.retyping}); !c.retypes && (c.behind || len(c.faults) < 2) {
			continue
		}
		if !c.retypes {
			nodes = c.readers(s)
		}
		c.cause = &Cause{Place: c.place, Node: c.index, Nodes: nodes, Text: c.text(s, nodes)}
		for _, i := range c.faults {
			found[i] = c
			c.before = append(c.before, "before", fmt.Sprintf("#%d", s.typing().faults[i].Node))
		}
	}
	return found
}

// maxTypeSteps is how many nodes typeOrigin follows at most.
const maxTypeSteps = 64

// typeOrigin returns the node whose attribute names the element type of a value. That is the node that
// produces the value, or one before it if the nodes between give the type of an input on, as Unsqueeze
// does. Of several such inputs, the first one that another node produces counts.
func (s *subject) typeOrigin(p *graphops.Place, value string) (n site, ok bool) {
	x := p.Graph.Index()
	for range maxTypeSteps {
		v, ok := x.Value(value)
		if !ok || x.Producer(v) < 0 {
			return site{}, false
		}
		n := site{p.Graph.Nodes()[x.Producer(v)], p, x.Producer(v)}
		if n.Output(0) == value && namesItsType(n.Node) != "" {
			return n, true
		}
		if value = s.typeGiver(n, value); value == "" {
			return site{}, false
		}
	}
	return site{}, false
}

// typeGiver returns the input of a node whose element type an output has. It returns "" if no node
// other than a Constant produces such an input.
func (s *subject) typeGiver(n site, output string) string {
	schema := s.schema(n)
	if schema == nil {
		return ""
	}
	out, ok := schema.Output(slices.Index(n.Outputs(), output))
	if !ok || strings.Contains(out.Type, "(") { // a type and no variable
		return ""
	}
	x := n.place.Graph.Index()
	for i, name := range n.Inputs() {
		in, ok := schema.Input(i)
		v, known := x.Value(name)
		if !ok || !known || in.Type != out.Type || x.Producer(v) < 0 {
			continue
		}
		if maker := n.place.Graph.Nodes()[x.Producer(v)]; !maker.Is("Constant") {
			return name
		}
	}
	return ""
}

// gives reports whether the definition of an operator allows an element type of the first output.
func (s *subject) gives(n site, to tensor.DType) bool {
	schema := s.schema(n)
	if schema == nil || !to.Valid() {
		return false
	}
	out, ok := schema.Output(0)
	return ok && out.Allows(graphops.Type{Kind: graphops.TypeTensor, Elem: to})
}

// readers returns the nodes with the faults of a cause.
func (c *typeCause) readers(s *subject) []int {
	var nodes []int
	for _, i := range c.faults {
		nodes = append(nodes, s.typing().faults[i].Node)
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// madeWrong returns the nodes of the place that a cause makes wrong: those with its faults, and those
// that follow from them.
func (s *subject) madeWrong(c *typeCause) []int {
	nodes := c.readers(s)
	for _, i := range c.faults {
		for _, n := range s.typing().follows[i] {
			if n.place == c.place {
				nodes = append(nodes, n.index)
			}
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// wrongAfter returns the nodes of the place that would be wrong if the only fault of a cause were
// solved by converting an input of the node with the fault.
func (s *subject) wrongAfter(c *typeCause) []int {
	f := s.typing().faults[c.faults[0]]
	if f.Fix == nil || f.Value == c.value {
		return nil // what the cause gives is converted, so that nothing else changes
	}
	e := graphops.EditGraph(f.Place.Graph)
	name, node := graphops.NamesOf(s.model).Value(f.Value), f.Place.Graph.Nodes()[f.Node]
	inputs := slices.Clone(node.Inputs())
	for i, in := range inputs {
		if in == f.Value {
			inputs[i] = name
		}
	}
	e.Nodes[f.Node] = node.WithInputs(inputs)
	e.Nodes = append(e.Nodes, graphops.NewNode(graphops.NodeSpec{
		Op: "Cast", Inputs: []string{f.Value}, Outputs: []string{name}, Attributes: []*graphops.Attribute{graphops.IntAttribute("to", int64(namedType(c.site.Node)))},
	}))
	before := s.wrongTypes()
	var nodes []int
	for at := range newSubject(s.ctx, s.model.WithGraph(f.Place, e.Graph()), Options{Runtime: s.Runtime}).wrongTypes() {
		if !before[at] && at.place == f.Place.ID && at.node < len(f.Place.Graph.Nodes()) {
			nodes = append(nodes, at.node)
		}
	}
	slices.Sort(nodes)
	return slices.Compact(nodes)
}

// text returns the cause in one line: which nodes read the wrong type, and which follow from them.
func (c *typeCause) text(s *subject, nodes []int) string {
	readers := c.readers(s)
	after := slices.DeleteFunc(slices.Clone(nodes), func(i int) bool { return slices.Contains(readers, i) })
	is := namedType(c.site.Node)
	who, need := counted(len(readers), "node")+" read", "need"
	if len(readers) == 1 {
		who, need = "1 node reads", "needs"
	}
	from := "from"
	if c.behind {
		from = "that comes from"
	}
	line := fmt.Sprintf("%s %s %s %s (%s=%s) but %s %s: %s", who, is, from, shortName(c.place, c.index), c.attribute, is, need, c.to, c.names(readers))
	if len(after) > 0 {
		line += "; from this follow: " + c.names(after)
	}
	return line
}

// names lists nodes of the place of a cause.
func (c *typeCause) names(nodes []int) string {
	var names []string
	for _, i := range nodes[:min(len(nodes), maxNamedNodes)] {
		names = append(names, shortName(c.place, i))
	}
	if more := len(nodes) - len(names); more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names, ", "), more)
	}
	return strings.Join(names, ", ")
}

// shortName returns the quoted name of a node, or its operator and position if it has none.
func shortName(p *graphops.Place, i int) string {
	n := p.Graph.Nodes()[i]
	if n.Name() == "" {
		return fmt.Sprintf("node %d (%s)", i, n.OpType())
	}
	return graphops.ShortQuoted(n.Name())
}

// apply sets the cause, the hint and the fix of a problem.
func (c *typeCause) apply(p *Problem) {
	p.Cause = c.cause
	if c.retypes {
		c.retyping.apply(p)
		return
	}
	p.Hint = fmt.Sprintf("convert %q to %s for these nodes", c.value, c.to)
	p.Fix = fixAt(c.place, "insert", append([]string{"value", c.value, "op", "cast", "to", c.to.String()}, c.before...)...)
}
