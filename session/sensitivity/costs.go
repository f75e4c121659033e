package sensitivity

import "lathe/session/reporting"

var _ reporting.Costing = (*Report)(nil)

// NodeCosts implements reporting.Costing.
func (r *Report) NodeCosts() (out []reporting.NodeCost) {
	for _, l := range r.Layers {
		if l.Cost != nil {
			out = append(out, reporting.NodeCost{Place: l.Place, Node: l.Node, Op: l.Op, Reads: l.Weights, SNR: float64(l.SNR)})
		}
	}
	return out
}

// CostsAre implements reporting.Costing.
func (r *Report) CostsAre() string { return "of the outputs if only this node is quantized, " + r.Mode }
