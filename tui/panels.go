package tui

// panels are all panes, in the order of the focus and of the digits that lead to
// them. A pane is added here, and its file says the rest.
var panels = []panel{modulesPanel, nodesPanel, detailPanel, originPanel, tensorPanel, axesPanel}

// panel is a pane as the workbench knows it before it is made.
type panel struct {
	place  place
	title  string
	region region
	keys   []binding
	make   func(*App) pane
}

// region is a part of the screen. Panes of one region take turns in it.
type region int

// The regions, from left to right.
const (
	regionLeft region = iota
	regionCentre
	regionRight
	regions // how many there are
)

// dialogTables are the key tables of all dialogs. A dialog is added here.
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

// member is a pane and what the workbench knows of it.
type member struct {
	panel
	pane
}

// place of the pane and of its panel are the same.
func (m member) place() place { return m.panel.place }
