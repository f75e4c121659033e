package diff

import "context"

// fewChanges is the cost up to which a result is accepted without trying the other reading.
const fewChanges = 6

// pair matches the nodes of two places. If starting from the edges leaves many differences, it also
// starts from the weights, and returns the result with the lower cost.
func pair(ctx context.Context, a, b *side) (*pairing, error) {
	p, err := run(ctx, a, b, false)
	if err != nil || p.cost() <= fewChanges {
		return p, err
	}
	q, err := run(ctx, a, b, true)
	if err == nil && q.cost() < p.cost() {
		p = q
	}
	return p, err
}

// cost estimates how many differences a comparison would report: nodes without a partner, different
// operators and attributes, and different edges.
func (p *pairing) cost() int {
	cost := 4 * (len(p.a.order) + len(p.b.order) - 2*p.joined)
	for _, i := range p.a.order {
		j := p.nodeA[i]
		switch {
		case j == none:
			continue
		case p.a.ops[i] != p.b.ops[j]:
			cost += 3
		case p.a.base[i] != p.b.base[j]:
			cost += 2
		}
		constants, alike := p.constantCost(i, j)
		cost += constants
		e := p.inputEdges(i, j)
		if e.with == 0 && !alike && e.against+e.open > 0 {
			cost += 5 // nodes without a common input are probably not the same
		}
		cost += 2 * int(e.against+e.open)
		cost += 2 * max(len(p.a.inputs[i])-len(p.b.inputs[j]), len(p.b.inputs[j])-len(p.a.inputs[i]))
	}
	return cost
}

// constantCost returns the part of the cost that is due to different constants and to another type
// of the result. alike reports that both nodes read a weight with the same elements.
func (p *pairing) constantCost(i, j int32) (cost int, alike bool) {
	as, bs := p.a.inputs[i], p.b.inputs[j]
	for k := range min(len(as), len(bs), maxEdges) {
		x, y := p.a.constant(p.a.behind(as[k])), p.b.constant(p.b.behind(bs[k]))
		switch {
		case x == nil || y == nil:
		case x.full == y.full:
			alike = alike || x.isWeight()
		case x.form != y.form:
			cost += 2
		default:
			cost++
		}
	}
	as, bs = p.a.outputs[i], p.b.outputs[j]
	if len(as) > 0 && len(bs) > 0 && as[0] >= 0 && bs[0] >= 0 && !agree(p.a.typeOf(as[0]), p.b.typeOf(bs[0])) {
		cost++
	}
	return cost, alike
}
