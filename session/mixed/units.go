package mixed

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/session"
	"lathe/session/search"
	"lathe/session/sensitivity"
)

// plan says what can be chosen.
type plan struct {
	base  *graphops.Model // what is quantized; each node has a name of its own
	units []unit
	small []string // nodes that stay as they are, because they save too little together
}

// unit is nodes that get one type because they share weights. Mostly it is one node.
type unit struct {
	nodes []string
	types []nodeType // of choices 1, 2, …
	search.Unit
}

// place is where a node is.
type place struct {
	body  string // "" in the main graph
	index int
}

// candidate is a node with what each type does to it.
type candidate struct {
	*sensitivity.Layer
	of map[nodeType]*sensitivity.Layer
}

// plan prepares the model and lists what can be chosen.
func (s *Auto) plan(ctx context.Context, env session.Env, m *graphops.Model, prove bool) (*plan, error) {
	base, err := s.base(ctx, env, m, prove)
	if err != nil {
		return nil, err
	}
	if err := s.checkNames(base); err != nil {
		return nil, err
	}
	all := map[place]*candidate{}
	found := false // a node that some type could take, whether the options let it or not
	var first error
	for _, t := range s.types() {
		layers, err := sensitivity.Candidates(ctx, env, t.of(&s.Quant, s.Samples, nil), base)
		if errors.Is(err, quant.ErrNothing) {
			if first == nil {
				first = err
			}
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.name, err)
		}
		s.join(all, t, layers)
		found = found || len(layers) > 0
	}
	if len(all) == 0 && found {
		return nil, fmt.Errorf("%w: no node with weights is among those that --include, --exclude and --include-ops leave", quant.ErrNothing)
	}
	if len(all) == 0 {
		return nil, first
	}
	p := &plan{base: base, units: unitsOf(all, s.types())}
	if len(s.Choose) > 0 {
		return p, nil
	}
	total, err := sizeOf(base)
	p.dropSmall(total / small)
	return p, err
}

// small says how many times as large as the units that are left out the model is, at least.
const small = 1000

// dropSmall leaves out the units that save least, as long as they save no more bytes than this together.
// Otherwise most trials would be spent on nodes such as the Add of a bias.
func (p *plan) dropSmall(limit int64) {
	most := func(u unit) (out int64) {
		for _, c := range u.Choices {
			out = max(out, c.Saves)
		}
		return out
	}
	sorted := slices.Clone(p.units)
	slices.SortStableFunc(sorted, func(a, b unit) int { return cmp.Compare(most(a), most(b)) })
	dropped := map[string]bool{}
	for _, u := range sorted {
		if limit -= most(u); limit < 0 {
			break
		}
		dropped[u.nodes[0]] = true
	}
	p.units = slices.DeleteFunc(p.units, func(u unit) bool {
		if dropped[u.nodes[0]] {
			p.small = append(p.small, u.nodes...)
		}
		return dropped[u.nodes[0]]
	})
}

// base returns the model whose nodes are quantized: prepared as the modes do it, with a name for each
// node.
func (s *Auto) base(ctx context.Context, env session.Env, m *graphops.Model, prove bool) (*graphops.Model, error) {
	for _, t := range s.types() {
		q := t.of(&s.Quant, s.Samples, nil)
		q.NoPreprocess = false
		var err error
		if m, err = q.Selectable(ctx, env, m, prove); err != nil {
			return nil, err
		}
	}
	return sensitivity.Named(m.WithoutOverruled()), nil
}

// checkNames returns an error for a node in the options that the model does not have.
func (s *Auto) checkNames(m *graphops.Model) error {
	names := map[string]bool{}
	for n := range m.AllNodes() {
		names[n.Name()] = true
	}
	asked := slices.Concat(s.Quant.Include, s.Quant.Exclude)
	for _, c := range s.Choose {
		asked = append(asked, c[:strings.LastIndexByte(c, '=')])
	}
	for _, name := range asked {
		if !names[name] {
			return &graphops.UnknownNameError{What: "node", Name: name, Nearest: graphops.NearestNames(name, maps.Keys(names))}
		}
	}
	return nil
}

