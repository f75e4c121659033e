package forms

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/bench/store"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

// baseline is the name of the option that takes a stored result.
const baseline = "baseline"

// offersStored reports whether a field takes one of the stored results of the model.
func (f *Form) offersStored(fl *field) bool { return fl.Name == baseline && f.WS.KeepsResults() }

// askStored lists the stored results of the model that a measurement can be compared with. Without
// any, it lists files.
func (f *Form) askStored(fl *field, line int) tea.Cmd {
	return f.WS.FindStored(func(found workspace.StoredList) tea.Cmd {
		if now, at := f.Focused(); !f.isOpen() || now != fl || at != line || !fl.isEmpty() {
			return nil
		}
		var list []shell.Offered
		for _, e := range found.Results {
			if e.Kind == store.KindBench {
				list = append(list, shell.Offered{Text: e.File, Name: f.WS.StoredName(e), About: e.Outcome()})
			}
		}
		if len(list) == 0 {
			return f.Offer.Ask(f.WS.Tasks, "", fl.option.Extensions, true, f.writePath)
		}
		f.Offer.isFiles = true
		f.Offer.Offer = shell.Offer{List: slices.Clip(list), Total: len(list), Picked: true}
		return nil
	})
}
