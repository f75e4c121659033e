package half

import (
	"context"
	"fmt"
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/tensor"
)

// tell adds the nodes, departures and warnings to the report.
func (c *converter) tell(r *Report) {
	counted := map[*definition]bool{}
	for _, p := range c.model.Places() {
		if p.Function != nil && c.uncalled[p.Function.Key()] {
			continue
		}
		for i, n := range p.Graph.Nodes() {
			plan := c.plans[p.ID][i]
			switch {
			case n.IsConstant():
			case plan.converts():
				r.Converted = append(r.Converted, c.converted(p, i, n, counted))
				c.departOfNode(r, p, n, plan)
			case plan.floats && plan.kept != "":
				r.Kept = append(r.Kept, Kept{p, i, n.Name(), n.OpType(), plan.kept})
				if plan.departs != "" {
					r.depart(plan.departs)
				}
			}
		}
	}
	c.departOfPlaces(r)
	c.warn(r)
}

func (c *converter) converted(p *graphops.Place, i int, n *graphops.Node, counted map[*definition]bool) Converted {
	out := Converted{Place: p, Index: i, Node: n.Name(), Op: n.OpType()}
	for _, name := range n.Inputs() {
		d := c.lookup(p, name)
		if d == nil || c.stored[d] == nil {
			continue
		}
		if out.Weight == "" {
			out.Weight = d.name
		}
		if size, err := c.stored[d].ByteLen(); err == nil && !counted[d] {
			counted[d] = true
			out.Bytes += size
		}
	}
	return out
}

// departOfNode notes a departure if the node was converted but some of its float32 inputs or
// outputs stay in float32.
func (c *converter) departOfNode(r *Report, p *graphops.Place, n *graphops.Node, plan plan) {
	for i, d := range c.given(p, n.Inputs()) {
		if d != nil && d.form == dense && !plan.in[i] && !c.referenceKeeps(p, n, i) {
			r.depart(SchemaType)
		}
	}
	for i, d := range c.given(p, n.Outputs()) {
		if d != nil && d.form == dense && !plan.out[i] {
			r.depart(SchemaType)
		}
	}
}

// referenceKeeps reports whether the reference, too, keeps input i of the node in float32.
func (c *converter) referenceKeeps(p *graphops.Place, n *graphops.Node, i int) bool {
	switch n.OpType() {
	case "Resize":
		return i == 2 || i == 1 && c.opset(p, graphops.DefaultDomain) <= 10
	case "GroupNorm", "SkipGroupNorm":
		return i == 1 || i == 2
	}
	return false
}

// departOfCast notes the departures that a Cast of the value means: the reference would not add it,
// or would add it in another graph.
func (e *emission) departOfCast(d *definition) {
	if d.place.Kind == graphops.BodyGraph {
		e.report.depart(BodyCast)
	}
	if isSparse(d) {
		e.report.depart(SparseConstant)
	}
	if e.c.undeclared(d) {
		e.report.depart(UndeclaredType)
	}
}

// isSparse reports whether the value is a sparse initializer or the output of a Constant with a
// sparse value.
func isSparse(d *definition) bool {
	if !d.constant {
		return false
	}
	if d.producer < 0 {
		id, ok := d.place.Graph.Index().Value(d.name)
		return ok && d.place.Graph.Index().Initializer(id) == nil
	}
	_, sparse := d.place.Graph.Nodes()[d.producer].Attribute("sparse_value")
	return sparse
}

// undeclared reports whether the reference does not know the type of the value. It does not if the
// file does not declare the type, and if the value is computed from the output of an operator that
// is not part of ONNX.
func (c *converter) undeclared(d *definition) bool {
	if found, ok := c.strange[d]; ok {
		return found
	}
	c.strange[d] = false // this ends the recursion in a cycle
	x := d.place.Graph.Index()
	if id, ok := x.Value(d.name); d.producer < 0 || ok && x.Type(id).Kind != graphops.TypeUnknown {
		return false
	}
	n := d.place.Graph.Nodes()[d.producer]
	if f, isCall := c.functions[n.Calls()]; isCall {
		return slices.ContainsFunc(f.Graph.Outputs(), func(v *graphops.ValueInfo) bool {
			made := c.lookup(f, v.Name())
			return made != nil && c.undeclared(made)
		})
	}
	schema, ok := opschema.Find(n.Domain(), n.OpType(), c.opset(d.place, n.Domain()))
	found := !ok || schema.Runtime || schema.Since == 1 && uninferred(n, slices.Index(n.Outputs(), d.name))
	for _, from := range c.given(d.place, n.Inputs()) {
		found = found || from != nil && c.undeclared(from)
	}
	c.strange[d] = found
	return found
}

