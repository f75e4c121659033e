package tui

import (
	"slices"
	"strings"
)

// action is something that a person can do. The key table binds keys to it; the
// palette and the help list it by what the table says of it.
type action string

// Movements, the same in every list and text.
const (
	actionDown     action = "down"
	actionUp       action = "up"
	actionTop      action = "top"
	actionBottom   action = "bottom"
	actionHalfDown action = "half-page-down"
	actionHalfUp   action = "half-page-up"
	actionPageDown action = "page-down"
	actionPageUp   action = "page-up"
)

// What can be done in the main screen.
const (
	actionFocus     action = "focus"
	actionBack      action = "back"
	actionConsumers action = "consumers"
	actionProducers action = "producers"
	actionEarlier   action = "earlier"
	actionLater     action = "later"
	actionFind      action = "find"
	actionNext      action = "next-match"
	actionPrevious  action = "previous-match"
	actionMark      action = "mark"
	actionUnmark    action = "unmark-all"
	actionPrune     action = "prune"
	actionUndo      action = "undo"
	actionRedo      action = "redo"
	actionSave      action = "save-recipe"
	actionCopy      action = "copy-command"
	actionResults   action = "results"
	actionLog       action = "log"
	actionHelp      action = "help"
	actionPalette   action = "palette"
	actionQuit      action = "quit"
	actionInterrupt action = "interrupt"
	actionSuspend   action = "suspend"
)

// stepPrefix begins the actions that open the form of a step; the step's name
// follows.
const stepPrefix = "step:"

func stepAction(name string) action { return action(stepPrefix + name) }

// What can be done in dialogs.
const (
	actionClose     action = "close"
	actionAccept    action = "accept"
	actionYes       action = "yes"
	actionNextField action = "next-field"
	actionPrevField action = "previous-field"
	actionRun       action = "run"
	actionPreview   action = "preview"
	actionNewer     action = "newer-result"
	actionOlder     action = "older-result"
	actionCancel    action = "cancel-job"
)

// place is where a key is pressed: each pane and dialog is one.
type place string

// The places.
const (
	placeAlways  place = "everywhere" // also while a dialog is open
	placeMain    place = "main screen"
	placeNodes   place = "nodes"
	placeDetail  place = "detail"
	placeSearch  place = "search"
	placeChoose  place = "choice"
	placeConfirm place = "question"
	placePalette place = "palette"
	placeForm    place = "form"
	placeResults place = "results"
	placeHelp    place = "help"
	placeLog     place = "log"
	placePath    place = "file name"
)

// binding is a row of the key table.
type binding struct {
	places []place
	action action
	help   string
	keys   []string // as tea.KeyPressMsg.String spells them; the first is shown
}

func in(places ...place) []place { return places }

var (
	movable = in(placeNodes, placeDetail, placeChoose, placeResults, placeHelp, placeLog)
	texts   = in(placeSearch, placePalette, placePath) // with one line to write in
)

