package generating

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/generation"
)

// Run runs a model and returns all its outputs.
type Run func(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error)

// Model is a model that takes tokens.
type Model struct {
	Name string // within its folder; "" if it is the only one
	Run  Run
	Plan *generation.Plan
}

// Side is what generates.
type Side struct {
	Decoder Model
	// First makes the first run, if the decoder does not. Carry says which of its outputs the inputs of
	// the decoder get.
	First *Model
	Carry map[string]string
}

// Words is the number of different tokens, 0 if it is not known.
func (s *Side) Words() int64 {
	if s.First != nil && s.Decoder.Plan.Words == 0 {
		return s.First.Plan.Words
	}
	return s.Decoder.Plan.Words
}

// Given are inputs that other models made for a prompt, such as an encoder.
type Given struct{ First, Decoder graphops.Feeds }

// made is the last run of a walk.
type made struct {
	fed   graphops.Feeds
	empty bool // it had no positions in its caches
}

// walk is a side on its way. A copy of it goes on independently.
type walk struct {
	side    *Side
	given   Given
	state   generation.State
	history []int64 // of a model without a cache
	last    made
	began   bool
}

func (s *Side) begin(given Given, capacity int64) (*walk, error) {
	w := &walk{side: s, given: given}
	var err error
	w.state, err = s.Decoder.Plan.Begin(capacity)
	return w, err
}

// branch returns a walk that goes on from here.
func (w *walk) branch() *walk {
	other := *w
	other.history = slices.Clone(w.history)
	return &other
}

// feed takes tokens and returns the scores after each of them, or only after the last ones if the model
// returns no others.
func (w *walk) feed(ctx context.Context, ids []int64) ([]row, error) {
	m := w.next()
	several := m.Plan.Several
	if w.began {
		several = m.Plan.SeveralLater
	}
	if several || len(ids) == 1 || !m.Plan.Cached() && w.side.First == nil {
		return w.once(ctx, m, ids)
	}
	var out []row
	for _, id := range ids {
		rows, err := w.once(ctx, w.next(), []int64{id})
		if err != nil {
			return nil, err
		}
		out = append(out, rows...)
	}
	return out, nil
}

// next is the model of the next run.
func (w *walk) next() *Model {
	if !w.began && w.side.First != nil {
		return w.side.First
	}
	return &w.side.Decoder
}

func (w *walk) once(ctx context.Context, m *Model, ids []int64) ([]row, error) {
	first := m == w.side.First
	state, fed := w.state, ids
	switch {
	case first:
		state = generation.State{}
	case !m.Plan.Cached():
		w.history = append(w.history, ids...)
		state, fed = generation.State{}, w.history
	}
	feeds, err := m.Plan.Feeds(state, repeated(fed, m.Plan.Batch))
	if err != nil {
		return nil, err
	}
	if first {
		maps.Copy(feeds, w.given.First)
	} else {
		maps.Copy(feeds, w.given.Decoder)
	}
	got, err := m.Run(ctx, feeds)
	if err != nil {
		return nil, err
	}
	w.last, w.began = made{feeds, state.Position == 0}, true
	switch {
	case first:
		err = w.carry(got, int64(len(ids)))
	case m.Plan.Cached():
		w.state, err = m.Plan.After(state, int64(len(ids)), got)
	}
	if err != nil {
		return nil, err
	}
	return rowsOf(m, got, len(ids))
}

// carry hands what the first run made to the decoder.
func (w *walk) carry(got []graphops.Got, fresh int64) error {
	next := generation.State{Position: fresh, Caches: maps.Clone(w.state.Caches)}
	given := maps.Clone(w.given.Decoder)
	if given == nil {
		given = graphops.Feeds{}
	}
	for to, from := range w.side.Carry {
		i := slices.IndexFunc(got, func(g graphops.Got) bool { return g.Name == from })
		if i < 0 {
			return fmt.Errorf("the first run did not return %q, which the input %q gets", from, to)
		}
		if _, cache := next.Caches[to]; cache {
			next.Caches[to] = got[i].Value
		} else {
			given[to] = got[i].Value
		}
	}
	w.state, w.given.Decoder = next, given
	return nil
}

// repeated returns the ids once for each sequence of a batch.
func repeated(ids []int64, batch int64) []int64 { return slices.Repeat(ids, int(max(batch, 1))) }

// rowsOf returns the scores at the last positions of the first sequence: at most one row for each of the
// new ones.
func rowsOf(m *Model, got []graphops.Got, fresh int) ([]row, error) {
	i := slices.IndexFunc(got, func(g graphops.Got) bool { return g.Name == m.Plan.Logits })
	if i < 0 || !got[i].Value.IsTensor() || len(got[i].Value.Tensor.Shape) == 0 {
		return nil, fmt.Errorf("the run returned no scores in %q", m.Plan.Logits)
	}
	t := got[i].Value.Tensor
	words, n := t.Shape[len(t.Shape)-1], t.Len()
	if words == 0 || n == 0 || n/words%m.Plan.Batch != 0 || t.DType.Kind() != tensor.KindFloat {
		return nil, fmt.Errorf("the scores in %q are %s %s, expected numbers with a row for each sequence", m.Plan.Logits, t.DType, tensor.FormatShape(t.Shape))
	}
	flat := tensor.Tensor{DType: t.DType, Shape: []int64{n / words, words}, Data: t.Data}
	count := n / words / m.Plan.Batch
	var out []row
	for at := max(0, count-int64(fresh)); at < count; at++ {
		part, err := flat.Rows(at, at+1)
		if err != nil {
			return nil, err
		}
		out = append(out, row{part})
	}
	return out, nil
}
