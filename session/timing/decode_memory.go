package timing

import (
	"context"

	"lathe/bench"
	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/ort"
)

// addDecodeMemory measures the memory of each model at the largest depth, after all timing has ended,
// and adds it to the tests at that depth. See addMemory for the notes and the error.
func (s *Benchmark) addDecodeMemory(ctx context.Context, env session.Env, list []*decoder, tests []*test, w work, report *bench.Report) (notes []string, err error) {
	if s.NoMemory {
		return nil, nil
	}
	deepest := w.depths[len(w.depths)-1]
	for i, d := range list {
		env.Progress(session.Progress{Phase: "memory of " + d.Path, Done: int64(i), Total: int64(len(list))})
		m, err := d.memory(ctx, env, w, deepest)
		switch {
		case ctx.Err() != nil:
			return notes, ctx.Err()
		case err != nil:
			notes = append(notes, noMemory(d.Path, err))
			continue
		}
		for k, t := range tests {
			if t.decoder == d && t.depth == deepest {
				report.AddMemory(k, m)
			}
		}
	}
	return notes, nil
}

// memory loads the model in a new worker, which does nothing but read a prompt and generate at a
// depth.
func (d *decoder) memory(ctx context.Context, env session.Env, w work, depth int64) (*bench.Memory, error) {
	how := d.how
	how.Placement = false
	l, err := env.Runtime.Load(ctx, d.Model, how)
	if err != nil {
		return nil, err
	}
	defer func() { _ = l.Close() }() // the readings are complete, or there is another error
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
