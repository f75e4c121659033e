package static

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
)

// keepFloats finds the values that integers would say nothing of, and leaves out the
// nodes that make or read one. Products stay, with a result in float32: their weights
// are what there is to save.
func (k *marker) keepFloats(table *calibration.Table) {
	if table != nil {
		for name, why := range table.LeftOut {
			k.kept[name] = "has no range: " + why
		}
	}
	if !k.o.Masks {
		for _, n := range k.nodes {
			if isSoftmax(n) && len(n.Inputs()) > 0 {
				k.keepScores(n)
			}
		}
	}
	for i, n := range k.nodes {
		if !k.chosen[i] || slices.Contains(products, n.OpType()) {
			continue
		}
		for _, name := range slices.Concat(n.Inputs(), n.Outputs()) {
			if why := k.kept[name]; why != "" && k.types[name] == tensor.F32 {
				k.chosen[i] = false
				k.report.Skipped = append(k.report.Skipped, quant.Skipped{
					Index: i, Node: n.Name(), Op: n.OpType(), Reason: fmt.Sprintf("%q %s", name, why),
				})
				break
			}
		}
	}
}

// products are the operators whose weights are worth having as integers even where their
// result is none.
var products = []string{"Conv", "ConvTranspose", "Gemm", "MatMul", "InstanceNormalization", "LayerNormalization", "BatchNormalization"}

// movers pass on what they add, choose or move without another scale.
var movers = []string{
	"Add", "Sub", "Where", "Min", "Max", "Clip", "Concat", "Identity", "Cast", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten", "Slice", "Split",
	"Expand", "Tile", "Gather",
}

func isSoftmax(n *graphops.Node) bool {
	return (n.OpType() == "Softmax" || n.OpType() == "LogSoftmax") && n.Domain() == graphops.DefaultDomain
}

// maxScoreStep is the widest step of the integers that what a Softmax reads may have: it
// multiplies a probability by e for each 1 that its score is off, and rounding is off by
// half a step.
const maxScoreStep = 1

// keepScores keeps in float32 what a Softmax reads if integers would take steps too wide
// for it, and of what is added up to that everything of which the same holds. Most often
// that is a mask: numbers so low that the Softmax makes nothing of them, beside which all
// others become the same integer.
func (k *marker) keepScores(softmax *graphops.Node) {
	open := []string{softmax.Inputs()[0]}
	for len(open) > 0 {
		name := open[len(open)-1]
		open = open[:len(open)-1]
		step, ok := k.step(name)
		if k.kept[name] != "" || !ok || step <= maxScoreStep {
			continue
		}
		r := k.ranges[name]
		k.kept[name] = fmt.Sprintf("goes from %.4g to %.4g, as behind a mask: integers would take steps of %.3g before Softmax %q", r.Low, r.High, step, softmax.Name())
		if k.o.isFloat8() {
			k.kept[name] = fmt.Sprintf("goes from %.4g to %.4g: numbers of 8 bits would take steps of %.3g at the upper end before Softmax %q", r.Low, r.High, step, softmax.Name())
		}
		k.report.depart(MaskedScores)
		if p, made := k.producer[name]; made && slices.Contains(movers, k.nodes[p].OpType()) {
			open = append(open, k.nodes[p].Inputs()...)
		}
	}
}

// step is how far the numbers of neighbouring integers of a value are apart. A range that
// no integers have is no reason to keep a value: it is told when the value is quantized.
func (k *marker) step(name string) (float64, bool) {
	r, ok := k.ranges[name]
	if !ok || k.types[name] != tensor.F32 || !usable(r) {
		return 0, false
	}
	d := k.o.typeOf(k.o.override(name))
	if d == tensor.F8E4M3FN {
		a, err := k.float8(name)
		return stepFloat8(r.High, float64(a.Scale)), err == nil
	}
	lo, hi, _ := tensor.AffineRule{Type: d}.Codes()
	width := max(r.High, 0) - min(r.Low, 0)
	if k.o.ActivationSymmetric {
		width = 2 * max(r.High, -r.Low)
	}
	return width / (hi - lo), true
}
