package region

import (
	"cmp"
	"maps"
	"slices"

	"lathe/graphops"
)

// maxInlined is the maximum number of nodes that may replace calls in total. If each function calls
// another one twice, the number of nodes grows exponentially and would exceed any memory.
const maxInlined = 100_000

// Inlined returns the model with calls of its functions in the main graph replaced by their nodes,
// so that the model can be cut inside of them. A node or value x of the function gets the name
// call/x, where call is the name of the replaced node or of its first output. calls is the number
// of replaced calls. left has the names of the functions whose calls remain: they contain bodies,
// import other opset versions than the model, or would exceed maxInlined.
func Inlined(m *graphops.Model) (inlined *graphops.Model, calls int, left []string) {
	if len(m.Functions()) == 0 {
		return m, 0, nil
	}
	in := &inliner{e: graphops.Edit(m), opsets: maps.Clone(m.OpsetVersions()), functions: map[graphops.FunctionKey]*graphops.Function{}, left: map[string]bool{}}
	for _, f := range m.Functions() {
		in.functions[f.Key()] = f
	}
	in.names = in.e.Names()
	var nodes []*graphops.Node
	for _, n := range m.Graph().Nodes() {
		nodes = in.add(nodes, n, 0)
	}
	for name := range in.left {
		left = append(left, name)
	}
	slices.Sort(left)
	if in.calls == 0 {
		return m, 0, left
	}
	in.e.Nodes = nodes
	return withCalled(in.e.Model()), in.calls, left
}

type inliner struct {
	e         *graphops.Editor
	opsets    map[string]int64 // imported by the model
	names     *graphops.Names
	functions map[graphops.FunctionKey]*graphops.Function
	made      int // number of inlined nodes
	calls     int
	left      map[string]bool
}

// maxDepth is the maximum number of calls inside calls that are replaced.
const maxDepth = 64

// add appends a node to a list. A call of a function is replaced by the nodes of the function.
func (in *inliner) add(list []*graphops.Node, n *graphops.Node, depth int) []*graphops.Node {
	f := in.functions[n.Calls()]
	if f == nil {
		return append(list, n)
	}
	if depth > maxDepth || in.made+len(f.Graph().Nodes()) > maxInlined || !in.fits(n, f) {
		in.left[n.OpType()] = true
		return append(list, n)
	}
	in.calls++
	in.made += len(f.Graph().Nodes())
	call := cmp.Or(slices.Concat([]string{n.Name()}, n.Outputs(), []string{n.OpType()})...)
	names, handed := in.namesOf(f, n, call)
	for _, inner := range f.Graph().Nodes() {
		name := in.names.Node(call + "/" + cmp.Or(inner.Name(), inner.OpType()))
		list = in.add(list, in.called(inner, f, n).Renamed(names).WithName(name), depth+1)
	}
	for i, from := range handed {
		if to := n.Outputs()[i]; from != "" && to != "" {
			list = append(list, graphops.NewNode(graphops.NodeSpec{Op: "Identity", Name: in.names.Node(call + "/" + to), Inputs: []string{from}, Outputs: []string{to}}))
		}
	}
	return list
}

// fits reports whether a call of a function can be replaced by the nodes of the function.
func (in *inliner) fits(n *graphops.Node, f *graphops.Function) bool {
	g := f.Graph()
	if len(n.Inputs()) > len(g.Inputs()) || len(n.Outputs()) > len(g.Outputs()) {
		return false
	}
	for _, inner := range g.Nodes() {
		if len(inner.Graphs()) > 0 {
			return false
		}
		if in.functions[inner.Calls()] != nil {
			continue
		}
		own, imported := f.Opset(inner.Domain())
		if version, ok := in.opsets[inner.Domain()]; !imported || ok && version != own {
			return false
		}
	}
	in.take(f)
	return true
}

// take adds the imports of a function to the model, if the model lacks them.
func (in *inliner) take(f *graphops.Function) {
	for domain, version := range f.OpsetVersions() {
		if _, ok := in.opsets[domain]; !ok {
			in.opsets[domain] = version
			in.e.SetOpset(domain, version)
		}
	}
}

// namesOf returns the names that the values of a function get when its nodes replace the call n.
// handed has an entry for each output of the call. If the output is an input of the function or
// equals an earlier output, no node produces it, and the entry is the name of the value that an
// Identity must copy.
func (in *inliner) namesOf(f *graphops.Function, n *graphops.Node, call string) (names map[string]string, handed []string) {
	g := f.Graph()
	names = map[string]string{}
	for i, v := range g.Inputs() {
		names[v.Name()] = ""
		if i < len(n.Inputs()) {
			names[v.Name()] = n.Inputs()[i]
		}
	}
	handed = make([]string, len(n.Outputs()))
	for i, to := range n.Outputs() {
		formal := g.Outputs()[i].Name()
		if from, ok := names[formal]; ok {
			handed[i] = from
		} else if to != "" {
			names[formal] = to
		}
	}
	for _, inner := range g.Nodes() {
		for _, name := range inner.Outputs() {
			if _, ok := names[name]; !ok && name != "" {
				names[name] = in.names.Value(call + "/" + name)
			}
		}
	}
	return names, handed
}

// called returns a node of a function as it replaces a part of a call. References to the function's
// attributes are replaced by the values in the call, or by their defaults. If there is no value,
// the attribute is removed.
func (in *inliner) called(inner *graphops.Node, f *graphops.Function, call *graphops.Node) *graphops.Node {
	if !slices.ContainsFunc(inner.Attributes(), func(a *graphops.Attribute) bool { return a.RefName() != "" }) {
		return inner
	}
	var attrs []*graphops.Attribute
	for _, a := range inner.Attributes() {
		if a.RefName() == "" {
			attrs = append(attrs, a)
			continue
		}
		said, ok := call.Attribute(a.RefName())
		if !ok {
			at := slices.IndexFunc(f.DefaultAttributes(), func(d *graphops.Attribute) bool { return d.Name() == a.RefName() })
			if at < 0 {
				continue
			}
			said = f.DefaultAttributes()[at]
		}
		attrs = append(attrs, graphops.IntAttribute(a.Name(), 0).WithValueOf(said))
	}
	return inner.WithAttributes(attrs)
}
