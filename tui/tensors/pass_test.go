package tensors

import (
	"fmt"
	"testing"
)

func TestKeptAnswersAreBounded(t *testing.T) {
	var ps Passes
	for i := range 3 * MaxAnswers {
		ps.Keep(&Answered{Inquiry: Inquiry{What: fmt.Sprint(i)}})
		ps.Touch(ps.Answer(Inquiry{What: fmt.Sprint(max(2*MaxAnswers, i/2))}).orFirst(&ps))
	}
	if len(ps.Kept) != MaxAnswers {
		t.Errorf("%d answers are kept, want %d", len(ps.Kept), MaxAnswers)
	}
}

func (a *Answered) orFirst(ps *Passes) *Answered {
	if a == nil {
		return ps.Kept[0]
	}
	return a
}
