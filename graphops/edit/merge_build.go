package edit

import (
	"fmt"
	"slices"

	"lathe/graphops"
)

// build makes one model of the two, in which names, symbols and functions no longer conflict.
func (j *merger) build() (*graphops.Model, error) {
	g := graphops.EditGraph(j.first.Graph())
	j.demoteOutputs(g)
	j.appendSecond(g)
	if err := j.setOutputs(g); err != nil {
		return nil, err
	}
	m := j.first.AlsoFrom(j.second)
	m = m.WithGraph(j.first.Places()[0], j.withGraphMetadata(g.Graph()))
	e := graphops.Edit(m)
	e.Functions = append(e.Functions, j.functions...)
	for _, o := range j.opsets {
		e.SetOpset(o.Domain, o.Version)
	}
	if both, changed := j.union("metadata", m.Metadata(), j.second.Metadata()); changed {
		e.SetMetadata(both)
	}
	j.report.NodesAfter = len(e.Nodes)
	return e.Model(), nil
}

// demoteOutputs adds the types of those outputs of first that are not outputs of the result to
// value_info.
func (j *merger) demoteOutputs(g *graphops.GraphEditor) {
	x := j.first.Graph().Index()
	known := map[string]bool{}
	for _, v := range g.ValueInfo {
		known[v.Name()] = true
	}
	kept := map[string]bool{}
	for _, v := range j.kept {
		kept[renamed(j.names.first, v.Name())] = true
	}
	for _, v := range g.Outputs {
		id, _ := x.Value(v.Name())
		if kept[v.Name()] || known[v.Name()] || x.Producer(id) < 0 || v.Type().Kind == graphops.TypeUnknown {
			continue
		}
		known[v.Name()] = true
		g.ValueInfo = append(g.ValueInfo, v)
	}
}

// appendSecond adds the graph of second. Inputs that are fed are removed, also their default
// values. If first declares no type for the value that feeds such an input, the input's type is
// declared for it.
func (j *merger) appendSecond(g *graphops.GraphEditor) {
	x := j.first.Graph().Index()
	was, now := j.was, j.second.Graph()
	told := map[string]bool{}
	for i, v := range was.Inputs() {
		v, from := now.Inputs()[i], v.Name()
		if !j.isFed(from) {
			g.Inputs = append(g.Inputs, v)
			continue
		}
		if id, _ := x.Value(v.Name()); x.Type(id).Kind == graphops.TypeUnknown && !told[v.Name()] {
			told[v.Name()] = true
			g.ValueInfo = append(slices.DeleteFunc(g.ValueInfo, func(o *graphops.ValueInfo) bool { return o.Name() == v.Name() }), v)
		}
	}
	e := graphops.EditGraph(now)
	e.Initializers = kept(e.Initializers, was.Initializers(), func(t *graphops.Tensor) bool { return !j.isFed(t.Name()) })
	e.Sparse = kept(e.Sparse, was.SparseInitializers(), func(s *graphops.SparseTensor) bool { return !j.isFed(s.Name()) })
	e.ValueInfo = kept(e.ValueInfo, was.ValueInfo(), func(v *graphops.ValueInfo) bool { return !j.isFed(v.Name()) })
	g.Append(e.Graph())
}

func (j *merger) isFed(input string) bool {
	_, fed := j.source[input]
	return fed
}

// kept returns those elements of now for which stays is true for the element at the same position
// in was. now and was are the same list after and before renaming.
func kept[T any](now, was []T, stays func(T) bool) []T {
	var out []T
	for i, w := range was {
		if stays(w) {
			out = append(out, now[i])
		}
	}
	return out
}

// setOutputs sets the outputs of the result: those of second, then those of first that remain.
func (j *merger) setOutputs(g *graphops.GraphEditor) error {
	first := g.Outputs
	g.Outputs = nil
	listed := map[string]bool{}
	add := func(v *graphops.ValueInfo) {
		if !listed[v.Name()] {
			listed[v.Name()] = true
			g.Outputs = append(g.Outputs, v)
		}
	}
	for i, was := range j.was.Outputs() {
		v := j.second.Graph().Outputs()[i]
		if j.isFed(was.Name()) && v.Name() != was.Name() {
			var err error
			if v, err = j.passOn(g, v, was.Name()); err != nil {
				return err
			}
		}
		add(v)
	}
	stays := map[string]bool{}
	for _, v := range j.kept {
		stays[renamed(j.names.first, v.Name())] = true
	}
	for _, v := range first {
		if stays[v.Name()] {
			add(v)
		}
	}
	return nil
}

// passOn handles an output of second that is also one of its inputs, and is fed. It inserts an
// Identity, so that the output keeps its name.
func (j *merger) passOn(g *graphops.GraphEditor, v *graphops.ValueInfo, output string) (*graphops.ValueInfo, error) {
	if _, ok := j.first.Opset(graphops.DefaultDomain); !ok && !slices.ContainsFunc(j.opsets, func(o graphops.Opset) bool { return o.Domain == graphops.DefaultDomain }) {
		return nil, fmt.Errorf("output %q of the second model is also an input of it, so the result needs an Identity, but neither model imports ai.onnx", output)
	}
	name := output
	if j.names.values[output] || j.inBodies(output) {
		name = j.names.all.Value(output)
		j.report.warn("output %q of the second model is called %q: another value has that name", output, name)
	}
	g.Nodes = append(g.Nodes, graphops.NewNode(graphops.NodeSpec{
		Op: "Identity", Name: j.names.all.Node(name), Inputs: []string{v.Name()}, Outputs: []string{name},
	}))
	j.report.changed("node", name, "", "Identity, so that the output keeps its name")
	return v.WithName(name), nil
}

// inBodies reports whether a body in second defines a value with the name.
func (j *merger) inBodies(name string) bool {
	for _, p := range j.second.Places() {
		x := p.Graph.Index()
		if id, ok := x.Value(name); ok && p.Kind == graphops.BodyGraph && x.IsDefined(id) {
			return true
		}
	}
	return false
}

func (j *merger) withGraphMetadata(g *graphops.Graph) *graphops.Graph {
	if both, changed := j.union("metadata of the graph", g.Metadata(), j.second.Graph().Metadata()); changed {
		return g.WithMetadata(both)
	}
	return g
}

// union joins two lists of metadata. If both have a key, the value of the first is used, with a
// warning if they differ.
func (j *merger) union(what string, first, second []graphops.Entry) (both []graphops.Entry, changed bool) {
	both = slices.Clip(first)
	values := map[string]string{}
	for _, e := range first {
		values[e.Key] = e.Value
	}
	var clashes []string
	for _, e := range second {
		had, ok := values[e.Key]
		switch {
		case !ok:
			values[e.Key] = e.Value
			both = append(both, e)
		case had != e.Value:
			clashes = append(clashes, e.Key)
		}
	}
	if len(clashes) > 0 {
		j.report.warn("%s that differs between the models, where that of the first is kept: %s", what, graphops.QuoteNames(clashes))
	}
	return both, len(both) > len(first)
}
