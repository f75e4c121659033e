package quant

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// family describes how the nodes of one op type are quantized.
type family struct {
	domain string
	// operands lists the positions of the inputs that are read in quantized form.
	operands []int
	// obstacle returns why a node cannot be quantized, or "" if it can. It looks at the original
	// graph.
	obstacle func(*scope, *graphops.Node) string
	// expected reports whether a node with an obstacle is worth reporting, because it computes
	// with floats.
	expected func(*scope, *graphops.Node) bool
	// rewrite emits the nodes that replace the node.
	rewrite func(*scope, *graphops.Node) error
}

var families = map[string]family{
	"Attention":               {graphops.MicrosoftDomain, []int{0, 1}, attentionObstacle, always, rewriteAttention},
	"Conv":                    {graphops.DefaultDomain, []int{0, 1}, convObstacle, always, rewriteConv},
	"EmbedLayerNormalization": {graphops.MicrosoftDomain, embedOperands, embedObstacle, always, rewriteEmbed},
	"Gather":                  {graphops.DefaultDomain, []int{0}, gatherObstacle, gatherReadsFloats, rewriteGather},
	"Gemm":                    {graphops.DefaultDomain, []int{0, 1}, gemmObstacle, always, rewriteGemm},
	"LSTM":                    {graphops.DefaultDomain, []int{1, 2}, lstmObstacle, always, rewriteLSTM},
	"MatMul":                  {graphops.DefaultDomain, []int{0, 1}, matMulObstacle, always, rewriteMatMul},
	"Transpose":               {graphops.DefaultDomain, nil, transposeObstacle, never, rewriteTranspose},
}

func always(*scope, *graphops.Node) bool { return true }
func never(*scope, *graphops.Node) bool  { return false }

// withWeights lists operators that often hold large weights but belong to no family.
var withWeights = map[string]bool{
	"ConvTranspose": true, "DeformConv": true, "GRU": true, "RNN": true,
	"FusedConv": true, "FusedGemm": true, "FusedMatMul": true, "GemmFastGelu": true,
}

// choice is the decision about one node.
type choice struct {
	take   bool
	reason string // why it is skipped
	said   bool   // listed in the report
}

// choose decides about every node and reports the skipped ones.
func (d *dynamic) choose(main *scope) error {
	taken := main.choose()
	for _, p := range d.model.Places() {
		if p.Kind == graphops.FunctionBody {
			d.skipAll(p, fmt.Sprintf("is in function %q, whose calls cannot be inlined", p.Function.Key().Name))
		}
	}
	if !taken {
		return d.nothing()
	}
	return nil
}

// choose decides about the nodes of a scope and of the scopes in it. It reports whether any node
// is quantized that makes the model smaller or faster; a Transpose alone does neither.
func (s *scope) choose() bool {
	s.choices = make([]choice, len(s.graph.Nodes()))
	taken := false
	named := map[string]bool{"": false}
	for i, n := range s.graph.Nodes() {
		c := s.chooseNode(n)
		s.choices[i] = c
		if c.take && named[n.Name()] {
			s.report.depart(duplicateNodeName)
		}
		if c.take && n.Name() != "" {
			named[n.Name()] = true
		}
		taken = taken || c.take && !n.Is("Transpose")
		if c.said {
			s.report.Skipped = append(s.report.Skipped, Skipped{s.place.String(), i, n.Name(), n.OpType(), c.reason})
		}
		for _, inner := range s.bodies[i] {
			taken = inner.choose() || taken
		}
	}
	if !s.o.Subgraphs {
		for _, body := range s.place.Bodies {
			s.skipBody(body)
		}
	}
	return taken
}

func (s *scope) chooseNode(n *graphops.Node) choice {
	f, known := families[n.OpType()]
	reason, asked := s.filter.obstacle(n)
	switch {
	case !known:
		return choice{
			reason: "is not among the operators that are quantized",
			said:   asked || withWeights[n.OpType()],
		}
	case n.Domain() != f.domain || s.model.Callee(n) != nil:
		if reason == "" && s.o.wants(n.OpType()) && f.obstacle(s, n) == "" {
			s.report.depart(foreignDomain)
		}
		if s.model.Callee(n) != nil {
			return choice{reason: "calls a function of the model that has the name of an operator", said: true}
		}
		return choice{reason: fmt.Sprintf("is an operator of domain %q, not of %q", domainName(n.Domain()), domainName(f.domain)), said: true}
	case reason == "" && !s.o.wants(n.OpType()):
		reason = "has an operator that is not among those to quantize"
	case reason == "":
		if reason = f.obstacle(s, n); reason != "" {
			break
		}
		if reason = cmp.Or(s.alreadyQuantized(n, f), s.readsNotFinite(n, f)); reason == "" {
			return choice{take: true}
		}
	}
	if n.Is("Gemm") && gemmForm(n) == "" {
		s.report.depart(untouchedGemm)
	}
	return choice{reason: reason, said: asked || f.expected(s, n)}
}

