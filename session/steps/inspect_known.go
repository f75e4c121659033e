package steps

import (
	"lathe/graphops"
	"lathe/graphops/cost"
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

// value is a value whose type the file says, with what it leaves open filled in. Of
// the model's inputs nobody else says anything.
func (k known) value(p *graphops.Place, id graphops.ValueID, said graphops.Type) value {
	t, inferred := said, false
	if k.costs != nil && (p.Kind != graphops.MainGraph || !p.Graph.Index().IsInput(id)) {
		t, inferred = filled(said, k.costs.Shapes.Type(p, id))
	}
	return value{p.Graph.Index().Name(id), t.String(), t.Shape, inferred}
}

// filled takes from what was inferred what the file leaves open; what it says
// stands.
func filled(said, got graphops.Type) (t graphops.Type, more bool) {
	switch {
	case said.Kind == graphops.TypeUnknown:
		return got, got.Kind != graphops.TypeUnknown
	case said.Kind != got.Kind || said.Kind != graphops.TypeTensor || said.Elem != got.Elem:
		return said, false
	case said.Shape == nil:
		said.Shape = got.Shape
		return said, got.Shape != nil
	case len(said.Shape) != len(got.Shape):
		return said, false
	}
	out := said
	out.Shape = append(graphops.Shape{}, said.Shape...)
	for i, d := range said.Shape {
		if !d.IsFixed() && d.Symbol == "" && (got.Shape[i].IsFixed() || got.Shape[i].Symbol != "") {
			out.Shape[i], more = got.Shape[i], true
		}
	}
	return out, more
}
