package edit

import (
	"fmt"

	"lathe/graphops"
)

// joinFunctions determines the functions of the result. A function that both models have is kept
// once. A function gets another name if both models have different functions with that key, or if
// nodes of the other model use an operator with that key.
func (j *merger) joinFunctions() error {
	first, second := functionsOf(j.first), functionsOf(j.second)
	differ, err := differing(first, second, j.second.Functions())
	if err != nil {
		return err
	}
	taken := keysOf(j.first, j.second)
	calledByFirst, calledBySecond := keysOf(j.first), keysOf(j.second)
	renamed := map[graphops.FunctionKey]graphops.FunctionKey{}
	for _, f := range j.second.Functions() {
		k := f.Key()
		if differ[k] || first[k] == nil && calledByFirst[k] {
			renamed[k] = j.freshKey(k, taken)
		}
	}
	j.second = recalled(j.second, renamed)
	renamed = map[graphops.FunctionKey]graphops.FunctionKey{}
	for _, f := range j.first.Functions() {
		if k := f.Key(); second[k] == nil && calledBySecond[k] {
			renamed[k] = j.freshKey(k, taken)
		}
	}
	j.first = recalled(j.first, renamed)
	have := functionsOf(j.first)
	for _, f := range j.second.Functions() {
		if have[f.Key()] == nil {
			j.functions = append(j.functions, f)
		}
	}
	return nil
}

func functionsOf(m *graphops.Model) map[graphops.FunctionKey]*graphops.Function {
	out := map[graphops.FunctionKey]*graphops.Function{}
	for _, f := range m.Functions() {
		out[f.Key()] = f
	}
	return out
}

// keysOf returns the keys of all functions in the models, and of all functions and operators that
// nodes use.
func keysOf(models ...*graphops.Model) map[graphops.FunctionKey]bool {
	out := map[graphops.FunctionKey]bool{}
	for _, m := range models {
		for k := range functionsOf(m) {
			out[k] = true
		}
		for n := range m.AllNodes() {
			out[n.Calls()] = true
		}
	}
	return out
}

// differing returns the keys of those functions in both models that do not compute the same: their
// nodes differ, they call something that is a function in one model and an operator in the other,
// or they call another function in the result. list has the functions of the second model in order.
func differing(first, second map[graphops.FunctionKey]*graphops.Function, list []*graphops.Function) (map[graphops.FunctionKey]bool, error) {
	differ := map[graphops.FunctionKey]bool{}
	callers := map[graphops.FunctionKey][]graphops.FunctionKey{}
	var pending []graphops.FunctionKey
	for _, f := range list {
		k := f.Key()
		if first[k] == nil {
			continue
		}
		same, err := first[k].Same(f)
		if err != nil {
			return nil, fmt.Errorf("function %q: %w", k.Domain+":"+k.Name, err)
		}
		for _, called := range callsOf(f.Graph()) {
			callers[called] = append(callers[called], k)
			same = same && (first[called] == nil) == (second[called] == nil)
		}
		if !same {
			differ[k] = true
			pending = append(pending, k)
		}
	}
	for len(pending) > 0 {
		k := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		for _, caller := range callers[k] {
			if !differ[caller] {
				differ[caller] = true
				pending = append(pending, caller)
			}
		}
	}
	return differ, nil
}

// callsOf returns the keys of all functions and operators that the nodes of a graph and of its
// bodies use.
func callsOf(g *graphops.Graph) []graphops.FunctionKey {
	var out []graphops.FunctionKey
	for _, n := range g.Nodes() {
		out = append(out, n.Calls())
		for _, b := range n.Graphs() {
			out = append(out, callsOf(b)...)
		}
	}
	return out
}

// freshKey returns a key with a number after the name that is not in taken, adds it to taken, and
// reports the change.
func (j *merger) freshKey(k graphops.FunctionKey, taken map[graphops.FunctionKey]bool) graphops.FunctionKey {
	to := k
	for n := 1; taken[to]; n++ {
		to.Name = fmt.Sprintf("%s__%d", k.Name, n)
	}
	taken[to] = true
	j.report.changed("function", k.Domain+":"+k.Name, k.Domain+":"+k.Name, k.Domain+":"+to.Name)
	return to
}

// recalled returns the model in which functions have new keys, and nodes call them by these.
func recalled(m *graphops.Model, renamed map[graphops.FunctionKey]graphops.FunctionKey) *graphops.Model {
	if len(renamed) == 0 {
		return m
	}
	m = m.EditPlaces(func(_ *graphops.Place, e *graphops.GraphEditor) bool {
		changed := false
		for i, n := range e.Nodes {
			if to, ok := renamed[n.Calls()]; ok {
				e.Nodes[i] = n.Calling(to)
				changed = true
			}
		}
		return changed
	})
	e := graphops.Edit(m)
	for i, f := range e.Functions {
		if to, ok := renamed[f.Key()]; ok {
			e.Functions[i] = f.WithKey(to)
		}
	}
	return e.Model()
}
