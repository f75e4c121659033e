package workspace

import "lathe/tui/actions"

// The actions of the main screen that other code refers to.
const (
	ActionPalette   actions.Name = "palette"
	ActionFind      actions.Name = "find"
	ActionNextPane  actions.Name = "next-pane"
	ActionConsumers actions.Name = "consumers"
	ActionProducers actions.Name = "producers"
	ActionMark      actions.Name = "mark"
	ActionUnmark    actions.Name = "unmark-all"
	ActionPins      actions.Name = "pins"
	ActionPrune     actions.Name = "prune"
	ActionInstall   actions.Name = "install-runtime"
	ActionWrite     actions.Name = "write"
	ActionZoom      actions.Name = "zoom"
	ActionQuit      actions.Name = "quit"
	ActionInterrupt actions.Name = "interrupt"
	ActionRedraw    actions.Name = "redraw"
)

// StepPrefix is the prefix of actions that open the form of a step. The step's name follows.
const StepPrefix = "step-"

// StepAction returns the action that opens the form of a step.
func StepAction(name string) actions.Name { return actions.Name(StepPrefix + name) }

// LookAction returns the action that moves the focus to a pane.
func LookAction(p actions.Place) actions.Name { return "look-" + actions.Name(p) }

// Places and actions of panes and dialogs that other code refers to.
const (
	PlaceDetail    actions.Place = "detail"
	PlaceNodes     actions.Place = "nodes"
	PlaceAxes      actions.Place = "axes"
	PlaceTensor    actions.Place = "tensor"
	PlaceModules   actions.Place = "modules"
	ActionProblems actions.Name  = "problems"
	ActionStored   actions.Name  = "stored-results"
)
