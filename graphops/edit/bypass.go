package edit

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// BypassOptions say which nodes are bypassed, and how if that is ambiguous.
type BypassOptions struct {
	// Nodes are given by name, or by # and position.
	Nodes []string
	// Through names, for nodes with several data inputs, the input that replaces the output.
	Through []string
	// Outputs names, for nodes with several used outputs, the output that is replaced.
	Outputs []string
	// ForceType allows that readers get another element type than before.
	ForceType bool
	// Unused also deletes what was needed only for the bypassed nodes.
	Unused bool
	Typing
}

// Bypass lets readers of a node's output read its input instead, and removes the node. Several
// consecutive nodes are bypassed as one: only the readers of the last one matter. Outputs of the
// graph keep their names. Recorded types that depend on it are settled as Typing says, unless
// readers get the same type as before.
func Bypass(ctx context.Context, m *graphops.Model, p *graphops.Place, o BypassOptions) (*graphops.Model, *Report, error) {
	e := begin(m, p)
	b := &bypass{
		edit: e, o: o, standIn: map[graphops.ValueID]graphops.ValueID{},
		constness: &constness{edit: e, state: map[graphops.ValueID]constState{}},
	}
	if err := b.choose(); err != nil {
		return nil, nil, err
	}
	moves, err := b.moves()
	if err != nil {
		return nil, nil, err
	}
	doubts, err := b.checkTypes(ctx, moves)
	if err != nil {
		return nil, nil, err
	}
	if err := b.apply(moves); err != nil {
		return nil, nil, err
	}
	b.clearUnused(o.Unused)
	b.reportRemoved()
	next, report := b.finishRemoval()
	if doubts {
		t := trial{edit: b.edit, was: m, next: next}
		next, err = t.settle(ctx, o.Typing)
	}
	return next, report, err
}

// bypass is an edit that bypasses nodes.
type bypass struct {
	*edit
	o BypassOptions
	// standIn maps the output of a bypassed node to the input that replaces it.
	standIn   map[graphops.ValueID]graphops.ValueID
	constness *constness
	// inferred has the shapes of the model, determined on first use.
	inferred *shape.Result
}

// move is a value whose readers get another one.
type move struct {
	node     int // the bypassed node
	from, to graphops.ValueID
	// others and casts count the bypassed nodes that are not Identities.
	others, casts int
	// fromType and toType are unknown if nothing is known.
	fromType, toType graphops.Type
	doubt            doubt // what readers can no longer rely on
}

// choose determines for each node which input replaces which output.
func (b *bypass) choose() error {
	list, err := b.nodes(b.o.Nodes)
	if err != nil {
		return err
	}
	for _, i := range list {
		b.remove(i)
	}
	through, outputs := named(b.o.Through), named(b.o.Outputs)
	for _, i := range list {
		from, err := b.output(i, outputs)
		if err != nil {
			return err
		}
		to, err := b.input(i, from, through)
		if err != nil {
			return err
		}
		b.standIn[from] = to
	}
	if name, ok := through.unused(b.o.Through); ok {
		return fmt.Errorf("input %q: none of the nodes to bypass reads it", name)
	}
	if name, ok := outputs.unused(b.o.Outputs); ok {
		return fmt.Errorf("output %q: none of the nodes to bypass makes it", name)
	}
	return nil
}

// choice has the names that a user gave, and whether any node has them.
type choice map[string]bool

func named(names []string) choice {
	c := choice{}
	for _, n := range names {
		c[n] = false
	}
	return c
}

// among returns the named ones of some values.
func (c choice) among(x *graphops.Index, ids []graphops.ValueID) []graphops.ValueID {
	var out []graphops.ValueID
	for _, id := range ids {
		if _, ok := c[x.Name(id)]; ok {
			c[x.Name(id)] = true
			out = append(out, id)
		}
	}
	return out
}

// unused returns the first of the names that no node has.
func (c choice) unused(names []string) (string, bool) {
	i := slices.IndexFunc(names, func(n string) bool { return !c[n] })
	if i < 0 {
		return "", false
	}
	return names[i], true
}

