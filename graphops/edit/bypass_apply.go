package edit

import (
	"fmt"
	"slices"

	"lathe/graphops"
)

// apply makes the moves. An output of the place keeps its name: the value that replaces it gets
// that name, or, if it cannot, an Identity produces the output.
func (b *bypass) apply(moves []move) error {
	names := b.takeOver(moves)
	b.gained = map[graphops.ValueID]bool{}
	for _, v := range moves {
		b.gained[v.to] = true
		from, to := b.index.Name(v.from), b.index.Name(v.to)
		if name, ok := names[to]; ok {
			to = name
		}
		if b.isOutput(v.from) && v.doubt.any() && v.toType.Kind != graphops.TypeUnknown {
			b.setOutputType(from, v.toType)
		}
		if from == to {
			continue
		}
		names[from] = to
		if b.isOutput(v.from) {
			if err := b.identity(v, to, from); err != nil {
				return err
			}
		}
		for _, i := range b.readersLeft(v.from) {
			b.report.changed("node input", nodeName(b.graph, i), from, to)
		}
	}
	return b.rename(moves, names)
}

// takeOver determines which replacements get the name of the output that they replace. It returns a
// map from their old names to the new ones.
func (b *bypass) takeOver(moves []move) map[string]string {
	names := map[string]string{}
	for _, v := range moves {
		from, to := b.index.Name(v.from), b.index.Name(v.to)
		if _, again := names[to]; !b.isOutput(v.from) || again || !b.isInner(v.to) {
			continue
		}
		names[to] = from
		b.report.changed("value", to, to, from)
	}
	return names
}

// isInner reports whether a value can be renamed without a visible effect: a node produces it, and
// it is neither input, output nor initializer of the place.
func (b *bypass) isInner(id graphops.ValueID) bool {
	return b.index.Producer(id) >= 0 && !b.index.IsOutput(id) && !b.index.IsInput(id) && !b.index.IsInitializer(id) &&
		!slices.Contains(b.index.Overruled, b.index.Name(id)) && !slices.Contains(b.index.Duplicates, b.index.Name(id))
}

// identity inserts an Identity that produces an output from its replacement, so that the output
// keeps its name.
func (b *bypass) identity(v move, input, output string) error {
	since, ok := identitySince(v.toType)
	if !ok {
		return fmt.Errorf("node %s: output %q would need an Identity, but no Identity accepts %s", nodeLabel(b.graph, v.node), output, v.toType)
	}
	if err := b.checkOpset(fmt.Sprintf("an Identity of %s for output %q", v.toType, output), since); err != nil {
		return err
	}
	name := b.fresh().Node(output + "_identity")
	b.insert(b.index.Producer(v.to), graphops.NewNode(graphops.NodeSpec{Op: "Identity", Name: name, Inputs: []string{input}, Outputs: []string{output}}))
	b.report.changed("node", name, "", "Identity")
	return nil
}

// setOutputType records the type of an output. In a function, outputs have no types.
func (e *edit) setOutputType(name string, t graphops.Type) {
	if e.place.Kind == graphops.FunctionBody {
		return
	}
	for i, v := range e.next.Outputs {
		if v.Name() == name {
			e.next.Outputs[i] = v.WithType(t)
		}
	}
}

// rename replaces the names in all remaining nodes that produce or read one of the moved values.
func (b *bypass) rename(moves []move, names map[string]string) error {
	var touched []int
	for _, v := range moves {
		touched = append(touched, b.readersLeft(v.from)...)
		if _, ok := names[b.index.Name(v.to)]; ok {
			touched = append(touched, b.index.Producer(v.to))
			touched = append(touched, b.readersLeft(v.to)...)
		}
	}
	slices.Sort(touched)
	for _, i := range slices.Compact(touched) {
		n := b.next.Nodes[i]
		if hidden := hiddenIn(n, names); hidden != "" {
			return fmt.Errorf("node %s: its body defines a value named %q, which would hide the value to be read; rename it first",
				nodeLabel(b.graph, i), hidden)
		}
		b.next.Nodes[i] = n.Renamed(names)
	}
	return nil
}

// hiddenIn returns a new name of a captured value that a body of n already gives to a value of its
// own; "" if there is none.
func hiddenIn(n *graphops.Node, names map[string]string) string {
	for _, g := range n.Graphs() {
		x := g.Index()
		for _, captured := range g.Captured() {
			to, ok := names[captured]
			if !ok {
				continue
			}
			if id, ok := x.Value(to); ok && x.IsDefined(id) {
				return to
			}
		}
		for _, inner := range g.Nodes() {
			if hidden := hiddenIn(inner, names); hidden != "" {
				return hidden
			}
		}
	}
	return ""
}
