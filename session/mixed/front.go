package mixed

import (
	"fmt"
	"math"
	"strings"

	"lathe/session"
	"lathe/session/reporting"
)

// FrontTitle implements reporting.Fronted.
func (r *Report) FrontTitle() string {
	if len(r.Targets) == 0 {
		return "size and error of the model"
	}
	return "models for " + strings.Join(r.Targets, " ")
}

// FrontPoints implements reporting.Fronted.
func (r *Report) FrontPoints() []reporting.FrontPoint {
	out := make([]reporting.FrontPoint, len(r.Front))
	for i := range r.Front {
		p := &r.Front[i]
		out[i] = reporting.FrontPoint{Bytes: p.Bytes, Ratio: float64(p.Ratio), SNR: float64(p.SNR), KL: math.NaN(), Top1: math.NaN(), Made: r.made(p), Mark: r.mark(p)}
		if p.KL != nil {
			out[i].KL = float64(*p.KL)
		}
		if p.Accuracy != nil && p.Accuracy.Top1 != nil {
			out[i].Top1 = float64(p.Accuracy.Top1.Share)
		}
		if i < len(r.calls) {
			out[i].Make = r.calls[i]
		}
	}
	return out
}

// callOf returns the call that makes a point without a search. That of the original has no options.
func (s *Auto) callOf(p *Point) session.Call {
	if len(p.Choose) == 0 {
		return session.Call{Step: s.Name()}
	}
	again := *s
	again.Choose, again.Targets, again.Point, again.Timeout, again.Out = p.Choose, nil, 0, 0, ""
	return session.CallOf(&again)
}

// made says how many nodes of a point have each type that is not float32.
func (r *Report) made(p *Point) string {
	var words []string
	for _, name := range r.Types {
		if n := p.Counts[name]; n > 0 {
			words = append(words, fmt.Sprintf("%d %s", n, name))
		}
	}
	if len(words) == 0 {
		return "unchanged"
	}
	return strings.Join(words, ", ")
}
