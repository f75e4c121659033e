package simplify

import (
	"slices"

	"lathe/graphops/rewrite"
)

var foldConstants = &pass{
	name:   "fold-constants",
	title:  "what depends on constants alone is computed ahead",
	reason: "what is defined to the bit is computed here, the rest by the same kernels of ONNX Runtime; quantized weights stay quantized, and what is drawn at random is left",
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
	nodes []*rewrite.Node        // that may be folded, in the order of the graphs
	in    map[*rewrite.Node]bool // the same as a set
	// unable are nodes that the runtime did not run.
	unable map[*rewrite.Node]bool
	// computed are the bytes of what the nodes make.
	computed int64
	// exact is while only what needs no runtime is folded.
	exact bool
	// unfolded are the refusals of that time.
	unfolded []unfolded
}

type unfolded struct {
	node *rewrite.Node
	why  string
}

// leave tells why a node is not folded; while only some are, at the end.
func (f *folding) leave(n *rewrite.Node, why string) {
	if f.exact {
		f.unfolded = append(f.unfolded, unfolded{n, why})
	} else {
		f.refuse(n, why)
	}
}

// maxUnable is how many nodes that the runtime does not run are looked for; each
// takes some runs to find.
const maxUnable = 8

func (f *folding) run() error {
	for len(f.unable) <= maxUnable {
		f.collect()
		needed := f.needsRuntime()
		if len(needed) == 0 {
			return nil
		}
		if f.o.Runner == nil {
			f.warnOnce(dependAlone(len(needed)) + " could be computed ahead with ONNX Runtime; lathe runtime install")
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

// collect finds the nodes that depend on constants alone and can be computed within
// bounds of memory.
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
	for _, v := range n.Inputs() {
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
