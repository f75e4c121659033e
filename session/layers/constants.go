package layers

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// compareConstants compares the constants that both models share. If a value is a constant in one
// model and computed in the other, the constant is only stored here. It is compared when the other
// model has computed its value.
func (c *comparison) compareConstants() error {
	for _, l := range c.layers {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		b, isB := constantOf(c.m.B, l.Pair.B)
		a, isA := constantOf(c.m.A, l.Pair.A)
		if isA && !isB {
			value, err := a.Read()
			if err != nil {
				return fmt.Errorf("a: constant %q: %w", l.A, err)
			}
			c.values.fix(l.Pair.A, graphops.TensorValue(value))
		}
		if !isB {
			continue
		}
		if !isA {
			value, err := b.Read()
			if err != nil {
				return fmt.Errorf("b: constant %q: %w", l.B, err)
			}
			c.valuesB.put(l.Pair.B, graphops.TensorValue(value))
			continue
		}
		l.seen, l.done, l.EqualInputs = true, true, true
		l.TypeB = graphops.Type{Kind: graphops.TypeTensor, Elem: b.DType(), Shape: graphops.FixedShape(b.Dims())}
		l.Type = graphops.Type{Kind: graphops.TypeTensor, Elem: a.DType(), Shape: graphops.FixedShape(a.Dims())}
		g, err := c.constantGap(l, a, b)
		if err != nil {
			return err
		}
		l.same, l.localSame = g.same, g.same
		l.Local, l.Reason, l.Tolerance = g.metrics, g.reason, g.tolerance
		l.Accumulated, l.AccumulatedReason = g.metrics, g.reason
	}
	return nil
}

// constantGap compares two constants. If both refer to the same bytes of the same file, they are
// equal and are not read.
func (c *comparison) constantGap(l *layer, a, b *graphops.Tensor) (gap, error) {
	if a.DType() != tensor.String && b.DType() != tensor.String {
		pa, errA := a.Data()
		pb, errB := b.Data()
		if errA == nil && errB == nil && a.DType() == b.DType() && pa.SameRange(pb) {
			n, _ := a.Elements()
			return gap{same: true, metrics: equalMetrics(n)}, nil
		}
	}
	ta, err := a.Read()
	if err != nil {
		return gap{}, fmt.Errorf("a: constant %q: %w", l.A, err)
	}
	tb, err := b.Read()
	if err != nil {
		return gap{}, fmt.Errorf("b: constant %q: %w", l.B, err)
	}
	return c.gapOf(l, graphops.TensorValue(ta), graphops.TensorValue(tb)), nil
}

// constantOf returns the tensor of an initializer, or that of a Constant node.
func constantOf(m *graphops.Model, v graphops.ValueID) (*graphops.Tensor, bool) {
	x := m.Graph().Index()
	if t := x.Initializer(v); t != nil && x.Producer(v) < 0 {
		return t, true
	}
	if !isConstant(m, v) {
		return nil, false
	}
	for _, a := range m.Graph().Nodes()[x.Producer(v)].Attributes() {
		if t, err := a.Dense(x.Name(v)); err == nil {
			return t, true
		}
	}
	return nil, false
}
