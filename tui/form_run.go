package tui

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
)

// stays reports whether the form must stay open because a value is known to be wrong, or because
// the preview has failed with these values. It then moves the focus to the error and repeats the
// check, because files and the model may have changed. A check that is still running does not keep
// the form open.
func (f *form) stays(ok bool, s session.Step) (again tea.Cmd, stays bool) {
	switch {
	case f.goToError():
		return f.check(), true
	case !ok:
		return nil, true
	case f.preview.failed && previewsLive(s):
		f.WS.Log.Fail(session.InStep(f.name, f.preview.err))
		return f.askPreview(), true
	}
	return nil, false
}

// goToError focuses the first line that is known to be wrong and shows why. It returns false if
// there is no such line.
func (f *form) goToError() bool {
	for _, fl := range f.fields {
		line, err := f.errorOf(fl)
		if err == nil {
			continue
		}
		for _, other := range f.fields {
			other.told = true
		}
		f.unfolded = f.unfolded || fl.rare
		f.offer.close() // the list was for the previous line
		f.focus(fl)
		f.at += line
		f.WS.Log.Fail(err)
		return true
	}
	return false
}

// errorOf returns what is wrong with a field, and in which line.
func (f *form) errorOf(fl *field) (line int, err error) {
	if fl.err != nil || fl.choices != nil {
		return 0, fl.err
	}
	for line, l := range fl.lines {
		flaw := fl.begun(line)
		if flaw == "" && f.checked {
			flaw = fl.flaws[l.Value()]
		}
		if flaw != "" {
			return line, errors.New("--" + fl.name + ": " + flaw)
		}
	}
	return 0, nil
}

// isBegun reports whether a field has an unfinished suggestion.
func (f *form) isBegun() bool {
	for _, fl := range f.fields {
		if fl.isBegun() {
			return true
		}
	}
	return false
}
