package generating

import (
	"fmt"
	"math"

	"lathe/graphops/tensor"
)

// scored are the scores of both sides at one position.
type scored struct {
	x, y     []float64
	a, b     best
	place    Place
	unusable [2]bool
}

// score compares two rows.
func (s *step) score(a, b row, place Place, here *Spot) (scored, error) {
	out := scored{place: place}
	var err error
	if out.x, err = a.of.Float64s(); err != nil {
		return out, named(0, err)
	}
	if out.y, err = b.of.Float64s(); err != nil {
		return out, named(1, err)
	}
	if len(out.x) != len(out.y) {
		return out, fmt.Errorf("a has scores of %d tokens and b of %d: expected two models with the same vocabulary", len(out.x), len(out.y))
	}
	c := s.c
	out.a, out.b = bestOf(out.x, c.o.Avoid), bestOf(out.y, c.o.Avoid)
	sums := [2]float64{logSum(out.x), logSum(out.y)}
	out.unusable = [2]bool{!tensor.IsFinite(sums[0]), !tensor.IsFinite(sums[1])}
	c.of++
	if out.unusable[0] || out.unusable[1] {
		c.report.NotNumbers.add(out.unusable, place)
		c.differs(here, math.Inf(1))
		return out, nil
	}
	if out.a.token == out.b.token {
		c.same++
	}
	if c.kl.add(divergence(out.x, out.y, sums[0], sums[1]), place) && c.kl.max.Max > 0 {
		c.most = here
	}
	c.report.Largest = max(c.report.Largest, tensor.Number(largest(out.x, out.y)))
	return out, nil
}

// difference describes a position at which the sides prefer different tokens.
func (c *comparison) difference(s scored) *Difference {
	i, k := s.a.token, s.b.token
	d := &Difference{
		Place:  s.place,
		A:      Choice{Token: int64(i), Margin: tensor.Number(s.a.margin), Over: tensor.Number(s.x[i] - s.x[k])},
		B:      Choice{Token: int64(k), Margin: tensor.Number(s.b.margin), Over: tensor.Number(s.y[k] - s.y[i])},
		Scores: [2][2]tensor.Number{{tensor.Number(s.x[i]), tensor.Number(s.x[k])}, {tensor.Number(s.y[i]), tensor.Number(s.y[k])}},
	}
	scale := 1.0
	if !c.o.Asked {
		scale = math.Max(1, tensor.RMS(s.x))
	}
	used, apart := 0.0, 0.0
	for _, at := range []int{i, k} {
		diff := math.Abs(s.x[at] - s.y[at])
		allowed := c.o.Tolerance.ATol*scale + c.o.Tolerance.RTol*math.Abs(s.x[at])
		apart = math.Max(apart, diff)
		if diff > 0 {
			used = math.Max(used, diff/allowed)
		}
	}
	d.Error, d.Used, d.Rounding = tensor.Number(apart), tensor.Number(used), used <= 1
	return d
}
