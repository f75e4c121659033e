package sensitivity

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/quantization"
)

// candidates are the nodes of a model that a mode quantizes.
type candidates struct {
	// model is the one that is quantized, in which each candidate has a name of its own.
	model   *graphops.Model
	layers  []*Layer
	weights map[*Layer][]*quant.DraftWeight
	// leftOut are the nodes that stay as they are, with the reason.
	leftOut []LeftOut
}

// LeftOut is a node that could be expected in the list and is not.
type LeftOut struct {
	Place  string `json:"place,omitempty"`
	Node   string `json:"node"`
	Op     string `json:"op"`
	Reason string `json:"reason"`
}

// candidatesOf makes the list from a draft. Options name nodes, so nodes without a name, and those whose
// name another node has, are renamed in the model that is quantized.
func candidatesOf(m *graphops.Model, d *quant.Draft) *candidates {
	out := &candidates{weights: map[*Layer][]*quant.DraftWeight{}}
	names := newNames(m)
	renamed := map[string]map[int]string{}
	for i := range d.Candidates {
		c := &d.Candidates[i]
		place, n := c.Place.String(), c.Node()
		if c.Reason != "" {
			out.leftOut = append(out.leftOut, LeftOut{place, n.Name(), n.OpType(), c.Reason})
			continue
		}
		l := &Layer{Place: place, Index: c.Index, Node: n.Name(), Op: n.OpType(), Weights: []string{}, name: names.of(n)}
		if l.name != n.Name() {
			if renamed[place] == nil {
				renamed[place] = map[int]string{}
			}
			renamed[place][c.Index] = l.name
		}
		out.layers = append(out.layers, l)
		out.weights[l] = c.Weights
		l.weigh(c.Weights)
	}
	out.share()
	out.model = m
	if len(renamed) > 0 {
		out.model = m.EditPlaces(func(p *graphops.Place, e *graphops.GraphEditor) bool {
			for i, name := range renamed[p.String()] {
				e.Nodes[i] = e.Nodes[i].WithName(name)
			}
			return len(renamed[p.String()]) > 0
		})
	}
	return out
}

// weigh notes which weights change and how much smaller they become.
func (l *Layer) weigh(weights []*quant.DraftWeight) {
	for _, w := range weights {
		if !slices.Contains(l.Weights, w.Name) {
			l.Weights = append(l.Weights, w.Name)
		}
		l.BytesSaved += w.Before - w.After
		l.bytes += w.After
	}
}

// share counts for each layer the others that read one of its weights.
func (c *candidates) share() {
	readers := map[*graphops.Tensor][]*Layer{}
	for _, l := range c.layers {
		for _, w := range c.weights[l] {
			if !slices.Contains(readers[w.Tensor], l) {
				readers[w.Tensor] = append(readers[w.Tensor], l)
			}
		}
	}
	for _, l := range c.layers {
		others := map[*Layer]bool{}
		for _, w := range c.weights[l] {
			for _, other := range readers[w.Tensor] {
				others[other] = true
			}
		}
		l.Shared = max(len(others)-1, 0)
	}
}

// Candidates lists the nodes of a model that a mode quantizes, with estimates of what each costs alone. Each
// node of the model must have a name of its own (Named).
func Candidates(ctx context.Context, env session.Env, q *quantization.Quantization, m *graphops.Model) ([]*Layer, error) {
	c, err := estimated(ctx, env, q, m)
	if err != nil {
		return nil, err
	}
	return c.layers, nil
}

// dropFollowers leaves out nodes without weights that mode static quantizes only together with their
// neighbours, such as a Relu: alone, there is nothing to quantize.
func (c *candidates) dropFollowers(ctx context.Context, q *quantization.Quantization) error {
	var stay []*Layer
	for _, l := range c.layers {
		if q.Mode == "static" && len(l.Weights) == 0 {
			alone := *q
			alone.Include, alone.Exclude = []string{l.name}, nil
			d, err := alone.Draft(ctx, c.model, true)
			if err != nil {
				return err
			}
			if d.Nothing != "" {
				c.leftOut = append(c.leftOut, LeftOut{l.Place, l.Node, l.Op, "is quantized only if its neighbours are"})
				continue
			}
		}
		stay = append(stay, l)
	}
	c.layers = stay
	return nil
}

// estimate fills in what the weights let expect, as the description of the package says. It reads each
// weight once or twice and runs nothing.
func (c *candidates) estimate(ctx context.Context, by rounding, heard func(done, total int64)) error {
	passed, err := flow(ctx, c.model)
	if err != nil {
		return err
	}
	shares, err := c.measureWeights(ctx, heard)
	if err != nil {
		return err
	}
	places := map[string]*graphops.Place{}
	for _, p := range c.model.Places() {
		places[p.String()] = p
	}
	for _, l := range c.layers {
		p := places[l.Place]
		share := by.noise * float64(by.activations(p, p.Graph.Nodes()[l.Index]))
		for _, w := range c.weights[l] {
			share += shares[w]
		}
		l.noise = share * passed[outermost(p, l.Index)]
		l.Estimated = tensor.Number(decibels(l.noise))
	}
	return nil
}

// measureWeights returns the share of noise that each weight gets.
func (c *candidates) measureWeights(ctx context.Context, heard func(done, total int64)) (map[*quant.DraftWeight]float64, error) {
	all := map[*quant.DraftWeight]float64{}
	var total, done int64
	for _, list := range c.weights {
		for _, w := range list {
			if _, seen := all[w]; !seen {
				total += w.Before
			}
			all[w] = 0
		}
	}
	for _, w := range slices.Collect(maps.Keys(all)) {
		f, err := w.Measure(ctx, nil)
		if err != nil {
			return nil, fmt.Errorf("weight %q: %w", w.Name, err)
		}
		if f.Noise > 0 {
			all[w] = f.Noise / f.Signal
		}
		done += w.Before
		heard(done, total)
	}
	return all, nil
}

// outermost returns the node of the main graph that is, or contains, a node of a place.
func outermost(p *graphops.Place, node int) int {
	for ; p.Parent != nil; p = p.Parent {
		node = p.Node
	}
	return node
}