// bindings is the key table. Keys, help, palette and hints come from here, and
// nowhere else is a key named.
var bindings = []binding{
	{movable, actionDown, "down", []string{"j", "down"}},
	{movable, actionUp, "up", []string{"k", "up"}},
	{movable, actionTop, "to the first line", []string{"g", "home"}},
	{movable, actionBottom, "to the last line", []string{"G", "end"}},
	{movable, actionHalfDown, "half a page down", []string{"ctrl+d"}},
	{movable, actionHalfUp, "half a page up", []string{"ctrl+u"}},
	{movable, actionPageDown, "a page down", []string{"pgdown", "ctrl+f"}},
	{movable, actionPageUp, "a page up", []string{"pgup", "ctrl+b"}},

	{in(placeMain), actionFocus, "between list and detail", []string{"tab", "enter", "shift+tab"}},
	{in(placeMain), actionConsumers, "follow to what reads this", []string{"l", "right"}},
	{in(placeMain), actionProducers, "follow to what makes its inputs", []string{"h", "left"}},
	{in(placeMain), actionEarlier, "back where you came from", []string{"["}},
	{in(placeMain), actionLater, "forward again", []string{"]"}},
	{in(placeMain), actionFind, "search names, operators and values", []string{"/"}},
	{in(placeMain), actionNext, "next match", []string{"n"}},
	{in(placeMain), actionPrevious, "previous match", []string{"N"}},
	{in(placeMain), actionBack, "end the search, leave the detail", []string{"esc"}},
	{in(placeMain), actionMark, "mark an output to keep", []string{"space"}},
	{in(placeMain), actionUnmark, "unmark everything", []string{"x"}},
	{in(placeMain), actionPrune, "prune to the marks", []string{"p"}},
	{in(placeMain), stepAction("axes"), "", []string{"a"}},
	{in(placeMain), stepAction("export"), "", []string{"e"}},
	{in(placeMain), stepAction("quantize"), "", []string{"Q"}},
	{in(placeMain), stepAction("validate"), "", []string{"v"}},
	{in(placeMain), stepAction("bench"), "", []string{"b"}},
	{in(placeMain), actionUndo, "undo the last step", []string{"u"}},
	{in(placeMain), actionRedo, "redo it", []string{"ctrl+r"}},
	{in(placeMain), actionSave, "save the steps so far as a recipe", []string{"s"}},
	{in(placeMain), actionResults, "jobs and results", []string{"r"}},
	{in(placeMain), actionCopy, "copy the equivalent command", []string{"y"}},
	{in(placeMain), actionLog, "log of messages", []string{"L"}},
	{in(placeMain), actionPalette, "palette of everything", []string{":"}},
	{in(placeMain), actionHelp, "help for this place", []string{"?"}},
	{in(placeMain), actionQuit, "quit", []string{"q"}},

	{texts, actionAccept, "accept", []string{"enter"}},
	{texts, actionClose, "cancel", []string{"esc"}},
	{in(placeSearch, placePalette), actionDown, "next", []string{"down", "ctrl+n"}},
	{in(placeSearch, placePalette), actionUp, "previous", []string{"up", "ctrl+p"}},

	{in(placeChoose), actionAccept, "go there", []string{"enter", "l", "right"}},
	{in(placeChoose), actionClose, "cancel", []string{"esc", "h", "left", "q"}},

	{in(placeConfirm), actionYes, "yes", []string{"y"}},
	{in(placeConfirm), actionClose, "no", []string{"esc", "n", "q"}},

	{in(placeForm), actionRun, "run", []string{"enter"}},
	{in(placeForm), actionPreview, "preview", []string{"ctrl+p"}},
	{in(placeForm), actionClose, "cancel", []string{"esc"}},
	{in(placeForm), actionCopy, "copy the command", []string{"ctrl+y"}},
	{in(placeForm), actionNextField, "next field", []string{"down", "tab"}},
	{in(placeForm), actionPrevField, "previous field", []string{"up", "shift+tab"}},
	{in(placeForm), actionPageDown, "scroll the preview", []string{"pgdown"}},
	{in(placeForm), actionPageUp, "scroll it back", []string{"pgup"}},

	{in(placeResults, placeHelp, placeLog), actionClose, "close", []string{"esc", "q"}},
	{in(placeResults), actionCancel, "cancel the job", []string{"x"}},
	{in(placeResults), actionOlder, "earlier", []string{"[", "left"}},
	{in(placeResults), actionNewer, "later", []string{"]", "right"}},
	{in(placeResults), actionCopy, "copy the command", []string{"y"}},
	{in(placeResults, placeLog), actionHelp, "help", []string{"?"}},

	{in(placeAlways), actionHelp, "help for this place", []string{"f1"}},
	{in(placeAlways), actionInterrupt, "cancel the job; without one, quit", []string{"ctrl+c"}},
	{in(placeAlways), actionSuspend, "suspend", []string{"ctrl+z"}},
}

// actionFor is what a key means in a place.
func actionFor(p place, key string) (action, bool) {
	for _, b := range bindings {
		if slices.Contains(b.places, p) && slices.Contains(b.keys, key) {
			return b.action, true
		}
	}
	return "", false
}

// bindingsOf are the rows of the key table for a place.
func bindingsOf(p place) []binding {
	var out []binding
	for _, b := range bindings {
		if slices.Contains(b.places, p) {
			out = append(out, b)
		}
	}
	return out
}

// keyOf is the first key of an action in a place, as people write it; "" where
// there is none.
func keyOf(p place, a action) string {
	for _, b := range bindings {
		if b.action == a && slices.Contains(b.places, p) {
			return spell(b.keys[0])
		}
	}
	return ""
}

var spellings = map[string]string{
	"up": "↑", "down": "↓", "left": "←", "right": "→", "pgdown": "PgDn", "pgup": "PgUp",
	"enter": "Enter", "esc": "Esc", "tab": "Tab", "shift+tab": "Shift-Tab", "space": "Space",
	"home": "Home", "end": "End", "f1": "F1",
}

// spell writes a key as it stands on a keyboard.
func spell(key string) string {
	if s, ok := spellings[key]; ok {
		return s
	}
	if rest, ok := strings.CutPrefix(key, "ctrl+"); ok {
		return "Ctrl-" + strings.ToUpper(rest)
	}
	return key
}
