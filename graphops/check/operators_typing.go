package check

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
)

// checkTypes checks the types of all nodes, for the rules about them.
func (s *subject) checkTypes() *typing {
	t := &typing{subject: s, doubtful: map[*graphops.Place][]bool{}, origin: map[valueAt]int{}, follows: map[int][]site{}}
	result, err := s.shapes()
	if err != nil {
		return t
	}
	t.types = func(p *graphops.Place, v graphops.ValueID) graphops.Type {
		return withoutShape(result.Value(p, v).Type)
	}
	for _, p := range s.model.Places() {
		t.place(p)
	}
	return t
}

// typing checks the types of all nodes in topological order. If a node has wrong types, its outputs
// are doubtful, and mismatches at the nodes that read them are not reported.
type typing struct {
	*subject
	types    func(*graphops.Place, graphops.ValueID) graphops.Type
	doubtful map[*graphops.Place][]bool // by value
	doubts   bool                       // whether any is doubtful
	faults   []typeFault
	origin   map[valueAt]int // the fault that makes a value doubtful, by its position in faults
	follows  map[int][]site  // nodes with wrong types that follow from a fault
	bound    []binding       // of the current node; reused for the next one
}

// binding is a type variable of a schema with the input that determines its type.
type binding struct {
	variable string
	input    int
	t        graphops.Type
	doubtful bool
}

func (t *typing) place(p *graphops.Place) {
	t.doubtful[p] = make([]bool, p.Graph.Index().Values())
	nodes := p.Graph.Nodes()
	order, err := p.Graph.Order()
	for i := range nodes {
		if i%4096 == 0 && t.ctx.Err() != nil {
			return
		}
		if err == nil && order != nil {
			i = order[i]
		}
		n := site{nodes[i], p, i}
		if schema := t.schema(n); schema != nil {
			t.node(n, schema)
		}
	}
}

func (t *typing) node(n site, schema *opschema.Schema) {
	t.bound = t.bound[:0]
	wrong, before := false, len(t.faults)
	for i, id := range n.place.Graph.Index().Inputs(n.index) {
		b, ok := t.input(n, schema, i, id)
		if !ok {
			continue
		}
		param, _ := schema.Input(i)
		if !param.Allows(b.t) {
			if !b.doubtful {
				t.unsupported(n, schema, param, b)
			}
			wrong = true
			continue
		}
		if !param.Homogeneous || !isVariable(schema, param.Type) {
			continue
		}
		if clash := t.clash(b); clash != nil {
			if !clash.doubtful && !b.doubtful {
				t.mismatch(n, schema, *clash, b)
			}
			wrong = true
		}
	}
	t.markOutputs(n, schema, wrong)
	t.noteOrigin(n, before, wrong)
}

// input returns an input whose type is known.
func (t *typing) input(n site, schema *opschema.Schema, i int, id graphops.ValueID) (binding, bool) {
	param, ok := schema.Input(i)
	if !ok || id < 0 {
		return binding{}, false
	}
	is := t.types(n.place, id)
	// reported where the type is
	if is.Kind == graphops.TypeUnknown || is.Kind == graphops.TypeTensor && !is.Elem.Valid() {
		return binding{}, false
	}
	return binding{param.Type, i, is, t.isDoubtful(n.place, id)}, true
}

func isVariable(schema *opschema.Schema, name string) bool {
	_, ok := schema.Constraint(name)
	return ok
}

// clash returns the input that has bound the variable to another type. If there is none, it
// binds the variable and returns nil.
func (t *typing) clash(b binding) *binding {
	for i := range t.bound {
		if t.bound[i].variable != b.variable {
			continue
		}
		if sameType(t.bound[i].t, b.t) {
			return nil
		}
		return &t.bound[i]
	}
	t.bound = append(t.bound, b)
	return nil
}

func sameType(a, b graphops.Type) bool {
	switch {
	case a.Kind != b.Kind:
		return false
	case a.Elem != b.Elem:
		return a.Elem == tensor.Undefined || b.Elem == tensor.Undefined
	default:
		return a.Of == nil || b.Of == nil || sameType(*a.Of, *b.Of)
	}
}

// markOutputs marks the outputs whose type follows from an input with a wrong or doubtful type, so
// that the nodes that read them are not reported too.
func (t *typing) markOutputs(n site, schema *opschema.Schema, wrong bool) {
	x := n.place.Graph.Index()
	if !wrong {
		wrong = slices.ContainsFunc(x.Inputs(n.index), func(v graphops.ValueID) bool { return v >= 0 && t.isDoubtful(n.place, v) })
	}
	if !wrong {
		return
	}
	for o, id := range x.Outputs(n.index) {
		if param, has := schema.Output(o); id >= 0 && has && len(param.Types()) > 1 && !tellsType(schema) {
			t.doubtful[n.place][id], t.doubts = true, true
		}
	}
}

// noteOrigin records which fault makes the outputs of a node doubtful: its own, or else the one from
// which a doubtful input follows. before is the number of faults before those of the node.
func (t *typing) noteOrigin(n site, before int, wrong bool) {
	at := before
	x := n.place.Graph.Index()
	if len(t.faults) == before {
		if at = t.originOf(n); at < 0 {
			return
		}
		if wrong {
			t.follows[at] = append(t.follows[at], n)
		}
	}
	for _, id := range x.Outputs(n.index) {
		if id >= 0 && t.doubts && t.doubtful[n.place][id] {
			t.origin[valueAt{n.place, id}] = at
		}
	}
}

// originOf returns the fault from which a doubtful input of a node follows, or -1.
func (t *typing) originOf(n site) int {
	if len(t.origin) == 0 {
		return -1
	}
	for _, id := range n.place.Graph.Index().Inputs(n.index) {
		if at, known := t.origin[valueAt{n.place, id}]; known {
			return at
		}
	}
	return -1
}

// tellsType reports whether an attribute determines the output's type, whatever the types of the
// inputs are.
func tellsType(schema *opschema.Schema) bool {
	a, ok := schema.Attribute("to")
	return ok && a.Required
}

// isDoubtful reports whether a value's type depends on a fault. The value may be captured.
func (t *typing) isDoubtful(p *graphops.Place, id graphops.ValueID) bool {
	if !t.doubts {
		return false
	}
	if t.doubtful[p][id] {
		return true
	}
	name := p.Graph.Index().Name(id)
	for x := p.Graph.Index(); p.Parent != nil && !x.IsDefined(id); x = p.Graph.Index() {
		p = p.Parent
		var ok bool
		if id, ok = p.Graph.Index().Value(name); !ok {
			return false
		}
		if t.doubtful[p][id] {
			return true
		}
		if p.Graph.Index().IsDefined(id) {
			return false
		}
	}
	return false
}
