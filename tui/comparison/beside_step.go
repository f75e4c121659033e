package comparison

import (
	"context"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/weights"
	"lathe/session"
	"lathe/session/reporting"
	"lathe/session/text"
	"lathe/tui/cells"
	"lathe/tui/graph"
	"lathe/tui/sheet"
)

// BesideName is the name of besideStep in the list of jobs.
const BesideName = "two values"

// besideStep runs two models again, up to a value that an earlier comparison reported, and keeps
// that value of both. The workbench can then show where the two differ.
type besideStep struct {
	from reporting.SideBySide
	of   reporting.ComparedValue
	pair *valuePair // the result
}

// valuePair is a value as each of two models computes it. Large values are in a temporary file,
// which is freed together with them.
type valuePair struct {
	a, b   *graphops.Tensor
	Beside tensor.Beside
	Why    string // why nothing can be drawn, safe to print, or ""
}

// Name implements session.Step.
func (s *besideStep) Name() string { return BesideName }

// Summary implements session.Step.
func (s *besideStep) Summary() string { return "computes a value again in two models" }

// Options implements session.Step.
func (s *besideStep) Options() []session.Option { return nil }

// Preview implements session.Step. Nothing is changed, so it is the same as Run.
func (s *besideStep) Preview(ctx context.Context, env session.Env, m *graphops.Model) (session.Preview, error) {
	r, err := s.Run(ctx, env, m)
	return session.Preview{Report: r.Report}, err
}

// Run implements session.Step.
func (s *besideStep) Run(ctx context.Context, env session.Env, _ *graphops.Model) (session.Result, error) {
	a, b, err := s.from.Values(ctx, env, s.of)
	if err != nil {
		return session.Result{}, err
	}
	s.pair, err = NewValuePair(ctx, a, b, func(done, total int64) {
		env.Progress(session.Progress{Phase: "comparing", Done: done, Total: total, Unit: "B"})
	})
	if err != nil {
		return session.Result{}, err
	}
	return session.Result{Report: sheet.DiffGist(s.pair.gist())}, nil
}

// NewValuePair compares two values element by element.
func NewValuePair(ctx context.Context, a, b graphops.Value, progress weights.Progress) (*valuePair, error) {
	p := &valuePair{}
	switch {
	case !a.IsTensor() || !b.IsTensor():
		p.Why = fmt.Sprintf("only tensors can be compared side by side; a is %s, b is %s", a.Type, b.Type)
		return p, nil
	case a.Tensor.DType == tensor.String && b.Tensor.DType == tensor.String:
		m, err := tensor.Compare(a.Tensor, b.Tensor, tensor.Tolerance{})
		if err != nil {
			return nil, err
		}
		p.Beside.Metrics, p.Why = m, fmt.Sprintf("strings have no numeric error; %d of %d differ", m.Mismatched, m.Total)
		if w := m.Worst; w != nil {
			p.Why += fmt.Sprintf(", the first at %v: a %.60q, b %.60q", w.Index, w.TextA, w.TextB)
		}
		p.Why = cells.Prose(p.Why)
		return p, nil
	}
	var err error
	var scratch graphops.Scratch
	for _, side := range []struct {
		to   **graphops.Tensor
		from graphops.Value
	}{{&p.a, a}, {&p.b, b}} {
		data, err := payloadOf(side.from, &scratch)
		if err != nil {
			return nil, err
		}
		*side.to = graphops.NewTensor("", side.from.Tensor.DType, side.from.Tensor.Shape, data)
	}
	if p.Beside, err = weights.Beside(ctx, p.a, p.b, progress); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		p.Why = cells.Prose(err.Error())
	}
	return p, nil
}

// payloadOf returns the elements of a numeric tensor. If they are in memory, it copies them to the
// scratch file, so that a large value does not stay in memory.
func payloadOf(v graphops.Value, scratch *graphops.Scratch) (graphops.Payload, error) {
	if v.Stored == nil {
		return scratch.Keep(v.Tensor.Data)
	}
	count, err := tensor.Elements(v.Tensor.Shape)
	if err != nil {
		return graphops.Payload{}, err
	}
	n, err := v.Tensor.DType.ByteLen(count)
	return graphops.StoredPayload(v.Stored, n), err
}

// gist describes the result in a line.
func (p *valuePair) gist() string {
	m := p.Beside.Metrics
	switch {
	case p.Why != "":
		return p.Why
	case m.Total == 0:
		return "the value has no elements"
	}
	odd := ""
	if n := m.NaNMismatched + m.InfMismatched; n > 0 {
		odd = text.Count(n) + " NaN or infinite on one side, "
	}
	return odd + fmt.Sprintf("max abs %s, rms %s, snr %s dB, %s of %s equal", graph.Brief(m.MaxAbs), graph.Brief(m.RMS), graph.Decimal(m.SNR), text.Count(p.Beside.Equal), text.Count(m.Total))
}
