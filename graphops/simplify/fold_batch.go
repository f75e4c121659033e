package simplify

import (
	"errors"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// foldAll folds the groups that need a runtime, as far as their growth is acceptable. It returns
// a node that the runtime does not run, if there is one.
func (f *folding) foldAll(needed map[*rewrite.Node]bool) (failed *rewrite.Node, err error) {
	for _, nodes := range byVersions(f.nodes) {
		before := f.grown
		var b batch
		for _, group := range groupsOf(nodes) {
			if !slices.ContainsFunc(group, func(n *rewrite.Node) bool { return needed[n] }) {
				continue
			}
			part, want := f.afford(group)
			b.nodes = append(b.nodes, part...)
			b.wanted = append(b.wanted, want...)
			if b.bytes += bytesAround(part); b.bytes < maxAtOnce {
				continue
			}
			if failed, err := f.fold(b); failed != nil || err != nil {
				f.grown = before
				return failed, err
			}
			before, b = f.grown, batch{}
		}
		if failed, err := f.fold(b); failed != nil || err != nil {
			f.grown = before
			return failed, err
		}
	}
	return nil, nil
}

// batch is a set of nodes that are computed in one run of one model, with those of their outputs
// that are needed elsewhere.
type batch struct {
	nodes  []*rewrite.Node
	wanted []*rewrite.Value
	bytes  int64 // approximate number of bytes that the nodes read and produce
}

// bytesAround returns the size of the constants that nodes read and of their outputs.
func bytesAround(nodes []*rewrite.Node) int64 {
	total := int64(0)
	for _, n := range nodes {
		for _, v := range n.Inputs() {
			if v != nil && v.Constant() != nil {
				bytes, _ := bytesOf(v)
				total += bytes
			}
		}
		for _, v := range n.Outputs() {
			bytes, _ := bytesOf(v)
			total += bytes
		}
	}
	return total
}

// byVersions groups nodes by their operator versions.
func byVersions(nodes []*rewrite.Node) [][]*rewrite.Node {
	var out [][]*rewrite.Node
	at := map[string]int{}
	known := map[*rewrite.Graph]int{}
	for _, n := range nodes {
		i, ok := known[n.Graph()]
		if !ok {
			key := fmt.Sprint(n.Graph().Opsets())
			if i, ok = at[key]; !ok {
				i = len(out)
				at[key] = i
				out = append(out, nil)
			}
			known[n.Graph()] = i
		}
		out[i] = append(out[i], n)
	}
	return out
}

// fold computes a batch and replaces the results by constants.
func (f *folding) fold(b batch) (failed *rewrite.Node, err error) {
	if len(b.wanted) == 0 {
		return nil, nil
	}
	results, err := f.compute(b.nodes, b.wanted)
	if stop := f.ctx.Err(); stop != nil {
		return nil, stop
	}
	var full *graphops.ScratchError
	if errors.As(err, &full) {
		return nil, err
	}
	if err != nil {
		return f.search(b.nodes, err), nil
	}
	f.become(b.nodes, b.wanted, results)
	return nil, nil
}

// become replaces values by constants and removes the nodes that produced them.
func (f *folding) become(nodes []*rewrite.Node, wanted []*rewrite.Value, results []*graphops.Tensor) {
	made := 0
	for i, v := range wanted {
		if v.Become(results[i]) {
			made++
		}
	}
	gone := 0
	for _, n := range slices.Backward(nodes) {
		if !n.IsUsed() {
			n.Remove()
			gone++
		}
	}
	if len(wanted) > 0 {
		f.did(counted(gone, "node", "nodes") + " became " + counted(made, "constant", "constants"))
	}
}

// compute runs nodes and returns the wanted values as stored tensors.
func (f *folding) compute(nodes []*rewrite.Node, wanted []*rewrite.Value) ([]*graphops.Tensor, error) {
	m, names := f.m.Part(nodes, wanted)
	want := make([]execution.Want, len(wanted))
	for i, v := range wanted {
		want[i] = execution.Want{Name: names[v], Elements: true}
	}
	var out []*graphops.Tensor
	err := f.o.Runner.Run(f.ctx, m, nil, want, func(g execution.Got) error {
		v := wanted[len(out)]
		if !g.Value.IsTensor() {
			return fmt.Errorf("value %q was computed as %s, expected a tensor", v.Name(), g.Value.Type)
		}
		t, err := f.keep(v.Name(), g.Value.Tensor)
		out = append(out, t)
		return err
	})
	if err == nil && len(out) < len(wanted) {
		err = fmt.Errorf("only %d of %d values were computed", len(out), len(wanted))
	}
	return out, err
}

// keep stores a computed tensor, outside of memory if it is large.
func (f *folding) keep(name string, t tensor.Tensor) (*graphops.Tensor, error) {
	if t.DType == tensor.String {
		return graphops.NewTensorOf(name, t), nil
	}
	p, err := f.scratch.Keep(t.Data)
	if err != nil {
		return nil, err
	}
	return graphops.NewTensor(name, t.DType, t.Shape, p), nil
}
