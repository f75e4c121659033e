package steps

import (
	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/shape"
	"lathe/session/text"
)

// known is what was worked out about a model beyond what its file says; costs are nil
// where nothing was.
type known struct{ costs *cost.Result }

// nodeCost is what a node costs with all that it enters: numbers, expressions, or
// null.
type nodeCost struct {
	MACs       quantity `json:"macs"`
	Read       quantity `json:"read_bytes"`
	Written    quantity `json:"written_bytes"`
	Parameters int64    `json:"parameters"`
	worked     bool     // out
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

// macsText is blank where nothing is multiplied.
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

// valuesOf are inputs or outputs of a place.
func (k known) valuesOf(p *graphops.Place, list []*graphops.ValueInfo) []value {
	out := valuesOf(list)
	for i, v := range list {
		if id, ok := p.Graph.Index().Value(v.Name()); ok {
			out[i] = k.value(p, id, v.Type())
		}
	}
	return out
}

// value is a value with the type that is believed of it, and with the declared one where
// that is another.
func (k known) value(p *graphops.Place, id graphops.ValueID, declared graphops.Type) value {
	b := k.belief(p, id, declared)
	v := value{Name: p.Graph.Index().Name(id), Type: b.Type.String(), Shape: b.Type.Shape, Inferred: b.Filled || b.Denied != ""}
	if b.Denied != "" {
		v.Declared = &declaration{declared.String(), declared.Shape}
	}
	return v
}

// belief is what the file says where nothing is inferred.
func (k known) belief(p *graphops.Place, id graphops.ValueID, declared graphops.Type) shape.Belief {
	if k.costs == nil {
		return shape.Belief{Type: declared}
	}
	return k.costs.Shapes.Believe(p, id, declared)
}

// typeOf is the type that is believed of a value.
func (k known) typeOf(p *graphops.Place, id graphops.ValueID) graphops.Type {
	return k.belief(p, id, p.Type(id)).Type
}

// denials tell what a place declares otherwise than the graph has it.
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
