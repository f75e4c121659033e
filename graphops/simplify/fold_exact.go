package simplify

import (
	"errors"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/evaluate"
	"lathe/graphops/rewrite"
)

// maxExact is the maximum total size of constants that are computed without a runtime in one
// call of Simplify. They are in a temporary file, and to run the unsaved result they must fit into
// one message.
const maxExact = 3 << 29

// isExact reports whether a node can be computed without a runtime, with exactly the same
// result.
func (f *folding) isExact(n *rewrite.Node) bool {
	return n.Is(n.Op()) && evaluate.Knows(n.Op(), n.Graph().Opset("")) && f.inexact[n] == nil
}

// foldExact folds the nodes that need no runtime, as far as constants may grow. Nodes that are
// refused here may still be folded later, together with following nodes that need a runtime.
func (f *folding) foldExact() error {
	f.exact = true
	defer func() { f.exact = false }()
	f.collect()
	for _, group := range groupsOf(f.nodes) {
		if err := f.foldGroup(group); err != nil {
			return err
		}
	}
	return nil
}

// foldGroup folds a group of nodes. If some of them cannot be computed, it folds the others.
func (f *folding) foldGroup(group []*rewrite.Node) error {
	before := f.grown
	nodes, wanted := f.afford(group)
	made, err := f.evaluate(nodes)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(nodes, func(n *rewrite.Node) bool { return !f.in[n] }) {
		f.grown = before
		nodes, wanted = f.afford(slices.DeleteFunc(slices.Clone(nodes), func(n *rewrite.Node) bool { return !f.in[n] }))
	}
	results := make([]*graphops.Tensor, len(wanted))
	for i, v := range wanted {
		results[i] = made[v]
	}
	f.become(nodes, wanted, results)
	return nil
}

// evaluate computes nodes in order. A node that cannot be computed is excluded, with all nodes
// that depend on it.
func (f *folding) evaluate(nodes []*rewrite.Node) (map[*rewrite.Value]*graphops.Tensor, error) {
	made := map[*rewrite.Value]*graphops.Tensor{}
	for _, n := range nodes {
		if err := f.ctx.Err(); err != nil {
			return nil, err
		}
		if !f.stays(n) {
			continue
		}
		out, err := evaluate.Compute(f.ctx, &f.scratch, specOf(n, made))
		var full *graphops.ScratchError
		switch {
		case f.ctx.Err() != nil:
			return nil, f.ctx.Err()
		case errors.As(err, &full):
			return nil, err
		case err != nil:
			f.inexact[n], f.in[n] = err, false
			continue
		}
		for i, t := range out {
			if t != nil {
				made[n.Out(i)] = t
				f.exactBytes += byteLen(t)
			}
		}
	}
	return made, nil
}

func byteLen(t *graphops.Tensor) int64 {
	bytes, _ := t.ByteLen()
	return bytes
}

// specOf returns a node with its inputs, which are constants or results of other nodes.
func specOf(n *rewrite.Node, made map[*rewrite.Value]*graphops.Tensor) evaluate.Node {
	spec := evaluate.Node{Op: n.Op(), Version: n.Graph().Opset(""), Attribute: n.Attribute}
	for _, v := range n.Inputs() {
		t := v.Constant()
		if t == nil {
			t = made[v]
		}
		spec.Inputs = append(spec.Inputs, t)
	}
	for _, v := range n.Outputs() {
		t := evaluate.Type{Unused: !v.IsUsed()}
		if v != nil {
			t.Elem = v.Type().Elem
			t.Dims, _ = fixedDims(v)
		}
		spec.Outputs = append(spec.Outputs, t)
	}
	return spec
}

// needsRuntime returns the collected nodes that only a runtime can compute, and those that
// depend on them.
func (f *folding) needsRuntime() map[*rewrite.Node]bool {
	out := map[*rewrite.Node]bool{}
	for _, n := range f.nodes {
		if !f.isExact(n) || slices.ContainsFunc(n.Inputs(), func(v *rewrite.Value) bool { return out[v.Producer()] }) {
			out[n] = true
		}
	}
	return out
}

// tellExact reports the reasons why nodes were not folded, for those nodes that still exist.
func (f *folding) tellExact() {
	for _, r := range f.unfolded {
		if !r.node.Gone() {
			f.refuse(r.node, r.why)
		}
	}
	if f.o.Runner != nil {
		return
	}
	for _, n := range f.nodes {
		if err := f.inexact[n]; err != nil {
			f.refuse(n, fmt.Sprintf("%s: %v", n.Op(), err))
		}
	}
}
