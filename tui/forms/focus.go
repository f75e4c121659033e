package forms

import "lathe/tui/workspace"

// lastFocus has, for each step, the option that had the focus when its form last ran.
var lastFocus workspace.Slot[map[string]string]

// keepFocus keeps the field with the focus for the next time that the step is edited.
func (f *Form) keepFocus() {
	all := lastFocus.In(f.WS)
	if *all == nil {
		*all = map[string]string{}
	}
	if fl, _ := f.Focused(); fl != nil {
		(*all)[f.name] = fl.option.Name
	}
}

// takeFocus moves the focus to the field that had it when the form last ran: somebody who edits a
// step goes on where they were.
func (f *Form) takeFocus() {
	name := (*lastFocus.In(f.WS))[f.name]
	for _, fl := range f.Fields {
		if fl.option.Name == name {
			fl.Rare = false
			f.Focus(fl)
		}
	}
}
