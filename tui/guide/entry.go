package guide

import (
	"strings"

	"lathe/tui/actions"
	"lathe/tui/controls"
	"lathe/tui/workspace"
)

// Entry is an action in the help or the palette.
type Entry struct {
	*actions.Action
	Owner any
	// Where is the title of the pane that has the action; "" for an action of the whole screen.
	Where   string
	Help    string
	Refusal string // why the action is not possible at the moment, or ""
	// Instead says what the key means in the focused pane, which has another action for it. It is
	// "" if the key leads to this action.
	Instead string
	// Option is the name of the option at which the action opens a form; "" for other actions. Such
	// an action is found by that name only.
	Option string
}

// NewEntry returns the entry of an action.
func NewEntry(ws *workspace.Workspace, act *actions.Action, owner any) Entry {
	return Entry{Action: act, Owner: owner, Help: Explain(ws, *act), Refusal: act.Refusal(owner)}
}

// Explain says what an action does. For the form of a step, it is the summary of the step.
func Explain(ws *workspace.Workspace, act actions.Action) string {
	name, isStep := strings.CutPrefix(string(act.Name), workspace.StepPrefix)
	if !isStep {
		return act.Help
	}
	if s := ws.NewStep(name); s != nil {
		return name + ": " + s.Summary()
	}
	return name + ": not in this build"
}

// called returns the name of the action as a person would type it: "bench", "copy name".
func (e *Entry) called() string {
	if e.Option != "" {
		return strings.ReplaceAll(e.Option, "-", " ")
	}
	if name, isStep := strings.CutPrefix(string(e.Name), workspace.StepPrefix); isStep {
		return name
	}
	return strings.ReplaceAll(string(e.Name), "-", " ")
}

// keys returns the keys that lead to the action here, as people know them.
func (e *Entry) keys() []string {
	if e.Instead != "" {
		return nil
	}
	out := make([]string, len(e.Keys))
	for i, k := range e.Keys {
		out[i] = controls.Spell(k)
	}
	return out
}

// says returns the help, with the pane that has the action.
func (e *Entry) says() string {
	if e.Where == "" {
		return e.Help
	}
	return e.Where + ": " + e.Help
}