// join adds what a type does to nodes. Nodes that become no smaller are left out.
func (s *Auto) join(all map[place]*candidate, t nodeType, layers []*sensitivity.Layer) {
	q := &s.Quant
	for _, l := range layers {
		if l.BytesSaved <= 0 || slices.Contains(q.Exclude, l.Node) || len(q.Include) > 0 && !slices.Contains(q.Include, l.Node) ||
			len(q.OpTypes) > 0 && !slices.Contains(q.OpTypes, l.Op) {
			continue
		}
		at := place{l.Place, l.Index}
		if all[at] == nil {
			all[at] = &candidate{l, map[nodeType]*sensitivity.Layer{}}
		}
		all[at].of[t] = l
	}
}

// unitsOf joins the nodes that share a weight, in the order of the nodes.
func unitsOf(all map[place]*candidate, types []nodeType) (out []unit) {
	sorted := slices.SortedFunc(maps.Values(all), func(a, b *candidate) int {
		return cmp.Or(cmp.Compare(a.Place, b.Place), cmp.Compare(a.Index, b.Index))
	})
	groups := map[*candidate][]*candidate{} // by the first of each
	first := map[*candidate]*candidate{}
	reader := map[string]*candidate{} // the first of the group that reads a weight
	for _, c := range sorted {
		groups[c], first[c] = []*candidate{c}, c
		for w := range c.weights() {
			into := first[c]
			if other := reader[w]; other != nil && first[other] != into {
				for _, x := range groups[into] {
					first[x] = first[other]
				}
				groups[first[other]] = append(groups[first[other]], groups[into]...)
				delete(groups, into)
			}
			reader[w] = c
		}
	}
	for _, c := range sorted {
		if g := groups[c]; g != nil {
			if u := unitOf(g, types); len(u.Choices) > 0 {
				out = append(out, u)
			}
		}
	}
	return out
}

// weights returns the names of the weights that change with any type.
func (c *candidate) weights() iter.Seq[string] {
	names := map[string]bool{}
	for _, l := range c.of {
		for _, w := range l.Weights {
			names[w] = true
		}
	}
	return slices.Values(slices.Sorted(maps.Keys(names)))
}

// unitOf makes a unit with the types that all of its nodes can have.
func unitOf(group []*candidate, types []nodeType) (u unit) {
	for _, c := range group {
		u.nodes = append(u.nodes, c.Node)
	}
	for _, t := range types {
		choice, all := search.Choice{}, true
		for _, c := range group {
			l := c.of[t]
			if l == nil {
				all = false
				break
			}
			choice.Saves += l.BytesSaved / int64(l.Shared+1)
			choice.Noise += math.Pow(10, -float64(l.Estimated)/10)
		}
		if all {
			u.types, u.Choices = append(u.types, t), append(u.Choices, choice)
		}
	}
	return u
}

// chosen returns the assignment that the option --choose describes.
func (s *Auto) chosen(p *plan) (search.Assignment, error) {
	out := make(search.Assignment, len(p.units))
	for _, x := range s.Choose {
		at := strings.LastIndexByte(x, '=')
		node, name := x[:at], x[at+1:]
		i := slices.IndexFunc(p.units, func(u unit) bool { return slices.Contains(u.nodes, node) })
		if i < 0 {
			return nil, fmt.Errorf("--choose %s: node %q cannot be quantized", x, node)
		}
		u := p.units[i]
		k := slices.IndexFunc(u.types, func(t nodeType) bool { return t.name == name })
		switch {
		case k < 0:
			return nil, fmt.Errorf("--choose %s: the node cannot become %s", x, name)
		case out[i] != 0 && int(out[i]) != k+1:
			return nil, fmt.Errorf("--choose %s: another node that reads the same weight, or the same node, is %s; give both one type", x, u.types[out[i]-1].name)
		}
		out[i] = byte(k + 1)
	}
	return out, nil
}

// choices returns an assignment as values of --choose.
func (p *plan) choices(a search.Assignment) []string {
	out := []string{}
	for i, c := range a {
		if c == 0 {
			continue
		}
		for _, n := range p.units[i].nodes {
			out = append(out, n+"="+p.units[i].types[c-1].name)
		}
	}
	return out
}
