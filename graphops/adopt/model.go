package adopt

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
)

// Report says which weights were taken over.
type Report struct {
	// KeptWeights is the number of initializers that the original has too. FreshWeights is the
	// number of initializers that the other program created, FreshBytes is their size, and Fresh is
	// the set of them.
	KeptWeights, FreshWeights int
	FreshBytes                int64
	Fresh                     map[*graphops.Tensor]bool
	Warnings                  []string
}

// Model returns the original model with the nodes and weights of made, the optimized model. Inputs,
// outputs, documentation and metadata are those of the original. It returns an error if the names
// or types of inputs and outputs differ.
func Model(ctx context.Context, original, made *graphops.Model) (*graphops.Model, *Report, error) {
	if err := samePorts(original, made); err != nil {
		return nil, nil, err
	}
	r := &Report{Fresh: map[*graphops.Tensor]bool{}}
	w := newStored(ctx, original, r)
	restored, err := w.restore(unshadowed(made))
	if err != nil {
		return nil, nil, err
	}
	e := graphops.Edit(original)
	g := restored.Graph()
	e.Nodes = described(original, g.Nodes())
	e.Initializers, e.Sparse = slices.Clone(g.Initializers()), slices.Clone(g.SparseInitializers())
	e.ValueInfo, e.Functions = slices.Clone(g.ValueInfo()), slices.Clone(restored.Functions())
	e.Inputs = inputsOf(original, g)
	e.DropUndefined()
	e.SetOpsets(opsetsOf(original, restored))
	m := e.Model()
	m = m.AtLeastIR(m.NeededIR().Version)
	if m.HasTraining() {
		m = m.WithoutTraining()
		r.Warnings = append(r.Warnings, graphops.TrainingDropped)
	}
	return m.AlsoFrom(made), r, complete(m)
}

// samePorts returns an error unless the inputs and outputs of both main graphs have the same names
// and element types. The optimized graph may lack inputs of the original.
func samePorts(original, made *graphops.Model) error {
	known := typesOf(original.Graph().Inputs())
	for _, v := range made.Graph().FeedInputs() {
		t, ok := known[v.Name()]
		if !ok {
			return fmt.Errorf("the optimized graph has an input %q that the model does not have", v.Name())
		}
		if err := sameKind("input", v, t); err != nil {
			return err
		}
	}
	got := map[string]*graphops.ValueInfo{}
	for _, v := range made.Graph().Outputs() {
		got[v.Name()] = v
	}
	for _, v := range original.Graph().Outputs() {
		g, ok := got[v.Name()]
		if !ok {
			return fmt.Errorf("the optimized graph lacks the model's output %q", v.Name())
		}
		if err := sameKind("output", g, v.Type()); err != nil {
			return err
		}
	}
	return nil
}

func typesOf(list []*graphops.ValueInfo) map[string]graphops.Type {
	out := map[string]graphops.Type{}
	for _, v := range list {
		out[v.Name()] = v.Type()
	}
	return out
}

// sameKind returns an error if both types are known and differ. It ignores shapes.
func sameKind(what string, v *graphops.ValueInfo, want graphops.Type) error {
	got := v.Type()
	if got.Kind == graphops.TypeUnknown || want.Kind == graphops.TypeUnknown || got.String() == want.String() {
		return nil
	}
	return fmt.Errorf("%s %q of the optimized graph is %s, expected %s as in the model", what, v.Name(), got, want)
}

// inputsOf returns the inputs of the original, without inputs whose default value (an initializer
// of the same name) no longer exists. Below IR version 4, every initializer is listed as an input,
// although callers cannot replace it. These inputs are left out as well. The initializers then are
// constants, as from version 4 on.
func inputsOf(original *graphops.Model, g *graphops.Graph) []*graphops.ValueInfo {
	defaults, stays := namesOf(original.Graph()), namesOf(g)
	return slices.DeleteFunc(slices.Clone(original.Graph().Inputs()), func(v *graphops.ValueInfo) bool {
		return defaults[v.Name()] && (original.IRVersion() < graphops.OptionalInputsIR || !stays[v.Name()])
	})
}

func namesOf(g *graphops.Graph) map[string]bool {
	out := map[string]bool{}
	for _, t := range g.Initializers() {
		out[t.Name()] = true
	}
	for _, s := range g.SparseInitializers() {
		out[s.Name()] = true
	}
	return out
}

// opsetsOf returns the opsets for the result: those of the domains that nodes of made use, and the
// default domain. Domains that the original imports come first, in its order.
func opsetsOf(original, made *graphops.Model) []graphops.Opset {
	uses := map[string]bool{graphops.DefaultDomain: true}
	for n := range made.AllNodes() {
		uses[graphops.NormalDomain(n.Domain())] = true
	}
	var out []graphops.Opset
	add := func(domain string) {
		version, ok := made.Opset(domain)
		if !ok {
			version, ok = original.Opset(domain) // a domain that no node uses any more
		}
		if ok && uses[domain] {
			out = append(out, graphops.Opset{Domain: domain, Version: version})
			delete(uses, domain)
		}
	}
	for _, o := range original.Opsets() {
		add(o.Domain)
	}
	for _, o := range made.Opsets() {
		add(o.Domain)
	}
	return out
}

// complete returns an error if a node reads, or the main graph returns, a value that nothing
// defines.
func complete(m *graphops.Model) error {
	x := m.Graph().Index()
	for i, n := range m.Graph().Nodes() {
		for _, id := range x.Reads(i) {
			if !x.IsDefined(id) {
				return fmt.Errorf("node %q (%s) of the optimized graph reads %q, which no node, input or initializer defines", n.Name(), n.OpType(), x.Name(id))
			}
		}
	}
	for _, v := range m.Graph().Outputs() {
		if id, ok := x.Value(v.Name()); !ok || !x.IsDefined(id) {
			return fmt.Errorf("output %q of the optimized graph is not defined by any node, input or initializer", v.Name())
		}
	}
	return nil
}

// described restores the documentation and metadata of nodes that the original has too: those with
// the same name, or, if no name matches, with the same first output. Texts that the optimizer wrote
// stay.
func described(original *graphops.Model, nodes []*graphops.Node) []*graphops.Node {
	byName, byOutput := map[string]*graphops.Node{}, map[string]*graphops.Node{}
	for _, n := range original.Graph().Nodes() {
		if n.Name() != "" {
			byName[n.Name()] = n
		}
		for _, o := range n.Outputs() {
			byOutput[o] = n
		}
	}
	out := slices.Clone(nodes)
	for i, n := range out {
		was := byName[n.Name()]
		if was == nil && len(n.Outputs()) > 0 {
			was = byOutput[n.Output(0)]
		}
		if was == nil {
			continue
		}
		if len(n.Metadata()) == 0 && len(was.Metadata()) > 0 {
			n = n.WithMetadata(was.Metadata())
		}
		if n.Doc() == "" && was.Doc() != "" {
			n = n.WithDoc(was.Doc())
		}
		out[i] = n
	}
	return out
}
