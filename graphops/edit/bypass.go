package edit

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// BypassOptions say which nodes are bypassed. Through and Outputs are needed if a node has several
// inputs or outputs that could be meant.
type BypassOptions struct {
	// Nodes are given by name, or by # and position.
	Nodes []string
	// Through names inputs that replace an output, for nodes with several inputs that depend on
	// data.
	Through []string
	// Outputs names the outputs that are replaced, for nodes with several outputs that are read.
	Outputs []string
	// ForceType allows a bypass after which readers get another element type than before.
	ForceType bool
	// Unused also deletes the nodes and initializers that only the bypassed nodes needed.
	Unused bool
	Typing
}

// Bypass removes nodes. The readers of a node's output then read an input of the node instead. If
// several nodes in a row are bypassed, the readers of the last one read the input of the first one.
// Outputs of the graph keep their names. If readers get another type than before, recorded types
// that depend on it may be wrong; Typing says what happens to them.
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

// bypass is the state of one call of Bypass.
type bypass struct {
	*edit
	o BypassOptions
	// standIn maps the output of a bypassed node to the input of the node that replaces it.
	standIn   map[graphops.ValueID]graphops.ValueID
	constness *constness
	// inferred has the shapes of the model. It is nil until they are needed.
	inferred *shape.Result
}

// move says that the readers of value from shall read value to.
type move struct {
	node     int // the bypassed node
	from, to graphops.ValueID
	// casts counts the Casts among the bypassed nodes between to and from, and others the nodes
	// that are neither Casts nor Identities.
	others, casts int
	// fromType and toType are the types of from and to.
	fromType, toType graphops.Type
	doubt            doubt // what readers can no longer rely on
}

// choose determines, for each node to bypass, which input replaces which output.
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

// choice maps names that a user gave to whether a node has a value of that name.
type choice map[string]bool

func named(names []string) choice {
	c := choice{}
	for _, n := range names {
		c[n] = false
	}
	return c
}

// among returns those of the values that the user named, and marks their names as used.
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

// unused returns the first of the names that no node has. The bool is false if there is none.
func (c choice) unused(names []string) (string, bool) {
	i := slices.IndexFunc(names, func(n string) bool { return !c[n] })
	if i < 0 {
		return "", false
	}
	return names[i], true
}

// output returns the output of node i that is replaced: the one that the user named, otherwise the
// only one that remaining nodes or the graph need, otherwise the only one that is read at all.
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
		return 0, fmt.Errorf("node %s: nothing reads its outputs; delete it instead", nodeLabel(b.graph, i))
	case len(candidates) > 1:
		return 0, fmt.Errorf("node %s: %s are all in use, but an input can replace only one of them; name it with --output, and delete what reads the others",
			nodeLabel(b.graph, i), b.quotedValues(candidates))
	}
	for _, id := range needed {
		if id != candidates[0] {
			return 0, fmt.Errorf("node %s: its output %q is %s, and no input replaces it if %q is bypassed; delete what depends on it first",
				nodeLabel(b.graph, i), b.index.Name(id), b.need(id), b.index.Name(candidates[0]))
		}
	}
	return candidates[0], nil
}

// input returns the input of node i that replaces the output: the one that the user named,
// otherwise the only one that depends on an input of the graph, otherwise the only one.
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
		return 0, fmt.Errorf("node %s: has no input that could replace %q", nodeLabel(b.graph, i), b.index.Name(output))
	case 1:
		return inputs[0], nil
	default:
		return 0, fmt.Errorf("node %s: %s could each replace %q; name one of them with --through", nodeLabel(b.graph, i), b.quotedValues(inputs), b.index.Name(output))
	}
}

// quotedValues lists values for a message, with their types if they are known.
func (b *bypass) quotedValues(ids []graphops.ValueID) string {
	labels := make([]string, 0, maxNamed)
	for _, id := range ids[:min(len(ids), maxNamed)] {
		labels = append(labels, typedName(b.index.Name(id), b.typeOf(id)))
	}
	return listed(labels, len(ids))
}

// typedName returns a name for a message, with the type if it is known: "x" (f32 1×8).
func typedName(name string, t graphops.Type) string {
	if t.Kind == graphops.TypeUnknown {
		return fmt.Sprintf("%q", name)
	}
	return fmt.Sprintf("%q (%s)", name, typeText(t))
}

// moves returns a move for each value that a bypassed node produces and that is still needed.
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
				return nil, fmt.Errorf("node %s: its output %q would replace %q, but no input replaces that output; choose it with --output",
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

// pass counts a bypassed node between the two values of the move.
func (v *move) pass(n *graphops.Node) {
	switch {
	case n.Is("Identity"):
	case n.Is("Cast"):
		v.casts++
	default:
		v.others++
	}
}

func (b *bypass) isMadeByRemoved(id graphops.ValueID) bool {
	i := b.index.Producer(id)
	return i >= 0 && b.removed(i)
}
