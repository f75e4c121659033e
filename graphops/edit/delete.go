package edit

import (
	"fmt"
	"slices"

	"lathe/graphops"
)

// DeleteOptions say which nodes are deleted, and what is deleted with them.
type DeleteOptions struct {
	// Nodes are given by name, or by # and position.
	Nodes []string
	// Downstream also deletes all nodes that depend on the deleted ones, and the outputs of the
	// main graph that they produce.
	Downstream bool
	// Unused also deletes the nodes and initializers that only the deleted nodes needed.
	Unused bool
}

// Delete removes nodes from a place. It returns an error if a remaining node or an output needs one
// of them.
func Delete(m *graphops.Model, p *graphops.Place, o DeleteOptions) (*graphops.Model, *Report, error) {
	e := begin(m, p)
	list, err := e.nodes(o.Nodes)
	if err != nil {
		return nil, nil, err
	}
	for _, i := range list {
		e.remove(i)
	}
	if o.Downstream {
		e.removeReaders(list)
		if err := e.removeOutputs(list); err != nil {
			return nil, nil, err
		}
	}
	for _, i := range list {
		if err := e.checkUnneeded(i); err != nil {
			return nil, nil, err
		}
	}
	e.clearUnused(o.Unused)
	e.reportRemoved()
	next, report := e.finishRemoval()
	return next, report, nil
}

// removeReaders removes all nodes that depend on the removed ones.
func (e *edit) removeReaders(removed []int) {
	pending := slices.Clone(removed)
	for len(pending) > 0 {
		i := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		for _, id := range e.outputsOf(i) {
			for _, r := range e.readersLeft(id) {
				e.remove(r)
				pending = append(pending, r)
			}
		}
	}
}

// removeOutputs removes the outputs of the main graph that removed nodes produced. It returns an
// error in a body or function, whose outputs the enclosing node or the calls need. asked are the
// nodes that the user named.
func (e *edit) removeOutputs(asked []int) error {
	e.lost = map[graphops.ValueID]bool{}
	var names []string
	for _, v := range e.graph.Outputs() {
		id, _ := e.index.Value(v.Name())
		if i := e.index.Producer(id); i >= 0 && e.removed(i) && !e.lost[id] {
			e.lost[id] = true
			names = append(names, v.Name())
			e.report.changed("output", v.Name(), typeText(e.index.Type(id)), "")
		}
	}
	if len(names) == 0 {
		return nil
	}
	if e.place.Kind != graphops.MainGraph {
		return e.outputsAreFixed(asked[0], names)
	}
	e.next.Outputs = slices.DeleteFunc(e.next.Outputs, func(v *graphops.ValueInfo) bool {
		id, _ := e.index.Value(v.Name())
		return e.lost[id]
	})
	if len(e.next.Outputs) == 0 {
		return fmt.Errorf("node %s: every output of the graph depends on it (%s), and a graph needs one; bypass the node, or prune to an output before it",
			nodeLabel(e.graph, asked[0]), graphops.QuoteNames(names))
	}
	return nil
}

func (e *edit) outputsAreFixed(node int, names []string) error {
	who, what := "its callers read", "the calls"
	if e.place.Kind == graphops.BodyGraph {
		who, what = fmt.Sprintf("node %s reads", nodeLabel(e.place.Parent.Graph, e.place.Node)), "that one"
	}
	return fmt.Errorf("node %s: it computes outputs of %s (%s) that %s; bypass the node, or delete %s as well",
		nodeLabel(e.graph, node), e.where(), graphops.QuoteNames(names), who, what)
}

// checkUnneeded returns an error if a remaining node or an output needs an output of node i.
func (e *edit) checkUnneeded(i int) error {
	for _, id := range e.outputsOf(i) {
		if need := e.need(id); need != "" {
			return fmt.Errorf("node %s: its output %q is %s; delete what depends on it too (--downstream), or bypass the node", nodeLabel(e.graph, i), e.index.Name(id), need)
		}
	}
	return nil
}
