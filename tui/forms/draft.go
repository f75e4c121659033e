package forms

import (
	"slices"

	"lathe/tui/workspace"
)

// draft is what a person has typed into a form and left with Esc.
type draft struct {
	begun  [][]string // the values with which the form was opened
	fields []*field
}

// drafts has the last draft of each step.
var drafts workspace.Slot[map[string]draft]

// values returns the values of all fields.
func (f *Form) values() [][]string {
	out := make([][]string, len(f.Fields))
	for i, fl := range f.Fields {
		out[i] = fl.Values()
	}
	return out
}

func sameValues(a, b [][]string) bool {
	return slices.EqualFunc(a, b, func(x, y []string) bool { return slices.Equal(x, y) })
}

// keepDraft keeps what was typed for the next time that the form is opened.
func (f *Form) keepDraft() {
	if f.target != nil || sameValues(f.offered, f.values()) {
		return
	}
	all := drafts.In(f.WS)
	if *all == nil {
		*all = map[string]draft{}
	}
	(*all)[f.name] = draft{f.begun, f.Fields}
}

// takeDraft restores what was typed when the form was left. If the form would be filled in with other
// values this time, because another node is selected or the model has changed, the draft is for
// something else and stays unused.
func (f *Form) takeDraft() {
	if d, ok := (*drafts.In(f.WS))[f.name]; ok && sameValues(d.begun, f.begun) && slices.EqualFunc(d.fields, f.Fields, sameOption) {
		f.Fields = d.fields
		f.WS.Log.Say("the values are those that were typed before; Ctrl-C forgets them")
	}
	f.dropDraft()
}

func sameOption(a, b *field) bool { return a.option.Name == b.option.Name }

func (f *Form) dropDraft() { delete(*drafts.In(f.WS), f.name) }

// Discard implements shell.Drafted. It closes the form and forgets what was typed.
func (f *Form) Discard() {
	f.Offer.close()
	f.dropDraft()
	f.close()
}
