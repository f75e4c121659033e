package simplify

import (
	"slices"

	"lathe/graphops/rewrite"
)

var foldConstants = &pass{
	name:   "fold-constants",
	title:  "nodes that depend only on constants are computed in advance",
	reason: "Lathe computes results that are defined to the bit, and the kernels of ONNX Runtime compute the others; quantized weights stay quantized, and random operators are not computed",
	model: func(j *job) error {
		f := &folding{job: j, in: map[*rewrite.Node]bool{}, unable: map[*rewrite.Node]bool{}}
		if err := f.foldExact(); err != nil {
			return err
		}
		err := f.run()
		f.tellExact()
		return err
	},
}

// folding is one run of the pass.
type folding struct {
	*job
	nodes []*rewrite.Node        // nodes that may be folded, in the order of the graphs
	in    map[*rewrite.Node]bool // the same as a set
	// unable are nodes that the runtime did not run.
	unable map[*rewrite.Node]bool
	// computed is the size in bytes of what the nodes produce.
	computed int64
	// exact is set while only nodes that need no runtime are folded.
	exact bool
	// unfolded are the refusals during that time.
	unfolded []unfolded
}

type unfolded struct {
	node *rewrite.Node
	why  string
}

// leave records why a node is not folded. While exact is set, the reason is kept back, because a
// later step may fold the node with ONNX Runtime.
func (f *folding) leave(n *rewrite.Node, why string) {
	if f.exact {
		f.unfolded = append(f.unfolded, unfolded{n, why})
	} else {
		f.refuse(n, why)
	}
}

// maxUnable is the maximum number of nodes that are searched for because the runtime cannot run
// them. Each search takes several runs.
const maxUnable = 8

func (f *folding) run() error {
	for len(f.unable) <= maxUnable {
		f.collect()
		needed := f.needsRuntime()
		if len(needed) == 0 {
			return nil
		}
		if f.o.Runner == nil {
			f.warnOnce(dependAlone(len(needed)) + " could be computed in advance with ONNX Runtime; install it with lathe runtime install")
			return nil
		}
		failed, err := f.foldAll(needed)
		if failed == nil || err != nil {
			return err
		}
	}
	f.warnOnce("ONNX Runtime does not run " + dependAlone(len(f.unable)) + "; others were not tried")
	return nil
}

func (j *job) warnOnce(text string) {
	if !slices.Contains(j.warnings, text) {
		j.warnings = append(j.warnings, text)
	}
}

// collect finds the nodes that depend only on constants and whose results fit into memory.
func (f *folding) collect() {
	f.nodes, f.computed = nil, 0
	clear(f.in)
	for _, g := range f.m.Graphs() {
		for n := range g.Nodes() {
			if f.foldable(n) {
				f.nodes = append(f.nodes, n)
				f.in[n] = true
			}
		}
	}
}

func (f *folding) foldable(n *rewrite.Node) bool {
	if f.unable[n] || !isComputed(n) || f.exact && !f.isExact(n) {
		return false
	}
	staged := false
	for i := range n.InputCount() {
		v := n.In(i)
		if v == nil || v.Constant() != nil {
			continue
		}
		if v.Producer() == nil || !f.in[v.Producer()] {
			return false
		}
		staged = true
	}
	return f.bounded(n, staged)
}
