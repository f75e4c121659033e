package tensor

import "math"

// gridCell collects a Cell.
type gridCell struct {
	min, max      float64
	finite, other int64
	scale         scale // of the total, as in a Summary; not used for narrow types
	total         sum
}

// add adds at most chunkNumbers numbers. wide says that the sum of such numbers may exceed the
// range of float64.
func (c *gridCell) add(xs []float64, wide bool) {
	if c.finite == 0 {
		c.min, c.max = math.Inf(1), math.Inf(-1)
	}
	var other int
	c.min, c.max, other = extremes(xs, c.min, c.max)
	c.other += int64(other)
	if other > 0 {
		var kept [chunkNumbers]float64
		n := 0
		for _, x := range xs {
			if IsFinite(x) {
				kept[n] = x
				n++
			}
		}
		xs = kept[:n]
	}
	if len(xs) == 0 {
		return
	}
	c.finite += int64(len(xs))
	down := 1.0
	if wide {
		c.total.multiply(c.scale.raise(max(c.max, -c.min)))
		down = c.scale.down()
	}
	total, _ := sums(xs, down, 0)
	c.total.add(total)
}

func (c *gridCell) cell() Cell {
	out := Cell{Finite: c.finite, Other: c.other}
	if c.finite > 0 {
		out.Min, out.Max = c.min, c.max
		out.Mean = c.scale.up(c.total.value() / float64(c.finite))
	}
	return out
}

// lengths replaces complex numbers by their magnitudes, in place.
func lengths(parts []float64) []float64 {
	for i := range len(parts) / 2 {
		parts[i] = math.Hypot(parts[2*i], parts[2*i+1])
	}
	return parts[:len(parts)/2]
}
