package mixed

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/accuracy"
	"lathe/session/proportion"
	"lathe/session/search"
)

// isLoss reports whether a target limits the loss of accuracy.
func isLoss(t search.Target) bool { return t.Measure == search.Top1Loss }

// label finds the correct classes if they are known. Without a target or an option that needs them, a
// reason why they cannot be used is a note.
func (s *Auto) label(t *tester, targets []search.Target) error {
	cases := t.on.Cases.Cases
	needed := s.Labels != "" || s.Output != "" || slices.ContainsFunc(targets, isLoss)
	if cases[0].Labels == nil && s.Labels == "" {
		if needed {
			return session.UsageError("the data has no labels, so that the loss of accuracy cannot be measured; give them with --labels FILE")
		}
		return nil
	}
	whole := t.on.All && s.Samples == 0
	var err error
	t.labelled, err = accuracy.Label(s.Labels, s.Output, whole, cases, t.on.Outputs())
	switch {
	case err != nil && !needed:
		t.notes = append(t.notes, "the accuracy is not measured: "+err.Error())
	case err != nil:
		return fmt.Errorf("the accuracy cannot be measured: %w", err)
	case t.labelled.Original.Of == 0:
		return errors.New("the accuracy cannot be measured: the data has no rows")
	default:
		t.notes = append(t.notes, t.labelled.Notes...)
	}
	return nil
}

// labelSum is a checksum of what decides about the accuracy; "" if it is not measured.
func (t *tester) labelSum() string {
	if t.labelled == nil {
		return ""
	}
	sum := sha256.New()
	t.labelled.AddTo(sum)
	return hex.EncodeToString(sum.Sum(nil))
}

// accuracyOf returns the accuracy of an outcome, or nil if it was not measured.
func accuracyOf(o *search.Outcome) *accuracy.Score {
	if o.Top1 == nil {
		return nil
	}
	share, d := proportion.Of(o.Top1.Right, o.Top1.Of), o.Top1.Compare()
	return &accuracy.Score{Top1: &share, Against: &d}
}

func points(n tensor.Number) float64 { return 100*float64(n) + 0 } // no -0

// accuracyLines say how sure the accuracy of the named point is, and whether the rows show that it keeps a
// limit.
func (r *Report) accuracyLines(targets []search.Target) (out []string) {
	at := max(r.Best, r.Nearest)
	if at == 0 || r.Front[at-1].Accuracy == nil {
		return nil
	}
	a := r.Front[at-1].Accuracy
	s, d := a.Top1, a.Against
	out = append(out, fmt.Sprintf("accuracy of point %d: top-1 %.2f %% of %d rows (95 %% interval %.2f to %.2f %%), the original %.2f %%; %s", at,
		points(s.Share), s.Of, points(s.Low), points(s.High), points(r.Accuracy.Top1.Share), accuracy.Evidence(d)))
	for _, t := range targets {
		if isLoss(t) && r.Best > 0 && -float64(d.Low) > t.Bound {
			out = append(out, fmt.Sprintf("on other rows the loss may be up to %.2f points (95 %% interval): %d rows do not show that it keeps %s; measure it on more with lathe accuracy", points(-d.Low), s.Of, t))
		}
	}
	return out
}
