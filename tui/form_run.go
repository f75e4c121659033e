package tui

import (
	"errors"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
)

// stays reports whether the form is not done yet: a field is known to be wrong, or
// the step known to fail with what the fields hold. The person is led there, and
// it is looked at again, as files and the model can become others meanwhile. A
// question that has not been answered yet holds nobody up.
func (f *form) stays(ok bool, s session.Step) (again tea.Cmd, stays bool) {
	switch {
	case f.goToError():
		return f.check(), true
	case !ok:
		return nil, true
	case f.preview.failed && previewsLive(s):
		f.app.ws.log.fail(session.InStep(f.name, f.preview.err))
		return f.askPreview(), true
	}
	return nil, false
}

// goToError focuses the first line that is known to be wrong, and says why; it
// reports false where none is.
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
		f.offer.close() // which is of the line that was left
		f.focus(fl)
		f.at += line
		f.app.ws.log.fail(err)
		return true
	}
	return false
}

// errorOf is what is wrong with a field, and at which of its lines.
func (f *form) errorOf(fl *field) (line int, err error) {
	if fl.err != nil || fl.choices != nil {
		return 0, fl.err
	}
	for line, l := range fl.lines {
		flaw := fl.begun(line)
		if flaw == "" && f.checked {
			flaw = fl.flaws[l.value()]
		}
		if flaw != "" {
			return line, errors.New("--" + fl.name + ": " + flaw)
		}
	}
	return 0, nil
}

// isBegun reports whether a field waits for the person to go on with what was
// filled in.
func (f *form) isBegun() bool {
	for _, fl := range f.fields {
		if fl.isBegun() {
			return true
		}
	}
	return false
}
