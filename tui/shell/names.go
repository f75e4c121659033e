package shell

import "lathe/tui/actions"

// The places that are neither a pane nor a dialog.
const (
	PlaceAlways actions.Place = "always" // also while a dialog is open
	PlaceMain   actions.Place = "main"   // in every pane that does not use the key itself
)

// Actions that several dialogs have.
const (
	ActionHelp     actions.Name = "help"
	ActionClose    actions.Name = "close"
	ActionAccept   actions.Name = "accept"
	ActionCopy     actions.Name = "copy-command"
	ActionNext     actions.Name = "next"
	ActionPrev     actions.Name = "previous"
	ActionComplete actions.Name = "complete" // accepts the offered completion
	ActionToggle   actions.Name = "toggle"
	ActionSort     actions.Name = "sort"
	ActionReset    actions.Name = "reset"
	ActionEdit     actions.Name = "edit-step"
	ActionCancel   actions.Name = "cancel-job"
	ActionTake     actions.Name = "take-step"
	ActionAside    actions.Name = "look-behind"
	ActionLookAt   actions.Name = "look-at-values"
)
