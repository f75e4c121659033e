package summary

import (
	"cmp"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/scope"
)

// parts returns the parts of the place.
func (v *view) parts(tree *scope.Tree) []Part {
	c := collector{view: v, tree: tree, of: map[partKey]int{}}
	c.walk(scope.Root, "", "")
	c.rejoin()
	c.unknown(scope.Root, "")
	c.residuals()
	c.repeated()
	c.loneLayers()
	c.single()
	for i := range c.parts {
		c.weigh(&c.parts[i])
	}
	slices.SortStableFunc(c.parts, func(a, b Part) int {
		return cmp.Or(b.rank()-a.rank(), cmp.Compare(b.Parameters, a.Parameters), cmp.Compare(len(b.Nodes), len(a.Nodes)))
	})
	return c.parts
}

// rank orders parts: those that repeat, then single ones, and last those that are one mark or of an
// unknown kind.
func (p *Part) rank() int {
	switch {
	case p.Kind == "" || p.isSingle:
		return 0
	case len(p.Nodes) > 1:
		return 2
	default:
		return 1
	}
}

// collector collects the parts of a place.
type collector struct {
	*view
	tree  *scope.Tree
	parts []Part
	of    map[partKey]int // index of a part
	lone  []lone          // layers that may be parts although they do not repeat
}

// partKey is equal for repetitions of one part.
type partKey struct{ kind, path string }

// add adds a repetition of a part.
func (c *collector) add(key partKey, nodes []int32, f Facts) {
	i, ok := c.of[key]
	if !ok {
		i = len(c.parts)
		c.of[key] = i
		c.parts = append(c.parts, Part{Kind: key.kind, Path: key.path})
	}
	p := &c.parts[i]
	p.Nodes, p.Each = append(p.Nodes, nodes), append(p.Each, f)
	p.Facts.join(f)
	for _, n := range nodes {
		c.covered[n] = true
	}
}

// pattern returns a name with * in place of each number.
func pattern(name string) string {
	var b strings.Builder
	digits := false
	for i := range len(name) {
		is := name[i] >= '0' && name[i] <= '9'
		if is && !digits {
			b.WriteByte('*')
		}
		if !is {
			b.WriteByte(name[i])
		}
		digits = is
	}
	return b.String()
}

// found is a scope with its block.
type found struct {
	scope scope.ID
	nodes []int32
	kind  string
	facts Facts
}

// walk finds the parts among the scopes below one. path is its path as a pattern, and word says
// whether a scope around it is called encoder or decoder.
func (c *collector) walk(s scope.ID, path, word string) {
	groups := map[string][]found{}
	var order []string
	for _, child := range c.tree.Children(s) {
		name := c.tree.Scopes[child].Name
		like := pattern(name)
		if like == name {
			c.walk(child, path+"/"+name, cmp.Or(sideOf(name), sideOf(c.tree.Scopes[child].Class), word))
			continue
		}
		f := found{scope: child, nodes: c.tree.Nodes(child)}
		b := c.blockOf(f.nodes)
		b.word = cmp.Or(sideOf(name), sideOf(c.tree.Scopes[child].Class), word)
		f.kind, f.facts = b.kind(), b.facts(c.view)
		if groups[like] == nil {
			order = append(order, like)
		}
		groups[like] = append(groups[like], f)
	}
	for _, like := range order {
		c.group(groups[like], path+"/"+like, word)
	}
}

// layers are the kinds that are certain enough for a part that does not repeat: a model may have one layer,
// or be cut to one.
var layers = map[string]bool{"encoder layer": true, "decoder layer": true, "transformer layer": true}

// loneLayers adds layers that do not repeat and whose nodes are in no other part.
func (c *collector) loneLayers() {
	for _, l := range c.lone {
		if c.isFree(l.nodes) {
			c.add(l.partKey, l.nodes, l.facts)
		}
	}
}

// lone is a block of a kind that no sibling has.
type lone struct {
	partKey
	nodes []int32
	facts Facts
}

// group adds siblings whose names differ in a number as a part, if they are of one kind, and
// otherwise what is in them.
func (c *collector) group(members []found, path, word string) {
	count := map[string]int{}
	for _, f := range members {
		count[f.kind]++
	}
	for _, f := range members {
		if layers[f.kind] && count[f.kind] == 1 {
			c.lone = append(c.lone, lone{partKey{f.kind, path}, f.nodes, f.facts})
		}
		if f.kind != "" && count[f.kind] > 1 {
			c.add(partKey{f.kind, path}, f.nodes, f.facts)
			continue
		}
		scope := c.tree.Scopes[f.scope]
		c.walk(f.scope, path, cmp.Or(sideOf(scope.Name), sideOf(scope.Class), word))
	}
}

// fragments are kinds of parts that can be pieces of a layer. Without names of modules, the names of
// weights put the products of an MLP into a module, but not the attention beside it.
var fragments = map[string]bool{"MLP": true, "linear layer": true, "mixture of experts": true}