// uninferredFrom lists operators of ai.onnx.ml for which the inference of onnx 1.23 finds no output
// types in version 1. The number is the position of the first output without a type.
var uninferredFrom = map[string]int{
	"FeatureVectorizer": 0, "Imputer": 0, "LinearRegressor": 0, "Normalizer": 0, "SVMRegressor": 0, "Scaler": 0, "TreeEnsembleRegressor": 0,
	"SVMClassifier": 1, "TreeEnsembleClassifier": 1,
}

func uninferred(n *graphops.Node, output int) bool {
	from, known := uninferredFrom[n.OpType()]
	return known && n.Domain() == "ai.onnx.ml" && output >= from
}

// readAsIs notes a departure if a float32 node reads the float32 output of another node without a
// Cast.
func (e *emission) readAsIs(d *definition, narrow bool) {
	if d.form == dense && !narrow && !d.constant && !e.c.keptPlace(d.place) {
		e.report.depart(RoundedBetween)
	}
}

// departOfPlaces notes the departures that do not belong to a single node or Cast.
func (c *converter) departOfPlaces(r *Report) {
	named := map[string]bool{}
	for _, p := range c.model.Places() {
		for _, t := range p.Graph.Initializers() {
			if c.keptPlace(p) {
				break
			}
			if t.DType() == tensor.F32 && named[t.Name()] {
				r.depart(ShadowedName)
			}
			named[t.Name()] = named[t.Name()] || t.DType() == tensor.F32
		}
	}
	if c.overruled {
		r.depart(OverruledConstant)
	}
	if c.wideSequences {
		r.depart(SequenceCast)
	}
	main := c.model.Places()[0]
	for _, v := range main.Graph.Outputs() {
		if d := c.lookup(main, v.Name()); d != nil && d.constant && d.producer < 0 && d.form == dense && !c.o.AllWeights {
			r.depart(OutputWeight)
		}
	}
	for _, v := range main.Graph.Inputs() {
		if d := c.lookup(main, v.Name()); d != nil && d.constant && d.form == dense && (c.o.keepsIO(d.name) || !d.narrow) {
			r.depart(InputWeight)
		}
	}
}

// warn adds warnings about inputs that get the target type although they should not, and about
// nodes that were protected by a Cast to float32.
func (c *converter) warn(r *Report) {
	for _, v := range c.model.Graph().Inputs() {
		d := c.lookup(c.model.Places()[0], v.Name())
		if d != nil && d.constant && d.narrow && c.o.KeepIO && c.model.IRVersion() >= graphops.OptionalInputsIR {
			r.Warnings = append(r.Warnings, fmt.Sprintf("input %q has a weight as its default value and therefore also has type %s", v.Name(), c.to))
		}
	}
	precise := 0
	for _, p := range c.model.Places() {
		for i, n := range p.Graph.Nodes() {
			if n.Is("Cast") && len(n.Inputs()) == 1 && c.plans[p.ID][i].converts() {
				if d := c.lookup(p, n.Inputs()[0]); d != nil && d.typ.Elem == c.to {
					precise++
				}
			}
		}
	}
	if precise > 0 {
		r.Warnings = append(r.Warnings, fmt.Sprintf("the model has %d Casts from %s to float32: nodes after them that computed in float32 compute in %s now; exclude these nodes to avoid it", precise, c.to, c.to))
	}
}

// count reads the converted weights, and counts the numbers in them that the conversion changes by
// more than rounding.
func (c *converter) count(r *Report, progress func(done, total int64)) error {
	total := int64(0)
	var list []*definition
	for _, defs := range c.defs {
		for _, d := range defs {
			if d == nil || c.stored[d] == nil {
				continue
			}
			list = append(list, d)
			if n, err := c.stored[d].ByteLen(); err == nil {
				total += n
			}
		}
	}
	m := &meter{ctx: c.ctx, total: total, hear: progress}
	for _, d := range list {
		data, err := c.stored[d].Data()
		if err != nil {
			return fmt.Errorf("weight %q: %w", d.name, err)
		}
		m.src = data.Reader()
		found, err := c.o.narrowing(c.to).Count(m, data.Len()/4)
		if err != nil {
			return fmt.Errorf("weight %q: %w", d.name, err)
		}
		r.Weights = append(r.Weights, Weight{d.name, d.place, found})
	}
	r.Wide = c.wideWeights()
	return nil
}

// wideWeights returns the initializers that stay in float32.
func (c *converter) wideWeights() []Weight {
	var out []Weight
	for _, p := range c.model.Places() {
		for _, t := range p.Graph.Initializers() {
			d := c.lookup(p, t.Name())
			if t.DType() != tensor.F32 || d == nil || d.narrow {
				continue
			}
			n, _ := t.Elements()
			out = append(out, Weight{t.Name(), p, tensor.Narrowed{Elements: n}})
		}
	}
	return slices.Clip(out)
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
