package half

import (
	"context"
	"fmt"
	"io"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// tell returns a report of the nodes, with warnings.
func (c *converter) tell() *Report {
	r := &Report{Casts: len(c.casts), Dropped: c.dropped}
	counted := map[*rewrite.Value]bool{}
	precise := 0
	for _, p := range c.ordered {
		at := p.site
		switch {
		case c.isUncalled(p.graph), p.spec.IsConstant():
		case p.converts():
			weight, size := c.weight(p, counted)
			r.Converted = append(r.Converted, Converted{at.Place, at.Node, p.spec.Name(), p.spec.OpType(), weight, size, p.inputs})
			if p.spec.Is("Cast") && len(p.inputs) == 1 && c.of(p.inputs[0]).typ.Elem == c.to {
				precise++
			}
		case p.floats && p.kept != "":
			r.Kept = append(r.Kept, Kept{at.Place, at.Node, p.spec.Name(), p.spec.OpType(), p.kept})
		}
	}
	for _, v := range c.model.Graphs()[0].Inputs() {
		if known := c.of(v); known.constant && known.narrow && c.o.KeepIO && c.source.IRVersion() >= graphops.OptionalInputsIR {
			r.Warnings = append(r.Warnings, fmt.Sprintf("input %q has a weight as its default value and therefore also has type %s", v.Name(), c.to))
		}
	}
	if precise > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the model has %d Casts from %s to float32: nodes after them that computed in float32 compute in %s now; exclude these nodes to avoid it", precise, c.to, c.to))
	}
	return r
}

// weight returns the name of the first converted constant that the node reads, and the size of those
// that are not counted yet.
func (c *converter) weight(p *plan, counted map[*rewrite.Value]bool) (name string, bytes int64) {
	for _, v := range p.inputs {
		if c.stored[v] == nil {
			continue
		}
		if name == "" {
			name = v.Name()
		}
		if size, err := c.stored[v].ByteLen(); err == nil && !counted[v] {
			counted[v] = true
			bytes += size
		}
	}
	return name, bytes
}

// count reads the converted weights, and counts the numbers in them that the conversion changes by
// more than rounding. It also lists the initializers that stay in float32.
func (c *converter) count(r *Report, progress func(done, total int64)) error {
	m := &meter{ctx: c.ctx, hear: progress}
	for _, t := range c.stored {
		if n, err := t.ByteLen(); err == nil {
			m.total += n
		}
	}
	for _, g := range c.model.Graphs() {
		for _, v := range g.Values() {
			if t := c.stored[v]; t != nil {
				data, err := t.Data()
				if err != nil {
					return fmt.Errorf("weight %q: %w", v.Name(), err)
				}
				m.src = data.Reader()
				found, err := c.o.narrowing(c.to).Count(m, data.Len()/4)
				if err != nil {
					return fmt.Errorf("weight %q: %w", v.Name(), err)
				}
				r.Weights = append(r.Weights, Weight{v.Name(), g.Place(), found})
			} else if t := v.Stored(); t != nil && t.DType() == tensor.F32 {
				n, _ := t.Elements()
				r.Wide = append(r.Wide, Weight{v.Name(), g.Place(), tensor.Narrowed{Elements: n}})
			}
		}
	}
	return nil
}

// meter is a reader that reports progress, and fails when the context is cancelled.
type meter struct {
	ctx         context.Context
	src         io.Reader
	done, total int64
	hear        func(done, total int64)
}

// Read implements io.Reader.
func (m *meter) Read(p []byte) (int, error) {
	if err := m.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := m.src.Read(p)
	m.done += int64(n)
	if m.hear != nil {
		m.hear(m.done, m.total)
	}
	return n, err
}
