package generating

import (
	"math"
	"slices"

	"lathe/graphops/tensor"
	"lathe/session/proportion"
)

// Agreement says how often both sides prefer the same token if they get the same tokens.
type Agreement struct {
	Same  int           `json:"same"`
	Of    int           `json:"of"`
	Share tensor.Number `json:"share"`
	// Low and High are the ends of the 95 % interval (Wilson), as if the positions were independent.
	Low  tensor.Number `json:"low"`
	High tensor.Number `json:"high"`
}

func agreement(same, of int) Agreement {
	if of == 0 {
		return Agreement{}
	}
	s := proportion.Of(int64(same), int64(of))
	return Agreement{Same: same, Of: of, Share: s.Share, Low: s.Low, High: s.High}
}

// Divergence sums up the divergence of B from A over positions, in nats. P99 is the smallest one that at
// least 99 % of the positions do not exceed.
type Divergence struct {
	Positions int           `json:"positions"`
	Mean      tensor.Number `json:"mean"`
	P99       tensor.Number `json:"p99"`
	Max       tensor.Number `json:"max"`
	MaxAt     Place         `json:"max_at"`
}

// Place is a position of a prompt: the number of tokens before the one that is scored. Generated is
// the number of the scored token among those that are generated: 1 for the first, 0 within the prompt.
type Place struct {
	Prompt    int `json:"prompt"`
	Position  int `json:"position"`
	Generated int `json:"generated"`
}

// divergences collects the divergence of each position.
type divergences struct {
	all []float64
	max Divergence
}

// add adds a position, and reports whether its divergence is the largest so far.
func (d *divergences) add(x float64, at Place) bool {
	d.all = append(d.all, x)
	if len(d.all) > 1 && !(x > float64(d.max.Max)) {
		return false
	}
	d.max.Max, d.max.MaxAt = tensor.Number(x), at
	return true
}

func (d *divergences) summary() Divergence {
	out := d.max
	if out.Positions = len(d.all); out.Positions == 0 {
		return out
	}
	sum := 0.0
	for _, x := range d.all {
		sum += x
	}
	out.Mean = tensor.Number(sum / float64(len(d.all)))
	sorted := slices.Sorted(slices.Values(d.all))
	out.P99 = tensor.Number(sorted[int(math.Ceil(0.99*float64(len(sorted))))-1])
	return out
}
