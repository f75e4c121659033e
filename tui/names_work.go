package tui

import "lathe/tui/actions"

// The actions of the main screen that other code refers to.
const (
	actionPalette   actions.Name = "palette"
	actionFind      actions.Name = "find"
	actionNextPane  actions.Name = "next-pane"
	actionConsumers actions.Name = "consumers"
	actionProducers actions.Name = "producers"
	actionMark      actions.Name = "mark"
	actionUnmark    actions.Name = "unmark-all"
	actionPins      actions.Name = "pins"
	actionPrune     actions.Name = "prune"
	actionQuit      actions.Name = "quit"
	actionInterrupt actions.Name = "interrupt"
	actionRedraw    actions.Name = "redraw"
)

// stepPrefix is the prefix of actions that open the form of a step. The step's name follows.
const stepPrefix = "step-"

func stepAction(name string) actions.Name { return actions.Name(stepPrefix + name) }

// lookAction returns the action that moves the focus to a pane.
func lookAction(p actions.Place) actions.Name { return "look-" + actions.Name(p) }

// Places and actions of panes and dialogs that other code refers to.
const (
	placeDetail    actions.Place = "detail"
	placeNodes     actions.Place = "nodes"
	placeAxes      actions.Place = "axes"
	placeTensor    actions.Place = "tensor"
	placeModules   actions.Place = "modules"
	actionProblems actions.Name  = "problems"
)
