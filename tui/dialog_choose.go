package tui

import tea "charm.land/bubbletea/v2"

// choice is one of several things to do.
type choice struct {
	label string // safe to print
	do    func() tea.Cmd
}

// chooseDialog asks for one of several things.
type chooseDialog struct {
	app     *App
	what    string
	choices []choice
	rows    window
	w, h    int
}

func newChooseDialog(a *App, what string, choices []choice) *chooseDialog {
	return &chooseDialog{app: a, what: what, choices: choices, rows: window{n: len(choices)}}
}

func (d *chooseDialog) place() place            { return placeChoose }
func (d *chooseDialog) title() string           { return d.what }
func (d *chooseDialog) refusal(a action) string { return "" }

func (d *chooseDialog) box(s screen) rect {
	w := 0
	for _, c := range d.choices {
		w = max(w, len(c.label))
	}
	return s.body.centred(max(w, len(d.what)+4, 24)+2*framePad, len(d.choices)+2)
}

func (d *chooseDialog) sync(w, h int) {
	d.w, d.h = w, h
	d.rows.resize(h)
}

func (d *chooseDialog) do(a action) tea.Cmd {
	switch {
	case d.rows.act(a):
	case a == actionAccept:
		d.app.dialogs.close(d)
		return d.choices[d.rows.cursor].do()
	case a == actionClose:
		d.app.dialogs.close(d)
	}
	return nil
}

func (d *chooseDialog) view(bool) []string {
	var lines []string
	from, to := d.rows.visible()
	for i := from; i < to; i++ {
		line := fit(d.choices[i].label, d.w)
		if i == d.rows.cursor {
			line = d.app.ws.styles.selected.on(line)
		}
		lines = append(lines, line)
	}
	return block(lines, d.w, d.h)
}
