package reduce

import (
	"context"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// polish removes outputs that the symptom does not need, and declares the types of the others if
// the symptom stays.
func (r *reduction) polish(ctx context.Context) error {
	if err := r.dropOutputs(ctx); err != nil {
		return err
	}
	p, err := r.declared(ctx)
	if err != nil || p.B == nil {
		return err
	}
	_, err = r.keeps(ctx, p, r.result.Symptom.same)
	return err
}

func (r *reduction) dropOutputs(ctx context.Context) error {
	outputs := r.result.B.Graph().Outputs()
	if len(outputs) < 2 {
		return nil
	}
	whole := r.result.Part
	names := make([]int, len(outputs))
	for i := range names {
		names[i] = i
	}
	return (&search{fails: func(set []int) (bool, error) {
		p := whole
		p.B = withOutputs(whole.B, set)
		if p.A == whole.B {
			p.A = p.B
		} else if p.A != nil {
			p.A = withOutputs(whole.A, set)
		}
		return r.keeps(ctx, p, r.result.Symptom.same)
	}}).minimize(names)
}

// withOutputs keeps only some of a model's outputs, by index.
func withOutputs(m *graphops.Model, set []int) *graphops.Model {
	e := graphops.Edit(m)
	all := e.Outputs
	e.Outputs = nil
	for _, i := range set {
		if i < len(all) {
			e.Outputs = append(e.Outputs, all[i])
		}
	}
	return e.Model()
}

// declared returns the part with types for outputs that have none, since other programs than the
// runtime require them. It returns an empty part if there is nothing to declare.
func (r *reduction) declared(ctx context.Context) (Part, error) {
	p := r.result.Part
	b, err := declare(ctx, p.B)
	if err != nil || b == p.B && (p.A == nil || p.A == p.B) {
		return Part{}, err
	}
	if p.A == p.B {
		p.A = b
	} else if p.A != nil {
		if p.A, err = declare(ctx, p.A); err != nil {
			return Part{}, err
		}
	}
	p.B = b
	return p, nil
}

func declare(ctx context.Context, m *graphops.Model) (*graphops.Model, error) {
	types, err := shape.Infer(ctx, m, shape.Options{})
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return m, nil // without inferred types the model stays as it is
	}
	e, changed := graphops.Edit(m), false
	for i, o := range e.Outputs {
		v, ok := m.Graph().Index().Value(o.Name())
		if !ok || isKnown(o.Type()) {
			continue
		}
		if t := types.Type(m.Places()[0], v); isKnown(t) {
			e.Outputs[i], changed = graphops.NewValueInfo(o.Name(), t), true
		}
	}
	if !changed {
		return m, nil
	}
	return e.Model(), nil
}