// alreadyQuantized returns a reason if the second factor of a node is dequantized from integers.
// The model stores integers for it already, and quantizing the dequantized numbers again would only
// add a second set.
func (s *scope) alreadyQuantized(n *graphops.Node, f family) string {
	for _, at := range f.operands {
		name := input(n, at)
		if at > 0 && name != "" && Decoded(s.owner(name).graph, name) {
			s.report.depart(alreadyQuantized)
			return fmt.Sprintf("multiplies with %q, which comes from a DequantizeLinear and so is already quantized", name)
		}
	}
	return ""
}

// readsNotFinite returns a reason if a weight of a node is known to hold NaN or an infinity,
// otherwise "".
func (s *scope) readsNotFinite(n *graphops.Node, f family) string {
	for _, at := range f.operands {
		if name := input(n, at); name != "" {
			if reason := s.notFinite.Reason(s.owner(name).place.ID, name); reason != "" {
				return reason
			}
		}
	}
	return ""
}

// domainName returns the full name that the standard has for a domain.
func domainName(domain string) string { return cmp.Or(domain, "ai.onnx") }

// skipBody reports the nodes in a body, and in the bodies in it, as skipped.
func (d *dynamic) skipBody(p *graphops.Place) {
	if slices.ContainsFunc(p.Graph.Nodes(), func(n *graphops.Node) bool { return n.Is("Gemm") && gemmForm(n) == "" }) {
		d.report.depart(untouchedGemm)
	}
	d.skipAll(p, fmt.Sprintf("is in a body of node %q (%s); --subgraphs quantizes bodies too", p.Holder().Name(), p.Holder().OpType()))
	for _, inner := range p.Bodies {
		d.skipBody(inner)
	}
}

func (d *dynamic) skipAll(p *graphops.Place, reason string) {
	for i, n := range p.Graph.Nodes() {
		if !expectedOutside(n) {
			continue
		}
		d.report.Skipped = append(d.report.Skipped, Skipped{p.String(), i, n.Name(), n.OpType(), reason})
	}
}

// expectedOutside reports whether a node in a place where nothing is quantized should be reported
// as skipped.
func expectedOutside(n *graphops.Node) bool {
	_, known := families[n.OpType()]
	return (known || withWeights[n.OpType()]) && !n.Is("Transpose") && !n.Is("Gather")
}

// nothing returns the error for a model in which no node is quantized. The report has the
// reasons for the single nodes.
func (d *dynamic) nothing() error {
	halves := 0
	for _, t := range d.model.Graph().Initializers() {
		if t.DType() == tensor.F16 || t.DType() == tensor.BF16 {
			halves++
		}
	}
	switch {
	case IsQuantized(d.model):
		return fmt.Errorf("%w: the model is already quantized, %s; start from the float32 model", ErrNothing, Already(d.model))
	case halves > 0:
		return fmt.Errorf("%w: the model's weights are float16 or bfloat16, dynamic quantization needs float32; start from the float32 model", ErrNothing)
	case len(d.report.Skipped) > 0:
		return LeftOut(d.report.Skipped)
	}
	return fmt.Errorf("%w: no node of %s reads a float32 constant", ErrNothing, strings.Join(OpTypes(), ", "))
}

// nodeFilter holds the names of nodes in the options.
type nodeFilter struct{ include, exclude map[string]bool }

// newNodeFilter returns an error for names that no quantizable node has.
func newNodeFilter(m *graphops.Model, o DynamicOptions) (*nodeFilter, error) {
	known := map[string]bool{}
	for _, p := range m.Places() {
		if p.Kind == graphops.FunctionBody || p.Kind == graphops.BodyGraph && (!o.Subgraphs || p.Function != nil) {
			continue
		}
		for _, n := range p.Graph.Nodes() {
			for _, name := range knownAs(n) {
				known[name] = true
			}
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

// knownAs returns the names by which options can refer to a node: its own name, and for a Gemm also
// the name of the MatMul that quantize_dynamic creates from it.
func knownAs(n *graphops.Node) []string {
	if n.Is("Gemm") && n.Name() != "" {
		return []string{n.Name(), n.Name() + "_MatMul"}
	}
	return []string{n.Name()}
}

// obstacle returns why the options exclude a node, or "" if they do not. asked reports whether an
// option names the node.
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
