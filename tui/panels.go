package tui

import (
	"lathe/tui/actions"
	"lathe/tui/axes"
	"lathe/tui/comparison"
	"lathe/tui/detail"
	"lathe/tui/files"
	"lathe/tui/flame"
	"lathe/tui/forms"
	"lathe/tui/front"
	"lathe/tui/guide"
	"lathe/tui/history"
	"lathe/tui/inplace"
	"lathe/tui/modules"
	"lathe/tui/nodes"
	"lathe/tui/origin"
	"lathe/tui/overview"
	"lathe/tui/passes"
	"lathe/tui/precision"
	"lathe/tui/problems"
	"lathe/tui/resume"
	"lathe/tui/search"
	"lathe/tui/sheet"
	"lathe/tui/shell"
	"lathe/tui/tensors"
	"lathe/tui/workspace"
)

// panels returns all panes, in the order of the focus and of the digit keys that lead to them: 0, 1, …
// A new
// pane is added here; its own file contains everything else.
func panels() []workspace.Panel {
	return []workspace.Panel{overview.Panel(), modules.Panel(), nodes.Panel(), detail.Panel(), origin.Panel(), tensors.Panel(), axes.Panel()}
}

// dialogTables returns the actions of all dialogs. A new dialog is added here.
func dialogTables() []actions.Table {
	return []actions.Table{
		{Place: search.PlaceSearch, Actions: search.SearchActions()},
		{Place: search.PlaceJump, Actions: search.JumpActions()},
		{Place: guide.PlacePalette, Actions: guide.PaletteActions()},
		{Place: shell.PlacePath, Actions: shell.PathActions()},
		{Place: shell.PlaceChoose, Actions: shell.ChooseActions()},
		{Place: shell.PlaceConfirm, Actions: shell.ConfirmActions()},
		{Place: inplace.Place, Actions: inplace.Actions()},
		{Place: files.PlaceLeave, Actions: files.LeaveActions()},
		{Place: forms.PlaceForm, Actions: forms.FormActions()},
		{Place: forms.PlaceResults, Actions: forms.ResultsActions()},
		{Place: history.Place, Actions: history.Actions()},
		{Place: guide.PlaceHelp, Actions: guide.HelpActions()},
		{Place: shell.PlaceLog, Actions: shell.TextActions(true)},
		{Place: nodes.PlaceColumns, Actions: nodes.ColumnsActions()},
		{Place: resume.Place, Actions: resume.Actions()},
		{Place: overview.PlaceLength, Actions: overview.LengthActions()},
		{Place: tensors.PlaceIndex, Actions: tensors.IndexActions()},
		{Place: forms.PlaceSteps, Actions: forms.StepsActions()},
		{Place: workspace.PlaceFindings, Actions: workspace.FindingsActions()},
		{Place: problems.PlaceDoctor, Actions: problems.Actions()},
		{Place: problems.PlaceExplain, Actions: shell.TextActions(true)},
		{Place: sheet.Place, Actions: sheet.Actions()},
		{Place: axes.PlaceAxis, Actions: axes.AxisActions()},
		{Place: axes.PlaceChange, Actions: axes.ChangeActions()},
		{Place: passes.PlaceSimplify, Actions: passes.Actions()},
		{Place: precision.PlaceQuantize, Actions: precision.QuantizeActions()},
		{Place: precision.PlaceSpread, Actions: precision.SpreadActions()},
		{Place: flame.Place, Actions: flame.Actions()},
		{Place: front.Place, Actions: front.Actions()},
		{Place: comparison.PlaceValidation, Actions: comparison.ValidationActions()},
		{Place: comparison.PlaceBeside, Actions: comparison.BesideActions()},
	}
}

// member is a pane together with its panel.
type member struct {
	workspace.Panel
	shell.Pane
}

// Place returns the place of the pane, which is also that of its panel.
func (m member) Place() actions.Place { return m.Panel.Place }
