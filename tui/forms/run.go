package forms

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
)

// stays reports whether the form must stay open because a value is known to be wrong, or because
// the preview has failed with these values. It then moves the focus to the error and repeats the
// check, because files and the model may have changed. A check that is still running does not keep
// the form open.
func (f *Form) stays(ok bool, s session.Step) (again tea.Cmd, stays bool) {
	switch {
	case f.goToError():
		return f.check(), true
	case !ok:
		return nil, true
	case f.Preview.failed && previewsLive(s):
		f.WS.Log.Fail(session.InStep(f.name, f.Preview.err))
		return f.askPreview(), true
	}
	return nil, false
}

// goToError focuses the first line that is known to be wrong and shows why. It returns false if
// there is no such line.
func (f *Form) goToError() bool {
	for _, fl := range f.Fields {
		line, err := f.errorOf(fl)
		if err == nil {
			continue
		}
		for _, other := range f.Fields {
			other.Told = true
		}
		f.unfolded = f.unfolded || fl.Rare
		f.Offer.close() // the list was for the previous line
		f.Focus(fl)
		f.At += line
		f.WS.Log.Fail(err)
		return true
	}
	return false
}

// errorOf returns what is wrong with a field, and in which line.
func (f *Form) errorOf(fl *field) (line int, err error) {
	if fl.err != nil || fl.choices != nil {
		return 0, fl.err
	}
	for line := range fl.Lines {
		flaw := fl.begun(line)
		if flaw == "" && f.checked {
			flaw = fl.flaws[fl.value(line)]
		}
		if flaw != "" {
			return line, errors.New(spelled(fl.option) + ": " + flaw)
		}
	}
	return 0, nil
}

// isBegun reports whether a field has an unfinished suggestion.
func (f *Form) isBegun() bool {
	for _, fl := range f.Fields {
		if fl.isBegun() {
			return true
		}
	}
	return false
}
