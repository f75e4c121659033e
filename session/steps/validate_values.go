package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/inputs"
	"lathe/session/layers"
)

var _ session.SideBySide = (*ValidateReport)(nil)

// rerun is what it takes to make compared values again.
type rerun struct {
	step   Validate
	models [2]*graphops.Model // nil of a side without
	layers *layers.Result
}

// rerunOf remembers how a pair was run. Nothing is saved again.
func (s *Validate) rerunOf(p *pairing) *rerun {
	again := &rerun{step: *s}
	again.step.SaveFailing = ""
	again.models[1] = p.models[len(p.models)-1].model
	if len(p.models) > 1 {
		again.models[0] = p.models[0].model
	}
	return again
}

// Compared implements session.SideBySide.
func (r *ValidateReport) Compared() (*compare.Report, *layers.Report) {
	return r.Report, r.layersReport
}

// Models implements session.SideBySide.
func (r *ValidateReport) Models() (a, b *graphops.Model) {
	if r.again == nil {
		return nil, nil
	}
	return r.again.models[0], r.again.models[1]
}

// Values implements session.SideBySide.
func (r *ValidateReport) Values(ctx context.Context, env session.Env, of session.ComparedValue) (a, b graphops.Value, err error) {
	switch {
	case r.again == nil:
		return a, b, errors.New("this report was not made by a run that could be taken again")
	case of.Output == "":
		return r.again.layer(ctx, env, of)
	}
	i := slices.IndexFunc(r.Pairs, func(p compare.Pair) bool { return p.A == of.Output })
	if i < 0 {
		return a, b, fmt.Errorf("output %q was not compared", of.Output)
	}
	return r.again.output(ctx, env, of.Case, r.Pairs[i])
}

// layer makes a layer's value again.
func (r *rerun) layer(ctx context.Context, env session.Env, of session.ComparedValue) (a, b graphops.Value, err error) {
	if r.layers == nil {
		return a, b, errors.New("the layers were not compared")
	}
	what, err := r.step.against()
	if err != nil {
		return a, b, err
	}
	p, err := r.step.pair(ctx, env, what)
	if err != nil {
		return a, b, err
	}
	defer p.close()
	onA, onB, err := r.step.sidesOf(ctx, env, p)
	defer func() { onA.close(); onB.close() }()
	if err != nil {
		return a, b, err
	}
	env.Progress(session.Progress{Phase: "running up to the value"})
	return r.layers.Values(ctx, onA.On, onB.On, of.Layer, of.Local)
}

// output makes an output again, of the files as they are.
func (r *rerun) output(ctx context.Context, env session.Env, name string, pair compare.Pair) (a, b graphops.Value, err error) {
	s := r.step
	what, err := s.against()
	if err != nil {
		return a, b, err
	}
	p, err := s.pair(ctx, env, what)
	if err != nil {
		return a, b, err
	}
	defer p.close()
	o, err := s.judging(p)
	if err != nil {
		return a, b, err
	}
	env.Progress(session.Progress{Phase: "making inputs"})
	cases, err := s.prepare(p, o)
	if err == nil {
		err = s.compared(&cases, what, p.models[0].session.Outputs())
	}
	if err != nil {
		return a, b, err
	}
	at := slices.IndexFunc(cases.Cases, func(c inputs.Case) bool { return c.Name == name })
	if at < 0 {
		return a, b, fmt.Errorf("case %q is not among those that are made this time", name)
	}
	env.Progress(session.Progress{Phase: "running"})
	return compare.Values(ctx, p.a, p.b, cases.Cases[at], pair)
}
