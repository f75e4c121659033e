package look

import (
	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/shape"
	"lathe/session/reporting"
	"lathe/session/text"
)

// known has the shapes and costs that were inferred for a model. costs is nil if nothing was
// inferred.
type known struct{ costs *cost.Result }

// nodeCost is the cost of a node with its bodies and functions. Its quantities are numbers,
// expressions or null.
type nodeCost struct {
	MACs       quantity `json:"macs"`
	Read       quantity `json:"read_bytes"`
	Written    quantity `json:"written_bytes"`
	Parameters int64    `json:"parameters"`
	worked     bool     // whether the cost was computed
}

func (k known) node(p *graphops.Place, i int) nodeCost {
	params := cost.Parameters(p, p.Graph.Nodes()[i])
	if k.costs == nil {
		return nodeCost{Parameters: params}
	}
	whole := func(s cost.Sum) quantity {
		d, ok := s.Whole()
		return quantity{d, ok}
	}
	t := k.costs.Within(p, i)
	return nodeCost{whole(t.MACs), whole(t.Read), whole(t.Written), params, true}
}

// macsText formats the multiply-accumulates of the node. It is "" if the node has none or they were
// not computed, and "?" if they are unknown.
func (c nodeCost) macsText() string {
	switch {
	case !c.worked:
		return ""
	case !c.MACs.known:
		return "?"
	case c.MACs.size.Is(0):
		return ""
	default:
		return c.MACs.text(text.Count)
	}
}

// valuesOf returns inputs or outputs of a place.
func (k known) valuesOf(p *graphops.Place, list []*graphops.ValueInfo) []reporting.Value {
	out := reporting.ValuesOf(list)
	for i, v := range list {
		if id, ok := p.Graph.Index().Value(v.Name()); ok {
			out[i] = k.value(p, id, v.Type())
		}
	}
	return out
}

// value returns a value with its most likely type. If the graph contradicts the declared type, that
// type is returned in Declared.
func (k known) value(p *graphops.Place, id graphops.ValueID, declared graphops.Type) reporting.Value {
	b := k.belief(p, id, declared)
	v := reporting.Value{Name: p.Graph.Index().Name(id), Type: b.Type.String(), Shape: b.Type.Shape, Inferred: b.Filled || b.Denied != ""}
	if b.Denied != "" {
		v.Declared = &reporting.Declaration{Type: declared.String(), Shape: declared.Shape}
	}
	return v
}

// belief returns the most likely type of a value. If nothing was inferred, it is the declared one.
func (k known) belief(p *graphops.Place, id graphops.ValueID, declared graphops.Type) shape.Belief {
	if k.costs == nil {
		return shape.Belief{Type: declared}
	}
	return k.costs.Shapes.Believe(p, id, declared)
}

// typeOf returns the most likely type of a value.
func (k known) typeOf(p *graphops.Place, id graphops.ValueID) graphops.Type {
	return k.belief(p, id, p.Type(id)).Type
}

// denials lists the declared types of a place that contradict the graph.
func (k known) denials(p *graphops.Place) []string {
	x := p.Graph.Index()
	var out []string
	for i := range x.Values() {
		id := graphops.ValueID(i)
		if x.Info(id) == nil {
			continue
		}
		if b := k.belief(p, id, p.Type(id)); b.Denied != "" {
			out = append(out, b.Deny(x.Name(id), p.Type(id)))
		}
	}
	return out
}
