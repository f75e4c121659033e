package nbits

import (
	"context"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor/blockwise"
)

// Activations runs a model on data. It passes on what values of the main graph hold: numbers, in rows of
// the length of the last axis. A value is passed on once for each sample.
type Activations func(ctx context.Context, m *graphops.Model, values []string, yield func(value string, last int64, rows []float64) error) error

// DefaultDamping is the default of Options.Damping.
const DefaultDamping = 0.01

// hessianBytes is how much memory the data about several weights may take, so that they share the same
// runs. The data about one weight may take more.
const hessianBytes = 128 << 20

// compensate quantizes the weights by GPTQ, as many at a time as there is memory for.
func (p *plan) compensate(run Activations, progress func(done, total int64)) error {
	var done, total int64
	for _, w := range p.weights {
		total += w.before()
	}
	for at := 0; at < len(p.weights); {
		values, count := together(p.weights[at:])
		found, err := p.collect(run, values)
		if err != nil {
			return err
		}
		c := compensator{plan: p, found: found}
		for _, w := range p.weights[at : at+count] {
			if err := c.quantize(w, func(read int64) {
				if progress != nil {
					progress(min(done+read, done+w.before()), total)
				}
			}); err != nil {
				return fmt.Errorf("weight %q: %w", w.name, err)
			}
			done += w.before()
		}
		at += count
	}
	return nil
}

// factor is a value that a weight is multiplied with, and the number of its elements along the last axis.
type factor struct {
	value string
	rows  int64
}

// together returns the factors of the first weights whose data fits into memory, and how many weights
// these are, at least one.
func together(weights []*packed) ([]factor, int) {
	var out []factor
	var size int64
	for i, w := range weights {
		rows, _ := w.matrix()
		more := slices.DeleteFunc(slices.Clone(w.factors), func(name string) bool { return slices.Contains(out, factor{name, rows}) })
		size += int64(len(more)) * blockwise.HessianBytes(rows)
		if i > 0 && size > hessianBytes {
			return out, i
		}
		for _, name := range more {
			out = append(out, factor{name, rows})
		}
	}
	return out, len(weights)
}

// collect returns the Hessians of values.
func (p *plan) collect(run Activations, factors []factor) (map[string]*blockwise.Hessian, error) {
	found := map[string]*blockwise.Hessian{}
	rows := map[string]int64{}
	var names []string
	for _, f := range factors {
		if found[f.value] != nil {
			continue // a sound model does not multiply it with matrices of other sizes
		}
		found[f.value], rows[f.value] = blockwise.NewHessian(int(f.rows)), f.rows
		names = append(names, f.value)
	}
	err := run(p.ctx, p.model, names, func(value string, last int64, list []float64) error {
		if last != rows[value] {
			return fmt.Errorf("value %q has rows of %d numbers, and is multiplied with a matrix of %d", value, last, rows[value])
		}
		found[value].Add(list)
		return nil
	})
	return found, err
}

// compensator quantizes weights with the Hessians of the values that they are multiplied with. Weights
// that follow each other and are multiplied with the same values share a Compensation.
type compensator struct {
	plan  *plan
	found map[string]*blockwise.Hessian
	last  []string
	by    *blockwise.Compensation
}

func (c *compensator) quantize(w *packed, progress func(read int64)) error {
	if c.by == nil || !slices.Equal(c.last, w.factors) {
		by, err := c.factorized(w)
		if err != nil {
			return err
		}
		c.by, c.last = by, w.factors
	}
	b, err := w.open()
	if err != nil {
		return err
	}
	m, ok := b.(blockwise.Matrix)
	if !ok {
		return fmt.Errorf("a weight of this form cannot be quantized by %s", c.plan.o.Method)
	}
	if c.by.HasDead() {
		c.plan.report.depart(deadInput)
	}
	done, err := m.Compensate(c.plan.ctx, c.by, progress)
	if done == nil || err != nil {
		return c.plan.refuse(w, err)
	}
	w.done, w.measured = done, &done.Measured
	return nil
}

// factorized returns the Compensation for a weight.
func (c *compensator) factorized(w *packed) (*blockwise.Compensation, error) {
	var h *blockwise.Hessian
	rows, _ := w.matrix()
	for _, name := range w.factors {
		x := c.found[name]
		if x.Rows() != rows {
			return nil, fmt.Errorf("value %q is multiplied with matrices of %d and of %d rows", name, x.Rows(), rows)
		}
		if err := x.Check(); err != nil {
			return nil, fmt.Errorf("value %q has infinite numbers or NaN on the data, %w; exclude the nodes that read it", name, err)
		}
		if h == nil {
			h = x.Clone()
			continue
		}
		h.Merge(x)
	}
	return h.Compensation(c.plan.o.Damping, c.plan.o.LargestFirst)
}
