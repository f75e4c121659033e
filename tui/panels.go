package tui

import "lathe/tui/actions"

// panels returns all panes, in the order of the focus and of the digit keys that lead to them. A new
// pane is added here; its own file contains everything else.
func panels() []panel {
	return []panel{modulesPanel(), nodesPanel(), detailPanel(), originPanel(), tensorPanel(), axesPanel()}
}

// panel describes a pane: its place in the key table, its title, its region of the screen, its
// actions, and how to make it.
type panel struct {
	place   place
	title   string
	region  region
	actions []actions.Action
	make    func(*App) pane
}

// region is a part of the screen. It shows one of its panes at a time.
type region int

// The regions, from left to right.
const (
	regionLeft region = iota
	regionCentre
	regionRight
	regions // how many there are
)

// dialogTables returns the actions of all dialogs. A new dialog is added here.
func dialogTables() []actions.Table {
	return []actions.Table{
		{Place: placeSearch, Actions: searchActions()},
		{Place: placeJump, Actions: jumpActions()},
		{Place: placePalette, Actions: paletteActions()},
		{Place: placePath, Actions: pathActions()},
		{Place: placeChoose, Actions: chooseActions()},
		{Place: placeConfirm, Actions: confirmActions()},
		{Place: placeForm, Actions: formActions()},
		{Place: placeResults, Actions: resultsActions()},
		{Place: placeHelp, Actions: textActions(false)},
		{Place: placeLog, Actions: textActions(true)},
		{Place: placeColumns, Actions: columnsActions()},
		{Place: placeResume, Actions: resumeActions()},
		{Place: placeIndex, Actions: indexActions()},
		{Place: placeSteps, Actions: stepsActions()},
		{Place: placeFindings, Actions: findingsActions()},
		{Place: placeDoctor, Actions: doctorActions()},
		{Place: placeExplain, Actions: textActions(true)},
		{Place: placeDiff, Actions: diffActions()},
		{Place: placeAxis, Actions: axisActions()},
		{Place: placeChange, Actions: changeActions()},
		{Place: placeSimplify, Actions: simplifyActions()},
		{Place: placeQuantize, Actions: quantizeActions()},
		{Place: placeSpread, Actions: spreadActions()},
		{Place: placeFlame, Actions: flameActions()},
		{Place: placeValidation, Actions: validationActions()},
		{Place: placeBeside, Actions: besideActions()},
	}
}

// member is a pane together with its panel.
type member struct {
	panel
	pane
}

// place returns the place of the pane, which is also that of its panel.
func (m member) place() place { return m.panel.place }
