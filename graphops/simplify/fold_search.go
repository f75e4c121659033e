package simplify

import (
	"fmt"
	"slices"

	"lathe/graphops/execution"
	"lathe/graphops/rewrite"
)

// search finds the first node that the runtime cannot run, by bisection, and marks it, so that it
// is never folded.
func (f *folding) search(nodes []*rewrite.Node, why error) *rewrite.Node {
	runs, fails := 0, len(nodes)
	for fails-runs > 1 {
		half := (runs + fails) / 2
		if err := f.try(nodes[:half]); err != nil {
			fails, why = half, err
		} else {
			runs = half
		}
		if f.ctx.Err() != nil {
			break
		}
	}
	n := nodes[fails-1]
	f.unable[n] = true
	f.refuse(n, fmt.Sprintf("ONNX Runtime does not run it: %v", why))
	return n
}

// try runs nodes without reading any results.
func (f *folding) try(nodes []*rewrite.Node) error {
	var last []*rewrite.Value
	in := map[*rewrite.Node]bool{}
	for _, n := range nodes {
		in[n] = true
	}
	for _, n := range nodes {
		for _, v := range n.Outputs() {
			if v != nil && !slices.ContainsFunc(v.Readers(), func(r *rewrite.Node) bool { return in[r] }) {
				last = append(last, v)
			}
		}
	}
	m, names := f.m.Part(nodes, last)
	want := make([]execution.Want, len(last))
	for i, v := range last {
		want[i] = execution.Want{Name: names[v]}
	}
	return f.o.Runner.Run(f.ctx, m, nil, want, func(execution.Got) error { return nil })
}

// dependAlone is the beginning of a message about n nodes.
func dependAlone(n int) string {
	return counted(n, "node that depends only on constants", "nodes that depend only on constants")
}
