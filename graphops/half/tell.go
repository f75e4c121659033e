package half

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/rewrite"
	"lathe/graphops/tensor"
)

// tell returns a report of the nodes, with warnings.
func (c *converter) tell() *Report {
	r := &Report{Casts: len(c.casts), Dropped: c.dropped}
	counted := map[*rewrite.Value]bool{}
	precise := 0
	r.Converted = make([]Converted, 0, len(c.ordered))
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
		of, ok := c.stored[v]
		if !ok {
			continue
		}
		if name == "" {
			name = v.Name()
		}
		if size, err := of.tensor.ByteLen(); err == nil && !counted[v] {
			counted[v] = true
			bytes += size
		}
	}
	return name, bytes
}

// list lists the constants that were converted, and the initializers that stay in float32.
func (c *converter) list(r *Report) {
	for _, g := range c.model.Graphs() {
		for _, v := range g.Values() {
			if of, ok := c.stored[v]; ok {
				n, _ := of.tensor.Elements()
				r.Weights = append(r.Weights, Weight{v.Name(), g.Place(), tensor.Narrowed{Elements: n}, of})
			} else if t := v.Stored(); t != nil && t.DType() == tensor.F32 {
				n, _ := t.Elements()
				r.Wide = append(r.Wide, Weight{v.Name(), g.Place(), tensor.Narrowed{Elements: n}, source{}})
			}
		}
	}
}
