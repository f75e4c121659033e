package graphops

import (
	"slices"
	"sync"
)

// callees are the functions of a model by key. They are found once, because engines ask at every
// node, and a file may have any number of functions.
type callees struct {
	once  sync.Once
	byKey map[FunctionKey]*Function
}

// Callee returns the function that a node calls, or nil. A function takes precedence over a
// standard operator with the same name. If several functions have the same key, the last one counts.
func (m *Model) Callee(n *Node) *Function {
	if len(m.functions) == 0 {
		return nil
	}
	m.callees.once.Do(func() {
		m.callees.byKey = make(map[FunctionKey]*Function, len(m.functions))
		for _, f := range m.functions {
			m.callees.byKey[f.Key()] = f
		}
	})
	return m.callees.byKey[n.Calls()]
}

// CalledFunctions returns the functions that nodes of the main graph and its bodies call, directly
// or through other functions. It does not use recursion, because a chain of calls can be as long as
// the file.
func (m *Model) CalledFunctions() []*Function {
	called := map[*Function]bool{}
	var pending [][]*Node
	if len(m.functions) > 0 {
		pending = append(pending, m.graph.nodes)
	}
	for len(pending) > 0 {
		nodes := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		for _, n := range nodes {
			if f := m.Callee(n); f != nil && !called[f] {
				called[f] = true
				pending = append(pending, f.graph.nodes)
			}
			for _, g := range n.Graphs() {
				pending = append(pending, g.nodes)
			}
		}
	}
	return slices.DeleteFunc(slices.Clone(m.functions), func(f *Function) bool { return !called[f] })
}
