package check

import (
	"lathe/graphops"
	"lathe/graphops/opschema"
)

// demands are the inputs and attributes that a function passes to operators which require them,
// directly or through other functions. It also has all attributes that its nodes refer to.
type demands struct {
	declared                    *declared
	inputs, attributes, follows map[string]bool
}

// formal is an input or attribute of a function.
type formal struct {
	function  graphops.FunctionKey
	attribute bool
	name      string
}

// demandSearch finds which inputs and attributes functions require.
type demandSearch struct {
	*subject
	of map[graphops.FunctionKey]*demands
	// handed maps each input or attribute of a called function to the inputs or attributes of
	// callers that are passed for it
	handed map[formal][]formal
	todo   []formal
}

// findDemands examines every function once, and then follows requirements from called functions
// to their callers.
func (s *subject) findDemands() map[graphops.FunctionKey]*demands {
	d := demandSearch{subject: s, of: map[graphops.FunctionKey]*demands{}, handed: map[formal][]formal{}}
	for key, f := range s.functions {
		d.of[key] = &demands{d.declared(f), map[string]bool{}, map[string]bool{}, map[string]bool{}}
	}
	for _, p := range s.model.Places() {
		if p.Function == nil || s.functions[p.Function.Key()] != p.Function {
			continue
		}
		for i, n := range p.Graph.Nodes() {
			d.attributes(site{n, p, i})
			if p.Kind == graphops.FunctionBody {
				d.inputs(site{n, p, i})
			}
		}
	}
	for len(d.todo) > 0 {
		needed := d.todo[len(d.todo)-1]
		d.todo = d.todo[:len(d.todo)-1]
		for _, given := range d.handed[needed] {
			d.need(given)
		}
	}
	return d.of
}

func (d *demandSearch) need(f formal) {
	names := d.of[f.function].inputs
	if f.attribute {
		names = d.of[f.function].attributes
	}
	if !names[f.name] {
		names[f.name] = true
		d.todo = append(d.todo, f)
	}
}

// attributes examines the attributes of a node that refer to one of the function.
func (d *demandSearch) attributes(n site) {
	list := n.Attributes()
	own, schema, callee := n.place.Function.Key(), d.schema(n), d.function(n)
	for _, a := range list {
		ref := a.RefName()
		if ref == "" {
			continue
		}
		d.of[own].follows[ref] = true
		given := formal{own, true, ref}
		switch {
		case callee != nil:
			to := formal{callee.Key(), true, a.Name()}
			d.handed[to] = append(d.handed[to], given)
		case schema == nil:
		case n.Node.IsConstant() && len(list) == 1:
			d.need(given)
		default:
			if declared, ok := schema.Attribute(a.Name()); ok && declared.Required {
				d.need(given)
			}
		}
	}
}

// inputs examines the inputs of a node that are inputs of the function.
func (d *demandSearch) inputs(n site) {
	own, schema, callee := n.place.Function.Key(), d.schema(n), d.function(n)
	for i, name := range n.Inputs() {
		given := formal{own, false, name}
		switch {
		case name == "":
		case callee != nil && i < len(callee.Graph().Inputs()):
			to := formal{callee.Key(), false, callee.Graph().Inputs()[i].Name()}
			d.handed[to] = append(d.handed[to], given)
		case schema != nil:
			if param, ok := schema.Input(i); ok && param.Option == opschema.Single {
				d.need(given)
			}
		}
	}
}
