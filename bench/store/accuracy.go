package store

import (
	"errors"
	"fmt"

	"lathe/bench"
)

// Accuracy is the part of the document of lathe accuracy that is shown again when the result is read
// from a file.
type Accuracy struct {
	Headline string          `json:"headline"`
	Verdict  string          `json:"verdict"`
	Data     string          `json:"data"`
	Labels   string          `json:"labels"`
	Models   []AccuracyModel `json:"models"`
}

// AccuracyModel is what was measured of a model. What was not measured is nil.
type AccuracyModel struct {
	Model string        `json:"model"`
	Top1  *Share        `json:"top1"`
	Top5  *Share        `json:"top5"`
	Score *bench.Number `json:"score"`
	Text  *struct {
		Perplexity bench.Number `json:"perplexity"`
		Next       Share        `json:"next"`
	} `json:"text"`
}

// Share is a share of rows with its 95 % interval.
type Share struct {
	Right int64        `json:"right"`
	Of    int64        `json:"of"`
	Share bench.Number `json:"share"`
	Low   bench.Number `json:"low"`
	High  bench.Number `json:"high"`
}

// Accuracy returns the document of a result of kind KindAccuracy. It returns an error for other kinds,
// and for numbers that are not valid.
func (r *Result) Accuracy() (*Accuracy, error) {
	if r.Kind != KindAccuracy {
		return nil, r.isNo(KindAccuracy)
	}
	a := &Accuracy{}
	if err := decode(r.Document, a); err != nil {
		return nil, err
	}
	if len(a.Models) == 0 {
		return nil, errors.New("contains no model")
	}
	for _, m := range a.Models {
		shares := []*Share{m.Top1, m.Top5}
		if m.Text != nil {
			shares = append(shares, &m.Text.Next)
		}
		for _, s := range shares {
			if s != nil && s.Of > 0 && !(0 <= s.Low && s.Low <= s.Share && s.Share <= s.High && s.High <= 1) {
				return nil, fmt.Errorf("model %q: a share of %v with the interval from %v to %v is not possible", m.Model, float64(s.Share), float64(s.Low), float64(s.High))
			}
		}
	}
	return a, nil
}

// measured stores what an accuracy says about the last model, which is the judged one if there are two.
func (e *Entry) measured(a *Accuracy) {
	m := a.Models[len(a.Models)-1]
	if m.Top1 != nil {
		e.Top1, e.Top1CI95 = &m.Top1.Share, &[2]bench.Number{m.Top1.Low, m.Top1.High}
	}
	if m.Text != nil {
		e.Perplexity = &m.Text.Perplexity
	}
	e.Score = m.Score
}
