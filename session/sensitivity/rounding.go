package sensitivity

import (
	"lathe/graphops"
	"lathe/session/quantization"
)

// rounding says how a mode quantizes activations.
type rounding struct {
	noise   float64 // that one activation gets, relative to the activation
	outputs bool    // outputs are quantized too
}

// roundingOf returns what the mode does to activations. Integers divide 4 standard deviations on each
// side evenly; the noise of a step d is d²/12. A 16-bit number has a rounding error that is evenly
// distributed in a unit in the last place, relative to a mantissa that is evenly distributed from 1 to 2.
func roundingOf(s *quantization.Quantization) rounding {
	switch s.Mode {
	case "dynamic":
		return rounding{noise: steps(1 << 8)}
	case "static":
		if s.ActivationType == "int16" || s.ActivationType == "uint16" {
			return rounding{steps(1 << 16), true}
		}
		return rounding{steps(1 << 8), true}
	case "float16":
		return rounding{mantissa(10), true}
	case "bfloat16":
		return rounding{mantissa(7), true}
	}
	if s.AccuracyLevel == "4" { // MatMulNBits then quantizes its input to int8
		return rounding{noise: steps(1 << 8)}
	}
	return rounding{}
}

// steps returns the noise of a normal distribution in n integers.
func steps(n float64) float64 {
	d := 8 / (n - 1)
	return d * d / 12
}

// mantissa returns the noise of numbers with this many bits after the first.
func mantissa(bits int) float64 {
	d := 1 / float64(int64(1)<<bits)
	return d * d / 12 / (7.0 / 3)
}

// activations counts the values of a node that are computed and quantized.
func (r rounding) activations(p *graphops.Place, n *graphops.Node) (count int) {
	for _, name := range n.Inputs() {
		if name == "" {
			continue
		}
		if _, at := p.Constant(name); at == nil {
			count++
		}
	}
	if r.outputs {
		count += len(n.Outputs())
	}
	return count
}
