package timing

import (
	"context"
	"errors"
	"fmt"

	"lathe/bench"
	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/text"
)

// addDecodeMemory measures the memory of each model at the largest depth, after all timing has ended,
// and adds it to the tests at that depth.
func (s *Benchmark) addDecodeMemory(ctx context.Context, env session.Env, list []*decoder, tests []*test, w work, report *bench.Report) error {
	if s.NoMemory {
		return nil
	}
	deepest := w.depths[len(w.depths)-1]
	for i, d := range list {
		env.Progress(session.Progress{Phase: "memory of " + d.Path, Done: int64(i), Total: int64(len(list))})
		m, err := d.memory(ctx, env, w, deepest)
		if err != nil {
			return fmt.Errorf("the memory of %s: %w", text.Clean(d.Path), err)
		}
		for k, t := range tests {
			if t.decoder == d && t.depth == deepest {
				report.AddMemory(k, m)
			}
		}
	}
	return nil
}

// memory loads the model in a new worker, which does nothing but read a prompt and generate at a
// depth.
func (d *decoder) memory(ctx context.Context, env session.Env, w work, depth int64) (_ *bench.Memory, err error) {
	how := d.how
	how.Placement = false
	l, err := env.Runtime.Load(ctx, d.Model, how)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	m := &bench.Memory{}
	if m.Load, err = memoryOf(ctx, l); err != nil {
		return nil, err
	}
	alone := *d
	alone.chooser = nil // that of the other worker
	subject := *d.Subject
	subject.Session, alone.Subject = l, &subject
	if err := alone.goTo(ctx, depth, max(w.prompt, w.tokens)); err != nil {
		return nil, err
	}
	if d.plan.Several && (depth == 0 || d.plan.SeveralLater) {
		if _, err := l.Generate(ctx, ort.Generation{Prompt: d.plan.Prompt(w.prompt), Repeat: 1, Timed: true}); err != nil {
			return nil, err
		}
		m.Runs++
	}
	if m.FirstRun, err = memoryOf(ctx, l); err != nil {
		return nil, err
	}
	err = untilSteady(ctx, l, m, func(runs int) (int, error) {
		out, err := l.Generate(ctx, ort.Generation{Steps: int64(runs), Duration: memoryBlock, Wrap: depth + w.tokens, Timed: true})
		if err != nil {
			return 0, err
		}
		return len(out.Steps), nil
	})
	if err != nil {
		return nil, err
	}
	m.Decode = bench.NewDecodeMemory(m, weightsOf(d.Model), d.plan.Bytes(d.mode, depth+max(w.prompt, w.tokens)))
	return m, nil
}

// weightsOf returns the bytes of the model's stored tensors.
func weightsOf(m *graphops.Model) (total int64) {
	for _, p := range m.Places() {
		for _, t := range p.Graph.Initializers() {
			if n, err := tensor.Elements(t.Dims()); err == nil {
				bytes, _ := t.DType().ByteLen(n) // 0 for strings
				total += bytes
			}
		}
	}
	return total
}