// rejoin replaces fragments by layers, if there is attention beside them that is in no part, and if
// the marks repeat.
func (c *collector) rejoin() {
	lonely := 0
	for _, m := range c.marks {
		if m.what == isAttention && !c.covered[m.node] {
			lonely++
		}
	}
	if lonely < 2 {
		return
	}
	parts, of, covered := c.parts, c.of, slices.Clone(c.covered)
	c.parts, c.of = nil, map[partKey]int{}
	for _, p := range parts {
		if !fragments[p.Kind] {
			c.of[partKey{p.Kind, p.Path}] = len(c.parts)
			c.parts = append(c.parts, p)
			continue
		}
		for _, nodes := range p.Nodes {
			for _, i := range nodes {
				c.covered[i] = false
			}
		}
	}
	kept := len(c.parts)
	c.repeated()
	if !slices.ContainsFunc(c.parts[kept:], func(p Part) bool { return strings.HasSuffix(p.Kind, "layer") && p.Heads.Known() }) {
		c.parts, c.of, c.covered = parts, of, covered
	}
}

// unknown adds folds of scopes in which no part was found.
func (c *collector) unknown(s scope.ID, path string) {
	for _, row := range c.tree.Rows(s) {
		if row.Fold == nil {
			c.unknown(row.Scope, path+"/"+pattern(c.tree.Scopes[row.Scope].Name))
			continue
		}
		at := path + "/" + row.Fold.Pattern
		for _, m := range row.Fold.Members {
			if nodes := c.tree.Nodes(m); c.isFree(nodes) {
				c.add(partKey{"", at}, nodes, c.blockOf(nodes).facts(c.view))
			}
		}
	}
}

// fewest is the smallest number of nodes of a repetition whose kind is not known.
const fewest = 3

// isFree reports whether nodes are in no part, and enough to be one of an unknown kind.
func (c *collector) isFree(nodes []int32) bool {
	return len(nodes) >= fewest && !slices.ContainsFunc(nodes, func(i int32) bool { return c.covered[i] })
}

// residuals adds the nodes up to each residual that is in no part.
func (c *collector) residuals() {
	var ends []*mark
	for _, m := range c.marks {
		if m.residual && !c.covered[m.node] {
			ends = append(ends, m)
		}
	}
	if len(ends) < 2 {
		return
	}
	from := int32(0)
	for _, m := range ends {
		first, last := from, c.position[m.node]
		if m.fork >= 0 {
			first = max(first, c.position[m.fork]+1)
		}
		from = last + 1
		if nodes := c.free(first, last); len(nodes) > 0 {
			if b := c.blockOf(nodes); b.kind() == "residual block" {
				c.add(partKey{"residual block", ""}, nodes, b.facts(c.view))
			}
		}
	}
}

// free returns the nodes from one position in the order to another that are in no part.
func (c *collector) free(first, last int32) []int32 {
	var out []int32
	for at := first; at <= last; at++ {
		if i := c.order[at]; !c.covered[i] {
			out = append(out, i)
		}
	}
	slices.Sort(out)
	return out
}

// single adds marks that are in no part, by their kind. Products with weights count only if there
// is no other part.
func (c *collector) single() {
	others := len(c.parts) > 0
	for _, m := range c.marks {
		others = others || m.what != isLinear && m.what != isResidual
	}
	for _, m := range c.marks {
		if c.covered[m.node] || m.kind == "" || others && m.what == isLinear {
			continue
		}
		nodes := []int32{m.node}
		f := c.blockOf(nodes).facts(c.view)
		f.Cross = false // what is around a single node is always outside of it
		c.add(partKey{m.kind, ""}, nodes, f)
		c.parts[c.of[partKey{m.kind, ""}]].isSingle = true
	}
}

// weigh adds up the initializers that the nodes of a part read.
func (c *collector) weigh(p *Part) {
	seen := map[*graphops.Tensor]bool{}
	for _, nodes := range p.Nodes {
		for _, i := range nodes {
			for _, list := range [][]graphops.ValueID{c.x.Inputs(int(i)), c.x.Captures(int(i))} {
				c.weighRead(p, seen, i, list)
			}
		}
	}
}

// weighRead adds the initializers among values that a node reads, if they were not seen before.
func (c *collector) weighRead(p *Part, seen map[*graphops.Tensor]bool, node int32, read []graphops.ValueID) {
	for _, id := range read {
		if id == none {
			continue
		}
		t := c.initializer(id)
		if t == nil || seen[t] {
			continue
		}
		seen[t] = true
		n, err := cost.ParametersOf(t, c.nodes[node], c.x.Name(id))
		size, also := t.ByteLen()
		if err == nil && also == nil {
			p.Parameters += n
			p.Bytes += size
		}
	}
}

// initializer returns the initializer that a value is, in this place or one around it, or nil.
func (v *view) initializer(id graphops.ValueID) *graphops.Tensor {
	if t := v.x.Initializer(id); t != nil || v.place.Parent == nil || v.x.IsDefined(id) {
		return t
	}
	name := v.x.Name(id)
	for p := v.place.Parent; p != nil; p = p.Parent {
		x := p.Graph.Index()
		if id, ok := x.Value(name); ok && x.IsDefined(id) {
			return x.Initializer(id)
		}
	}
	return nil
}
