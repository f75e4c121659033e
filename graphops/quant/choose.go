package quant

import (
	"fmt"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// family says how the nodes of one op type are quantized.
type family struct {
	// obstacle tells what keeps a node from being quantized, "" where nothing
	// does. It looks at the original graph.
	obstacle func(*dynamic, *graphops.Node) string
	// expected reports whether a node that has an obstacle is worth a word: it
	// computes with floats.
	expected func(*dynamic, *graphops.Node) bool
	// rewrite emits what takes the node's place.
	rewrite func(*dynamic, *graphops.Node) error
}

var families = map[string]family{
	"MatMul":    {matMulObstacle, always, rewriteMatMul},
	"Conv":      {convObstacle, always, rewriteConv},
	"Gemm":      {gemmObstacle, always, rewriteGemm},
	"Gather":    {gatherObstacle, gatherReadsFloats, rewriteGather},
	"Transpose": {transposeObstacle, never, rewriteTranspose},
}

func always(*dynamic, *graphops.Node) bool { return true }
func never(*dynamic, *graphops.Node) bool  { return false }

// withWeights are operators that hold much of a model's weights and are in none
// of the families.
var withWeights = map[string]bool{
	"ConvTranspose": true, "LSTM": true, "GRU": true, "RNN": true,
	"Attention": true, "EmbedLayerNormalization": true,
}

// choice tells what becomes of a node.
type choice struct {
	take   bool
	reason string // why it is skipped
	said   bool   // in the report
}

// choose decides about every node and reports those that are skipped.
func (d *dynamic) choose() error {
	filter, err := newNodeFilter(d.model, d.o)
	if err != nil {
		return err
	}
	d.choices = make([]choice, len(d.graph.Nodes()))
	taken := false
	named := map[string]bool{}
	for i, n := range d.graph.Nodes() {
		c := d.chooseNode(n, filter)
		d.choices[i] = c
		if c.take && named[n.Name()] {
			d.report.depart(DuplicateNodeName)
		}
		named[n.Name()] = c.take && n.Name() != ""
		// A Transpose alone makes nothing smaller or faster.
		taken = taken || c.take && n.OpType() != "Transpose"
		if c.said {
			d.report.Skipped = append(d.report.Skipped, Skipped{i, n.Name(), n.OpType(), c.reason})
		}
		d.skipBodies(n)
	}
	for _, f := range d.model.Functions() {
		d.skipAll(f.Graph().Nodes(), fmt.Sprintf("is in function %q; only the main graph is quantized", f.Key().Name))
	}
	if !taken {
		return d.nothing()
	}
	return nil
}

func (d *dynamic) chooseNode(n *graphops.Node, filter *nodeFilter) choice {
	f, known := families[n.OpType()]
	reason, asked := filter.obstacle(n)
	switch {
	case !known:
		return choice{
			reason: "is not among the operators that are quantized",
			said:   asked || withWeights[n.OpType()],
		}
	case n.Domain() != graphops.DefaultDomain:
		if reason == "" && d.o.wants(n.OpType()) && f.obstacle(d, n) == "" {
			d.report.depart(ForeignDomain)
		}
		return choice{reason: fmt.Sprintf("is an operator of domain %q, not the standard one", n.Domain()), said: true}
	case reason == "" && !d.o.wants(n.OpType()):
		reason = "is of no operator that was asked for"
	case reason == "":
		if reason = f.obstacle(d, n); reason == "" {
			return choice{take: true}
		}
	}
	if n.OpType() == "Gemm" && gemmForm(n) == "" {
		d.report.depart(UntouchedGemm)
	}
	return choice{reason: reason, said: asked || f.expected(d, n)}
}

// skipBodies reports the nodes in the bodies of n.
func (d *dynamic) skipBodies(n *graphops.Node) {
	for _, body := range n.Graphs() {
		if slices.ContainsFunc(body.Nodes(), func(n *graphops.Node) bool { return n.OpType() == "Gemm" && gemmForm(n) == "" }) {
			d.report.depart(UntouchedGemm)
		}
		d.skipAll(body.Nodes(), fmt.Sprintf("is in a body of node %q (%s); only the main graph is quantized", n.Name(), n.OpType()))
		for _, inner := range body.Nodes() {
			d.skipBodies(inner)
		}
	}
}

func (d *dynamic) skipAll(nodes []*graphops.Node, reason string) {
	for _, n := range nodes {
		_, known := families[n.OpType()]
		if !known && !withWeights[n.OpType()] || n.OpType() == "Transpose" || n.OpType() == "Gather" {
			continue
		}
		d.report.Skipped = append(d.report.Skipped, Skipped{-1, n.Name(), n.OpType(), reason})
	}
}

// nothing is the error for a model in which no node was taken. Why single nodes
// were not is in the report.
func (d *dynamic) nothing() error {
	halves := 0
	for _, t := range d.graph.Initializers() {
		if t.DType() == tensor.F16 || t.DType() == tensor.BF16 {
			halves++
		}
	}
	switch {
	case IsQuantized(d.model):
		return fmt.Errorf("%w: the model is quantized already", ErrNothing)
	case halves > 0:
		return fmt.Errorf("%w: the model's weights are float16 or bfloat16, dynamic quantization needs float32; start from the float32 model", ErrNothing)
	case len(d.report.Skipped) == 1:
		return fmt.Errorf("%w: the only candidate is left out", ErrNothing)
	case len(d.report.Skipped) > 1:
		return fmt.Errorf("%w: all %d candidates are left out", ErrNothing, len(d.report.Skipped))
	}
	return fmt.Errorf("%w: no MatMul, Gemm, Conv or Gather reads a float32 constant", ErrNothing)
}

// nodeFilter holds the nodes that options name.
type nodeFilter struct{ include, exclude map[string]bool }

// newNodeFilter refuses names that no node of the main graph answers to.
func newNodeFilter(m *graphops.Model, o DynamicOptions) (*nodeFilter, error) {
	known := map[string]bool{}
	for _, n := range m.Graph().Nodes() {
		for _, name := range knownAs(n) {
			known[name] = true
		}
	}
	f := &nodeFilter{map[string]bool{}, map[string]bool{}}
	for _, list := range []struct {
		names []string
		set   map[string]bool
	}{{o.Include, f.include}, {o.Exclude, f.exclude}} {
		for _, name := range list.names {
			if !known[name] {
				return nil, &graphops.UnknownNameError{What: "node", Name: name, Nearest: graphops.NearestNames(name, maps.Keys(known))}
			}
			list.set[name] = true
		}
	}
	return f, nil
}

// knownAs are the names that a node answers to: its own, and for a Gemm that of
// the MatMul which the reference makes of it.
func knownAs(n *graphops.Node) []string {
	if n.OpType() == "Gemm" && n.Name() != "" {
		return []string{n.Name(), n.Name() + "_MatMul"}
	}
	return []string{n.Name()}
}

// obstacle tells why the options leave a node out, "" where they do not; asked
// reports whether they name it.
func (f *nodeFilter) obstacle(n *graphops.Node) (reason string, asked bool) {
	in := func(set map[string]bool) bool {
		return slices.ContainsFunc(knownAs(n), func(name string) bool { return set[name] })
	}
	switch {
	case in(f.exclude):
		return "is excluded", true
	case len(f.include) > 0 && !in(f.include):
		return "is not among the nodes to include", false
	}
	return "", in(f.include)
}
