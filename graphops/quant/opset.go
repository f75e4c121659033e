package quant

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

// lowestRaised is the opset from which on operators are known to mean the same
// later where their definitions allow the same; before 7, sizes were broadcast only
// where an attribute said so.
const lowestRaised = 7

// RaiseOpset is a model that imports a later version of the standard operators, in
// which every node of it means the same: its operator has not changed, or takes what
// the node has and gives the same types. Where one has changed otherwise, the error
// names it. Content of functions, which have imports of their own, is left.
func RaiseOpset(m *graphops.Model, to int64) (*graphops.Model, error) {
	from, ok := m.Opset(graphops.DefaultDomain)
	if !ok {
		return nil, fmt.Errorf("the model imports no version of the standard operators; opset_import must name one")
	}
	if from >= to {
		return m, nil
	}
	if from < lowestRaised {
		return nil, fmt.Errorf("the model uses opset %d, expected %d; export it again with a later opset", from, to)
	}
	var changed []string
	for _, p := range m.Places() {
		if p.Function != nil {
			continue
		}
		for _, n := range p.Graph.Nodes() {
			if n.Domain() == graphops.DefaultDomain && !staysSame(n, from, to) && !slices.Contains(changed, n.OpType()) {
				changed = append(changed, n.OpType())
			}
		}
	}
	if len(changed) > 0 {
		return nil, fmt.Errorf("the model uses opset %d, expected %d, and cannot be raised: between them the meaning of %s changed; export it again with a later opset",
			from, to, strings.Join(changed, ", "))
	}
	e := graphops.Edit(m)
	e.SetOpset(graphops.DefaultDomain, to)
	return e.Model(), nil
}

// staysSame reports whether a standard operator means the same for a node in a later
// version. That a default or the meaning of an unchanged definition became another
// was looked for by hand up to version 11; later there are such, as Softmax.
func staysSame(n *graphops.Node, from, to int64) bool {
	before, known := opschema.Find(graphops.DefaultDomain, n.OpType(), from)
	after, ok := opschema.Find(graphops.DefaultDomain, n.OpType(), to)
	switch {
	case !known || !ok:
		return false
	case before.Since == after.Since:
		return true
	case after.Deprecated || to > opsetDynamicQuantizeLinear:
		return false
	case len(n.Inputs()) < after.MinInputs, len(n.Inputs()) > after.MaxInputs:
		return false
	}
	for _, a := range n.Attributes() {
		if _, has := after.Attribute(a.Name()); !has {
			return false
		}
	}
	for i, name := range n.Inputs() {
		if name != "" && !takesOver(before.Input, after.Input, i) {
			return false
		}
	}
	for i, name := range n.Outputs() {
		if name != "" && !takesOver(before.Output, after.Output, i) {
			return false
		}
	}
	return true
}

// takesOver reports whether a parameter allows all types that it did.
func takesOver(before, after func(int) (opschema.Param, bool), i int) bool {
	old, known := before(i)
	param, ok := after(i)
	return known && ok && !slices.ContainsFunc(old.Types(), func(t graphops.Type) bool { return !param.Allows(t) })
}
