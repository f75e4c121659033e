package tui

// panels lists all panes, in the order of the focus and of the digit keys that lead to them. A new
// pane is added here; its own file contains everything else.
var panels = []panel{modulesPanel, nodesPanel, detailPanel, originPanel, tensorPanel, axesPanel}

// panel describes a pane: its place in the key table, its title, its region of the screen, its
// keys, and how to make it.
type panel struct {
	place  place
	title  string
	region region
	keys   []binding
	make   func(*App) pane
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

// dialogTables holds the key tables of all dialogs. A new dialog is added here.
var dialogTables = []table{
	{placeSearch, searchKeys},
	{placeJump, jumpKeys},
	{placePalette, paletteKeys},
	{placePath, pathKeys},
	{placeChoose, chooseKeys},
	{placeConfirm, confirmKeys},
	{placeForm, formKeys},
	{placeResults, resultsKeys},
	{placeHelp, helpKeys},
	{placeLog, logKeys},
	{placeColumns, columnsKeys},
	{placeResume, resumeKeys},
	{placeIndex, indexKeys},
	{placeSteps, stepsKeys},
	{placeFindings, findingsKeys},
	{placeDoctor, doctorKeys},
	{placeExplain, explainKeys},
	{placeDiff, diffKeys},
	{placeAxis, axisKeys},
	{placeChange, changeKeys},
	{placeSimplify, simplifyKeys},
	{placeQuantize, quantizeKeys},
	{placeSpread, spreadKeys},
	{placeFlame, flameKeys},
	{placeValidation, validationKeys},
	{placeBeside, besideKeys},
}

// member is a pane together with its panel.
type member struct {
	panel
	pane
}

// place returns the place of the pane, which is also that of its panel.
func (m member) place() place { return m.panel.place }
