package static

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/calibration"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
)

// keepFloats finds the values that would lose their information as integers, and excludes the nodes
// that read or produce one. Products are not excluded, because storing their weights as integers is
// still worthwhile; their results stay in float32.
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

// products lists operators whose weights are worth storing as integers even if their result stays
// in float32.
var products = []string{"Conv", "ConvTranspose", "Gemm", "MatMul", "InstanceNormalization", "LayerNormalization", "BatchNormalization"}

// movers lists operators that add, select or move numbers without scaling them.
var movers = []string{
	"Add", "Sub", "Where", "Min", "Max", "Clip", "Concat", "Identity", "Cast", "Reshape", "Transpose", "Squeeze", "Unsqueeze", "Flatten", "Slice", "Split",
	"Expand", "Tile", "Gather",
}

func isSoftmax(n *graphops.Node) bool {
	return (n.Is("Softmax") || n.Is("LogSoftmax")) && n.Domain() == graphops.DefaultDomain
}

// maxScoreStep is the largest distance between neighbouring integers that is accepted for the input
// of a Softmax. Rounding changes a score by up to half of it, and a change of 1 in a score
// multiplies its probability by e.
const maxScoreStep = 1

// keepScores keeps the input of a Softmax in float32 if its integers would be too far apart. The
// same is then checked for the values that this input is added up, selected or moved from. The
// usual cause is a mask: numbers so low that the Softmax gives them no weight. They extend the
// range so far that all other scores become the same integer.
func (k *marker) keepScores(softmax *graphops.Node) {
	open := []string{softmax.Input(0)}
	for len(open) > 0 {
		name := open[len(open)-1]
		open = open[:len(open)-1]
		step, ok := k.step(name)
		if k.kept[name] != "" || !ok || step <= maxScoreStep {
			continue
		}
		r := k.ranges[name]
		k.kept[name] = fmt.Sprintf("ranges from %.4g to %.4g, as after adding a mask: integers would have steps of %.3g before Softmax %q", r.Low, r.High, step, softmax.Name())
		if k.o.isFloat8() {
			k.kept[name] = fmt.Sprintf("ranges from %.4g to %.4g: 8-bit floats would have steps of %.3g at the upper end before Softmax %q", r.Low, r.High, step, softmax.Name())
		}
		k.report.depart(maskedScores)
		if p, made := k.producer[name]; made && slices.Contains(movers, k.nodes[p].OpType()) {
			open = append(open, k.nodes[p].Inputs()...)
		}
	}
}

// step returns the distance between the numbers of neighbouring integers of a value. For an
// unusable range it returns false, because that is reported when the value is quantized.
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