// output chooses the output that is replaced: the named one, otherwise the one that is needed,
// otherwise the one that is read at all.
func (b *bypass) output(i int, outputs choice) (graphops.ValueID, error) {
	made := b.outputsOf(i)
	needed := slices.DeleteFunc(slices.Clone(made), func(id graphops.ValueID) bool { return b.need(id) == "" })
	read := slices.DeleteFunc(slices.Clone(made), func(id graphops.ValueID) bool {
		return len(b.index.Readers(id)) == 0 && !b.isOutput(id)
	})
	candidates := outputs.among(b.index, made)
	for _, list := range [][]graphops.ValueID{needed, read} {
		if len(candidates) == 0 {
			candidates = list
		}
	}
	switch {
	case len(candidates) == 0:
		return 0, fmt.Errorf("node %s: nothing reads what it makes; delete it", nodeLabel(b.graph, i))
	case len(candidates) > 1:
		return 0, fmt.Errorf("node %s: %s are all in use, and an input stands in for one; say for which with --output, and delete what reads the others",
			nodeLabel(b.graph, i), b.quotedValues(candidates))
	}
	for _, id := range needed {
		if id != candidates[0] {
			return 0, fmt.Errorf("node %s: its output %q is %s, and nothing stands in for it when %q is bypassed; delete what depends on it first",
				nodeLabel(b.graph, i), b.index.Name(id), b.need(id), b.index.Name(candidates[0]))
		}
	}
	return candidates[0], nil
}

// input chooses the input that replaces the output: the named one, otherwise the only one that
// carries data.
func (b *bypass) input(i int, output graphops.ValueID, through choice) (graphops.ValueID, error) {
	var inputs []graphops.ValueID
	for _, name := range b.graph.Nodes()[i].Inputs() {
		if id, ok := b.index.Value(name); ok && name != "" && !slices.Contains(inputs, id) {
			inputs = append(inputs, id)
		}
	}
	if named := through.among(b.index, inputs); len(named) > 0 {
		inputs = named
	} else if data := b.constness.dataAmong(inputs); len(data) > 0 {
		inputs = data
	}
	switch len(inputs) {
	case 0:
		return 0, fmt.Errorf("node %s: reads nothing that could stand in for %q", nodeLabel(b.graph, i), b.index.Name(output))
	case 1:
		return inputs[0], nil
	default:
		return 0, fmt.Errorf("node %s: %s could each stand in for %q; say which one with --through", nodeLabel(b.graph, i), b.quotedValues(inputs), b.index.Name(output))
	}
}

// quotedValues returns the names of values with their types if known.
func (b *bypass) quotedValues(ids []graphops.ValueID) string {
	labels := make([]string, 0, maxNamed)
	for _, id := range ids[:min(len(ids), maxNamed)] {
		labels = append(labels, typedName(b.index.Name(id), b.typeOf(id)))
	}
	return listed(labels, len(ids))
}

// typedName returns a name with its type if known: "x" (f32 1×8).
func typedName(name string, t graphops.Type) string {
	if t.Kind == graphops.TypeUnknown {
		return fmt.Sprintf("%q", name)
	}
	return fmt.Sprintf("%q (%s)", name, typeText(t))
}

// moves returns the values that lose their producer but are needed, with their final replacements.
func (b *bypass) moves() ([]move, error) {
	var out []move
	for from := range graphops.ValueID(b.index.Values()) {
		if _, ok := b.standIn[from]; !ok || b.need(from) == "" {
			continue
		}
		v := move{node: b.index.Producer(from), from: from, to: from}
		for steps := 0; b.isMadeByRemoved(v.to); steps++ {
			next, ok := b.standIn[v.to]
			i := b.index.Producer(v.to)
			switch {
			case !ok:
				return nil, fmt.Errorf("node %s: its output %q would stand in for %q, and nothing stands in for that; choose it with --output",
					nodeLabel(b.graph, i), b.index.Name(v.to), b.index.Name(from))
			case steps > len(b.standIn):
				return nil, fmt.Errorf("node %s: needs its own result: the graph has a cycle", nodeLabel(b.graph, i))
			}
			v.to = next
			v.pass(b.graph.Nodes()[i])
		}
		out = append(out, v)
	}
	return out, nil
}

// pass counts a bypassed node.
func (v *move) pass(n *graphops.Node) {
	switch {
	case n.Domain() == graphops.DefaultDomain && n.OpType() == "Identity":
	case n.Domain() == graphops.DefaultDomain && n.OpType() == "Cast":
		v.casts++
	default:
		v.others++
	}
}

func (b *bypass) isMadeByRemoved(id graphops.ValueID) bool {
	i := b.index.Producer(id)
	return i >= 0 && b.removed(i)
}
