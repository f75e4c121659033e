package sensitivity

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// flow returns for each node of the main graph how much of the noise in its results, relative to them,
// reaches the outputs, relative to these. It follows the noise backwards from the outputs, where all of
// it counts. What reaches the readers of a value adds up, but never to more than 1.
//
// Sums divide: a term passes on as much as its part of the sum's mean square. So a branch beside a
// residual connection counts less if its weights are small. Products, normalizations and most other
// operators pass on all of the noise. See passes for the others.
func flow(ctx context.Context, m *graphops.Model) ([]float64, error) {
	types, err := shape.Infer(ctx, m, shape.Options{})
	if err != nil {
		return nil, err
	}
	p := m.Places()[0]
	order, err := p.Graph.Order()
	if err != nil {
		return nil, err
	}
	e := &energies{ctx: ctx, place: p, types: types, of: map[string]float64{}, fixed: map[string]bool{}, stored: map[*graphops.Tensor]float64{}, made: map[string]*graphops.Node{}}
	for _, in := range p.Graph.FeedInputs() {
		if e.isFloat(in.Name()) {
			e.of[in.Name()] = 1
		}
	}
	nodes := p.Graph.Nodes()
	read := make([][]operand, len(nodes))
	for _, i := range order {
		if read[i], err = e.operands(nodes[i]); err != nil {
			return nil, err
		}
		e.visit(nodes[i], read[i])
	}
	arrives := map[string]float64{}
	for _, o := range p.Graph.Outputs() {
		arrives[o.Name()] = 1
	}
	out := make([]float64, len(nodes))
	for k := len(order) - 1; k >= 0; k-- {
		i := order[k]
		for _, name := range nodes[i].Outputs() {
			out[i] += min(arrives[name], 1)
		}
		out[i] = min(out[i], 1)
		for _, x := range read[i] {
			if x.computed {
				arrives[x.name] += out[i] * e.passes(nodes[i], read[i], x)
			}
		}
	}
	return out, nil
}

// passes returns how much of an operand's relative noise a node passes on. A mean of numbers of both
// signs cancels noise. The noise of a Softmax is that of its input in absolute terms.
func (e *energies) passes(n *graphops.Node, in []operand, x operand) float64 {
	switch n.OpType() {
	case "Add", "Sub", "Sum", "Concat", "Where":
		if total := sum(in); total > 0 {
			return x.energy / total
		}
	case "Softmax":
		return min(1, x.energy)
	case "Sigmoid", "HardSigmoid":
		return min(1, x.energy/4)
	case "ReduceMean":
		if e.averages(n) {
			return 1 / e.width(x.name)
		}
	}
	return 1
}
