package edit

import (
	"fmt"
	"slices"

	"lathe/graphops"
)

// build joins the parts, after they were renamed.
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

// demoteOutputs keeps the types of outputs of first that are not outputs of the result.
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

// appendSecond adds the second graph. Its fed inputs are removed, with their defaults. Their
// declared types are kept if first declares none.
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

// kept returns the elements of now for which the element of was at the same position may stay.
func kept[T any](now, was []T, stays func(T) bool) []T {
	var out []T
	for i, w := range was {
		if stays(w) {
			out = append(out, now[i])
		}
	}
	return out
}

// setOutputs lists the outputs of second, followed by the remaining ones of first.
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

// passOn inserts a node for an output of second that is one of its fed inputs, so that the output
// keeps its name.
func (j *merger) passOn(g *graphops.GraphEditor, v *graphops.ValueInfo, output string) (*graphops.ValueInfo, error) {
	if _, ok := j.first.Opset(graphops.DefaultDomain); !ok && !slices.ContainsFunc(j.opsets, func(o graphops.Opset) bool { return o.Domain == graphops.DefaultDomain }) {
		return nil, fmt.Errorf("output %q of the second model is its input of that name, which takes an Identity to pass on, and neither model imports ai.onnx", output)
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

// inBodies reports whether a body of second defines a value with the name.
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

// union joins entries; if both have a key, the first applies.
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
		j.report.warn("%s that the models tell differently, and the first is believed: %s", what, graphops.QuoteNames(clashes))
	}
	return both, len(both) > len(first)
}
