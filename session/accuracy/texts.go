package accuracy

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"lathe/session"
	"lathe/session/generating"
	"lathe/session/labels"
	"lathe/session/proportion"
	"lathe/session/sides"
	"lathe/session/text"
)

// onTexts measures decoders on texts.
func (s *Accuracy) onTexts(ctx context.Context, env session.Env) (*Report, []*sides.Executor, error) {
	texts, err := labels.Texts(s.Tokens)
	if err != nil {
		return nil, nil, err
	}
	if s.Samples > 0 {
		texts = texts[:min(int64(len(texts)), s.Samples)]
	}
	readers, err := s.Of.Readers(ctx, env)
	if err != nil {
		return nil, nil, err
	}
	defer readers.Close()
	r := newReport(readers.Models)
	t := &TextsReport{Source: filepath.Base(s.Tokens), Texts: len(texts)}
	if texts, err = s.pieces(t, texts, readers, r); err != nil {
		return nil, nil, err
	}
	prompts, err := readers.Prompts(ctx, texts)
	if err != nil {
		return nil, nil, err
	}
	of := newReading(len(readers.Sides))
	of.losses.pieces = t.Cut > 0
	for i, p := range prompts {
		env.Progress(session.Progress{Phase: "reading", Done: int64(i), Total: int64(len(prompts)), Unit: "texts"})
		of.text()
		if err := generating.Read(ctx, readers.Sides, p, of.token); err != nil {
			return nil, nil, fmt.Errorf("text %d: %w", i, err)
		}
	}
	slices.Sort(readers.Notes)
	r.Notes = append(r.Notes, slices.Compact(readers.Notes)...)
	r.Texts = t
	of.report(r)
	return r, readers.Models, nil
}

// pieces divides texts that are longer than the window. Texts of one token say nothing.
func (s *Accuracy) pieces(t *TextsReport, texts [][]int64, readers *sides.Readers, r *Report) (out [][]int64, err error) {
	window, why := s.Window, "--window"
	if window == 0 {
		window, why = readers.Context()
	}
	cut, short := 0, 0
	for _, ids := range texts {
		size := len(ids)
		if window > 0 && int64(size) > window {
			size = int(window)
			cut++
		}
		for piece := range slices.Chunk(ids, size) {
			if len(piece) < 2 {
				short++
				continue
			}
			out = append(out, piece)
		}
	}
	if t.Window = window; cut > 0 {
		t.Cut = cut
		r.Notes = append(r.Notes, fmt.Sprintf("%s longer than %d tokens (%s): read in pieces of that length, each without what is before it", text.Plural(cut, "text"), window, text.Clean(why)))
	}
	if short > 0 {
		r.Notes = append(r.Notes, fmt.Sprintf("%s of one token left out: nothing predicts a first token", text.Plural(short, "piece")))
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: no text has two tokens, and the first one is not predicted", s.Tokens)
	}
	return out, nil
}

// reading counts what models say about the tokens of texts.
type reading struct {
	models []counts
	pairs  proportion.Pairs // the next token is the best one
	same   int64            // both have the same best token
	left   int64            // tokens for which a model has no distribution
	losses losses           // of B less those of A
}

// counts are those of a model.
type counts struct {
	nll      float64
	tokens   int64
	right    int64
	unusable int64
}

func newReading(models int) *reading { return &reading{models: make([]counts, models)} }

// text begins a text.
func (r *reading) text() { r.losses.begin() }

// token counts what the models say about a token. A token counts only if all of them have a distribution.
func (r *reading) token(_ int, token int64, of []generating.Reading) {
	usable := true
	for k, x := range of {
		if !x.Usable {
			r.models[k].unusable++
			usable = false
		}
	}
	if !usable {
		r.left++
		return
	}
	for k, x := range of {
		m := &r.models[k]
		m.tokens++
		m.nll += x.NLL
		if int64(x.Best) == token {
			m.right++
		}
	}
	if len(of) == 2 {
		r.pairs.Add(int64(of[0].Best) == token, int64(of[1].Best) == token)
		if of[0].Best == of[1].Best {
			r.same++
		}
		r.losses.add(of[1].NLL - of[0].NLL)
	}
}
