package home

import (
	tea "charm.land/bubbletea/v2"

	"lathe/tui/cells"
	"lathe/tui/controls"
	"lathe/tui/list"
)

// turn moves the focus from the models to the interrupted sessions, or back, unless the other
// section is empty.
func (a *app) turn() {
	if other := sectionCount - 1 - a.focused(); a.sections[other].rows.N > 0 {
		a.focus = other
	}
}

// move carries out a motion. At the end of a section it continues in the next one.
func (a *app) move(action string) {
	motion := list.Motion(action)
	switch action {
	case actionNext:
		motion = list.Down
	case actionPrevious:
		motion = list.Up
	}
	switch motion {
	case list.Top:
		a.enter(models, motion)
	case list.Bottom:
		a.enter(sessions, motion)
	default:
		a.step(motion)
	}
}

// enter moves the focus to a section, or to the other one if this one has no rows.
func (a *app) enter(section int, motion list.Motion) {
	a.focus = section
	a.sections[a.focused()].rows.Act(motion)
}

func (a *app) step(motion list.Motion) {
	a.focus = a.focused()
	rows := &a.sections[a.focus].rows
	before := rows.Cursor
	if rows.Act(motion); rows.Cursor != before {
		return
	}
	isDown := motion == list.Down || motion == list.PageDown
	switch {
	case isDown && a.focus == models && a.sections[sessions].rows.N > 0:
		a.enter(sessions, list.Top)
	case !isDown && a.focus == sessions && a.sections[models].rows.N > 0:
		a.enter(models, list.Bottom)
	}
}

// point handles the mouse: a click selects a row or opens the selected row, the wheel scrolls.
func (a *app) point(msg tea.MouseMsg) tea.Cmd {
	m := msg.Mouse()
	section, at := a.under(m.X, m.Y)
	if section < 0 {
		return nil
	}
	rows := &a.sections[section].rows
	switch msg.(type) {
	case tea.MouseClickMsg:
		row := rows.Top + m.Y - at.Y
		if m.Button != tea.MouseLeft || row >= rows.N {
			return nil
		}
		if section == a.focused() && row == rows.Cursor {
			return a.accept()
		}
		a.focus = section
		rows.MoveTo(row)
	case tea.MouseWheelMsg:
		if by := controls.Wheel(m.Button); by != 0 && rows.N > 0 {
			a.focus = section
			rows.Scroll(by)
		}
	}
	return nil
}

// under returns the section at a cell and its position, or -1.
func (a *app) under(x, y int) (int, cells.Rect) {
	for i, at := range a.layout().rows {
		if at.Holds(x, y) {
			return i, at
		}
	}
	return -1, cells.Rect{}
}
