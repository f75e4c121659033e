package sensitivity

import (
	"math"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Damage adds up how far the outputs of a quantized model are from those of the original.
type Damage struct {
	outputs map[string]*power
	order   []string
}

// power is the energy of an output and that of its error. For elements that are not floating-point
// numbers it is their number, and the number of those that differ.
type power struct{ signal, noise, maxAbs float64 }

// Add compares the outputs of one case. An output whose shape or structure differs is lost: its noise
// is infinite.
func (d *Damage) Add(want, got []graphops.Got) error {
	for i, w := range want {
		p := d.of(w.Name)
		at := slices.IndexFunc(got, func(g graphops.Got) bool { return g.Name == w.Name })
		if at < 0 {
			at = i
		}
		a, b := tensorsOf(w.Value), tensorsOf(got[at].Value)
		if len(a) != len(b) {
			p.noise = math.Inf(1)
			continue
		}
		for k := range a {
			if err := p.add(a[k], b[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d *Damage) of(output string) *power {
	if d.outputs == nil {
		d.outputs = map[string]*power{}
	}
	if d.outputs[output] == nil {
		d.outputs[output] = &power{}
		d.order = append(d.order, output)
	}
	return d.outputs[output]
}

func tensorsOf(v graphops.Value) (out []tensor.Tensor) {
	for _, t := range v.Tensors() {
		out = append(out, t)
	}
	return out
}

func (p *power) add(a, b tensor.Tensor) error {
	if !slices.Equal(a.Shape, b.Shape) {
		p.noise = math.Inf(1)
		return nil
	}
	m, err := tensor.Compare(a, b, tensor.Tolerance{})
	switch {
	case err != nil:
		return err
	case a.DType.Kind() != tensor.KindFloat:
		p.signal, p.noise = p.signal+float64(m.Total), p.noise+float64(m.Mismatched)
	case m.NaNMismatched+m.InfMismatched > 0:
		p.noise = math.Inf(1)
	case m.Finite > 0:
		p.signal, p.noise = p.signal+float64(m.Finite)*m.RMSA*m.RMSA, p.noise+float64(m.Finite)*m.RMS*m.RMS
	}
	if m.MaxAbs > p.maxAbs {
		p.maxAbs = m.MaxAbs
	}
	return nil
}

// Worst returns the error at the output with the lowest signal-to-noise ratio.
func (d *Damage) Worst() *Cost {
	var out *Cost
	for _, c := range d.Each() {
		if out == nil || c.SNR < out.SNR {
			out = c
		}
	}
	return out
}

// Each returns the error at each output.
func (d *Damage) Each() (out []*Cost) {
	for _, name := range d.order {
		p := d.outputs[name]
		share := p.noise / p.signal
		if p.noise == 0 {
			share = 0 // also if the signal is 0
		}
		out = append(out, &Cost{SNR: tensor.Number(decibels(share)), RelErr: tensor.Number(math.Sqrt(share)), MaxAbs: tensor.Number(p.maxAbs), Output: name})
	}
	return out
}

// decibels converts a share of noise to a signal-to-noise ratio.
func decibels(share float64) float64 {
	if share == 0 {
		return math.Inf(1)
	}
	return -10 * math.Log10(share)
}
