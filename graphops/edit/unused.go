package edit

import (
	"fmt"
	"slices"

	"lathe/graphops"
)

// clearUnused handles the nodes and initializers that only removed nodes needed: it removes them if
// remove is set, and otherwise counts them in a warning. Inputs always stay, because callers
// provide them.
func (e *edit) clearUnused(remove bool) {
	nodes, initializers := e.unused()
	if !remove {
		initializers = slices.DeleteFunc(initializers, e.mustGo)
	}
	if !remove && len(nodes)+len(initializers) > 0 {
		e.report.warn("%s nothing any more; --unused removes them too", feeding(len(nodes), len(initializers)))
	}
	if remove {
		for _, i := range nodes {
			e.remove(i)
		}
		e.removeInitializers(initializers)
	}
	e.warnUnread()
}

// mustGo reports whether an initializer must be removed if nothing reads it, because the IR version
// requires that it is read or listed as an input. See graphops.Model.WithoutUnlisted.
func (e *edit) mustGo(id graphops.ValueID) bool {
	return e.model.IRVersion() < graphops.OptionalInputsIR && !e.index.IsInput(id)
}

// feeding returns a text to begin a sentence, such as "2 nodes and 1 initializer feed".
func feeding(nodes, initializers int) string {
	s := ""
	switch {
	case nodes == 0:
		s = counted(initializers, "initializer")
	case initializers == 0:
		s = counted(nodes, "node")
	default:
		s = counted(nodes, "node") + " and " + counted(initializers, "initializer")
	}
	if nodes+initializers == 1 {
		return s + " feeds"
	}
	return s + " feed"
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// unused returns the remaining nodes and initializers whose only readers are removed nodes or nodes
// that it returns itself.
func (e *edit) unused() (nodes []int, initializers []graphops.ValueID) {
	u := usage{edit: e, left: map[graphops.ValueID]int{}}
	var pending []int
	for i := range e.graph.Nodes() {
		if e.removed(i) {
			pending = append(pending, i)
		}
	}
	for len(pending) > 0 {
		i := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		for _, id := range e.reads(i) {
			if u.lose(id); u.isNeeded(id) {
				continue
			}
			if e.index.IsInitializer(id) {
				initializers = append(initializers, id)
			}
			if p := e.index.Producer(id); p >= 0 && !e.removed(p) && !slices.ContainsFunc(e.outputsOf(p), u.isNeeded) {
				nodes = append(nodes, p)
				pending = append(pending, p)
			}
		}
	}
	return nodes, e.notInputs(initializers)
}

// usage counts how often values are still read. The numbers are kept, so that a value with many
// readers is not searched repeatedly.
type usage struct {
	*edit
	left map[graphops.ValueID]int
}

func (u *usage) lose(id graphops.ValueID) {
	if _, known := u.left[id]; !known {
		u.left[id] = len(u.index.Readers(id))
	}
	u.left[id]--
}

func (u *usage) isNeeded(id graphops.ValueID) bool {
	left, known := u.left[id]
	if !known {
		left = len(u.index.Readers(id))
	}
	return left > 0 || u.isOutput(id) || u.gained[id]
}

// reads returns the values that the node at position i reads, itself or in a body.
func (e *edit) reads(i int) []graphops.ValueID {
	var out []graphops.ValueID
	n := e.graph.Nodes()[i]
	for _, list := range [][]string{n.Inputs(), n.Captured()} {
		for _, name := range list {
			if id, ok := e.index.Value(name); ok && name != "" {
				out = append(out, id)
			}
		}
	}
	return out
}

// notInputs returns those initializers that are not defaults of inputs, for which callers may
// provide a value.
func (e *edit) notInputs(list []graphops.ValueID) []graphops.ValueID {
	return slices.DeleteFunc(list, func(id graphops.ValueID) bool {
		return e.index.IsInput(id) && e.model.IRVersion() >= graphops.OptionalInputsIR
	})
}

func (e *edit) removeInitializers(list []graphops.ValueID) {
	slices.Sort(list)
	gone := map[string]bool{}
	for _, id := range list {
		gone[e.index.Name(id)] = true
		e.report.changed("initializer", e.index.Name(id), typeText(e.typeOf(id)), "")
	}
	e.next.Initializers = slices.DeleteFunc(e.next.Initializers, func(t *graphops.Tensor) bool { return gone[t.Name()] })
	e.next.Sparse = slices.DeleteFunc(e.next.Sparse, func(s *graphops.SparseTensor) bool { return gone[s.Name()] })
	e.next.Inputs = slices.DeleteFunc(e.next.Inputs, func(v *graphops.ValueInfo) bool { return gone[v.Name()] })
}

// warnUnread warns about inputs that only removed nodes read.
func (e *edit) warnUnread() {
	var inputs []string
	for _, v := range e.next.Inputs {
		if id, ok := e.index.Value(v.Name()); ok && e.isUnread(id) {
			inputs = append(inputs, v.Name())
		}
	}
	if len(inputs) > 0 {
		e.report.warn("nothing reads %s any more: %s", counted(len(inputs), "input"), graphops.QuoteNames(inputs))
	}
}

// warnAround warns about values of enclosing places that only removed nodes of this body read. They
// stay, because only this place is edited.
func (e *edit) warnAround(next *graphops.Model) {
	for _, c := range e.place.Captures() {
		if c.From == nil || !e.isUnread(c.Value) {
			continue
		}
		// places that enclose the edited one have the same number before and after
		around := next.Places()[c.From.ID]
		x := around.Graph.Index()
		if id, ok := x.Value(e.index.Name(c.Value)); ok && len(x.Readers(id)) == 0 && !x.IsOutput(id) {
			e.report.warn("nothing reads %q any more, which is defined outside %s", x.Name(id), e.where())
		}
	}
}

// isUnread reports whether something read the value, and all that did is removed.
func (e *edit) isUnread(id graphops.ValueID) bool {
	return len(e.index.Readers(id)) > 0 && len(e.readersLeft(id)) == 0 && !e.isOutput(id) && !e.gained[id]
}

// reportRemoved puts the removed nodes, in graph order, before all other changes in the report.
func (e *edit) reportRemoved() {
	var gone []Change
	for i, n := range e.graph.Nodes() {
		if e.removed(i) {
			gone = append(gone, Change{"node", nodeName(e.graph, i), n.OpType(), ""})
		}
	}
	e.report.Changes = append(gone, e.report.Changes...)
}

// finishRemoval is finish for an edit that removes nodes. It also removes the functions that are no
// longer called.
func (e *edit) finishRemoval() (*graphops.Model, *Report) {
	before := map[graphops.FunctionKey]bool{}
	for _, f := range e.model.CalledFunctions() {
		before[f.Key()] = true
	}
	next, report := e.finish()
	e.warnAround(next)
	for _, f := range next.CalledFunctions() {
		delete(before, f.Key())
	}
	if len(before) == 0 {
		return next, report
	}
	editor := graphops.Edit(next)
	editor.Functions = slices.DeleteFunc(editor.Functions, func(f *graphops.Function) bool {
		k := f.Key()
		if before[k] {
			report.changed("function", k.Domain+":"+k.Name, counted(len(f.Graph().Nodes()), "node"), "")
		}
		return before[k]
	})
	return editor.Model(), report
}
