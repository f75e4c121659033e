package graphops

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"

	"lathe/graphops/fieldnum"
)

// GraphEditor is a graph being edited. Callers may change its lists. They must not change the
// nodes, tensors and values in the lists, because these are shared with the original graph.
type GraphEditor struct {
	Nodes        []*Node
	Initializers []*Tensor
	Sparse       []*SparseTensor
	Inputs       []*ValueInfo
	Outputs      []*ValueInfo
	ValueInfo    []*ValueInfo
	origin       *Graph
}

// EditGraph starts an edit of a graph.
func EditGraph(g *Graph) *GraphEditor {
	return &GraphEditor{
		Nodes:        slices.Clone(g.nodes),
		Initializers: slices.Clone(g.initializers),
		Sparse:       slices.Clone(g.sparse),
		Inputs:       slices.Clone(g.inputs),
		Outputs:      slices.Clone(g.outputs),
		ValueInfo:    slices.Clone(g.valueInfo),
		origin:       g,
	}
}

// Graph returns the edited graph. The editor must not be used afterwards.
func (e *GraphEditor) Graph() *Graph {
	return &Graph{
		head:  e.origin.head,
		nodes: e.Nodes, initializers: e.Initializers, sparse: e.Sparse,
		inputs: e.Inputs, outputs: e.Outputs, valueInfo: e.ValueInfo,
	}
}

// GraphIfChanged returns the edited graph. If all of its parts are those of the original, it returns
// the original, whose index need not be made again.
func (e *GraphEditor) GraphIfChanged() *Graph {
	o := e.origin
	if slices.Equal(e.Nodes, o.nodes) && slices.Equal(e.Initializers, o.initializers) && slices.Equal(e.Sparse, o.sparse) &&
		slices.Equal(e.Inputs, o.inputs) && slices.Equal(e.Outputs, o.outputs) && slices.Equal(e.ValueInfo, o.valueInfo) {
		return o
	}
	return e.Graph()
}

// DropUndefined drops value_info and annotations of values that the graph no longer defines.
func (e *GraphEditor) DropUndefined() {
	if len(e.ValueInfo) == 0 && !e.hasAnnotations() {
		return
	}
	defined := map[string]bool{}
	for _, v := range e.Inputs {
		defined[v.name] = true
	}
	for _, t := range e.Initializers {
		defined[t.name] = true
	}
	for _, s := range e.Sparse {
		defined[s.Name()] = true
	}
	for _, n := range e.Nodes {
		for _, o := range n.outputs {
			defined[o] = true
		}
	}
	e.ValueInfo = slices.DeleteFunc(e.ValueInfo, func(v *ValueInfo) bool { return !defined[v.name] })
	e.keepAnnotations(func(name string) bool { return defined[name] })
}

// Editor creates a new model from an old one, which stays unchanged. The embedded GraphEditor
// has the lists of the main graph.
type Editor struct {
	*GraphEditor
	// Functions are the model-local functions. Callers may change the list, like those of the
	// graph.
	Functions []*Function

	model *Model
	head  []byte
	names *Names
}

// Edit starts an edit of a model.
func Edit(m *Model) *Editor {
	return &Editor{
		GraphEditor: EditGraph(m.graph),
		Functions:   slices.Clone(m.functions),
		model:       m,
		head:        m.head,
	}
}

// Model returns the edited model. The editor must not be used afterwards.
func (e *Editor) Model() *Model {
	c := e.model.changed()
	c.graph, c.functions, c.head = e.Graph(), e.Functions, e.head
	c.hasGraph = true
	return c
}

// Names returns the names that are in use: those of the original model, and those that Names has
// handed out since.
func (e *Editor) Names() *Names {
	if e.names == nil {
		e.names = NamesOf(e.model)
	}
	return e.names
}

// setHead replaces every occurrence of a field in the model's head by the given serialized fields.
func (e *Editor) setHead(num protowire.Number, fields []byte) {
	e.head = append(without(e.head, num), fields...)
}

// SetOpset sets the version of a domain in every import of it. If there is no import of the domain,
// it adds one.
func (e *Editor) SetOpset(domain string, version int64) {
	opsets := opsetsOf(e.head, fieldnum.ModelOpsetImport)
	set := Opset{NormalDomain(domain), version}
	if _, ok := versionIn(opsets, domain); !ok {
		opsets = append(opsets, set)
	}
	for i, o := range opsets {
		if o.Domain == set.Domain {
			opsets[i] = set
		}
	}
	e.SetOpsets(opsets)
}

// SetOpsets sets the imported domains.
func (e *Editor) SetOpsets(opsets []Opset) {
	e.head = withImports(e.head, fieldnum.ModelOpsetImport, opsets)
}

// SetIRVersion sets the version of the file format.
func (e *Editor) SetIRVersion(v int64) {
	e.setHead(fieldnum.ModelIRVersion, appendVarint(nil, fieldnum.ModelIRVersion, v))
}

// SetProducer sets the name and version of the tool that created the model. Empty texts remove
// them.
func (e *Editor) SetProducer(name, version string) {
	e.head = withText(withText(e.head, fieldnum.ModelProducerName, name), fieldnum.ModelProducerVersion, version)
}

// SetDoc sets the model's doc_string. An empty text removes it.
func (e *Editor) SetDoc(doc string) { e.head = withText(e.head, fieldnum.ModelDoc, doc) }

// SetDomain sets the model's own domain, such as "org.example". An empty text removes it.
func (e *Editor) SetDomain(domain string) { e.head = withText(e.head, fieldnum.ModelDomain, domain) }

// SetVersion sets the model's own version. 0 removes it.
func (e *Editor) SetVersion(v int64) {
	e.head = without(e.head, fieldnum.ModelVersion)
	if v != 0 {
		e.head = appendVarint(e.head, fieldnum.ModelVersion, v)
	}
}

// SetMetadata sets the model's metadata_props.
func (e *Editor) SetMetadata(entries []Entry) {
	e.head = withEntries(e.head, fieldnum.ModelMetadata, entries)
}

// WithoutOverruled returns the model without the unused ones of several constants with the same
// name in its main graph. ONNX Runtime uses the last of them (see Index.Overruled).
func (m *Model) WithoutOverruled() *Model {
	x := m.graph.Index()
	if len(x.Overruled) == 0 {
		return m
	}
	e := Edit(m)
	e.Nodes = slices.DeleteFunc(e.Nodes, func(n *Node) bool {
		return n.IsConstant() && n.outputs[0] != "" && x.graph.nodes[x.producer[x.number(n.outputs[0])]] != n
	})
	var dense []*Tensor
	for i, t := range e.Initializers {
		if x.isConstantAt(x.number(t.name), i) {
			dense = append(dense, t)
		}
	}
	e.Initializers = dense
	e.Sparse = slices.DeleteFunc(e.Sparse, func(s *SparseTensor) bool { return !x.IsInitializer(x.number(s.Name())) })
	e.Inputs = slices.DeleteFunc(e.Inputs, func(v *ValueInfo) bool { return !x.IsInput(x.number(v.name)) })
	return e.Model()
}
