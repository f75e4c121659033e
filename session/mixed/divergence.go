package mixed

import (
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// divergence adds up Kullback-Leibler divergences of outputs. A row of an output is the softmax of its
// numbers along the last axis.
type divergence struct {
	total, rows map[string]float64
}

// least is taken for a smaller probability of the result. float16 cannot hold it, so that a probability
// that became 0 does not make the divergence infinite.
const least = 1e-8

// add compares two tensors of an output. If they are probabilities already, no softmax is taken.
func (d *divergence) add(output string, want, got tensor.Tensor, probabilities bool) error {
	rank := len(want.Shape)
	if want.DType.Kind() != tensor.KindFloat || rank == 0 || want.Shape[rank-1] < 2 {
		return nil
	}
	if d.total == nil {
		d.total, d.rows = map[string]float64{}, map[string]float64{}
	}
	if !slices.Equal(want.Shape, got.Shape) {
		d.total[output], d.rows[output] = math.Inf(1), d.rows[output]+1
		return nil
	}
	p, err := want.Float64s()
	if err != nil {
		return err
	}
	q, err := got.Float64s()
	if err != nil {
		return err
	}
	width := int(want.Shape[rank-1])
	for at := 0; at+width <= len(p); at += width {
		v := klOf(p[at:at+width], q[at:at+width], probabilities)
		if math.IsNaN(v) {
			v = math.Inf(1)
		}
		d.total[output] += v
		d.rows[output]++
	}
	return nil
}

// of returns the mean over the rows of an output; NaN if it has none.
func (d *divergence) of(output string) float64 {
	if d.rows[output] == 0 {
		return math.NaN()
	}
	return d.total[output] / d.rows[output]
}

// klOf returns the divergence of one row.
func klOf(a, b []float64, probabilities bool) (out float64) {
	p, q := logSoftmax(a), logSoftmax(b)
	if probabilities {
		p, q = logs(a), logs(b)
	}
	for i := range p {
		if w := math.Exp(p[i]); w > 0 {
			out += w * (p[i] - q[i])
		}
	}
	return max(out, 0) // rounding can make it slightly negative
}

// logSoftmax returns the logarithms of the softmax. Numbers of minus infinity, which a mask leaves, get
// that of probability 0.
func logSoftmax(v []float64) []float64 {
	top := slices.Max(v)
	sum := 0.0
	for _, x := range v {
		sum += math.Exp(x - top)
	}
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = x - top - math.Log(sum)
	}
	return out
}

// logs returns the logarithms of probabilities, relative to their sum.
func logs(v []float64) []float64 {
	sum := 0.0
	for _, x := range v {
		sum += max(x, least)
	}
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = math.Log(max(x, least) / sum)
	}
	return out
}

// probable returns the outputs that a Softmax along the last axis makes.
func probable(m *graphops.Model) map[string]bool {
	out := map[string]bool{}
	for _, n := range m.Graph().Nodes() {
		if n.Is("Softmax") {
			for _, name := range n.Outputs() {
				out[name] = true
			}
		}
	}
	return out
}
