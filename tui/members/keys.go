package members

import (
	"slices"

	"lathe/tui/config"
	"lathe/tui/controls"
	"lathe/tui/list"
)

// place is the name of the list in settings.
const place = "folder"

// The actions other than motions.
const (
	actionAccept    = "accept"
	actionClose     = "close"
	actionHelp      = "help"
	actionInterrupt = "interrupt"
	actionNext      = "next"
	actionPrevious  = "previous"
	actionRedraw    = "redraw"
	actionSuspend   = "suspend"
)

// defaults is the key table.
var defaults = []config.Action{
	{Name: actionAccept, Help: "open the model", Keys: []string{"enter"}},
	{Name: actionNext, Help: "next", Keys: []string{"down", "j", "ctrl+n"}},
	{Name: actionPrevious, Help: "previous", Keys: []string{"up", "k", "ctrl+p"}},
	{Name: string(list.PageDown), Help: "a page down", Keys: []string{"pgdown"}},
	{Name: string(list.PageUp), Help: "a page up", Keys: []string{"pgup"}},
	{Name: string(list.Top), Help: "to the first row", Keys: []string{"home", "g"}},
	{Name: string(list.Bottom), Help: "to the last row", Keys: []string{"end", "G"}},
	{Name: actionHelp, Help: "these keys, and back to the list", Keys: []string{"?", "f1"}},
	{Name: actionClose, Help: "leave", Keys: []string{"esc", "q"}},
	{Name: actionInterrupt, Help: "leave with exit code 130", Keys: []string{"ctrl+c"}},
	{Name: actionRedraw, Help: "draw the screen again", Keys: []string{"ctrl+l"}},
	{Name: actionSuspend, Help: "suspend", Keys: []string{"ctrl+z"}},
}

// Actions returns the actions of the list, with keys from the settings.
func Actions(own []config.Binding) []config.Action {
	out := slices.Clone(defaults)
	for i := range out {
		out[i].Place = place
	}
	for _, b := range own {
		b.Rebind(out)
	}
	return out
}

// meaning returns the action of a key, or "".
func (a *app) meaning(key string) string {
	for _, b := range a.keys {
		if slices.Contains(b.Keys, key) {
			return b.Name
		}
	}
	return ""
}

// key returns the first key of an action as it is written on screen, or "".
func (a *app) key(action string) string {
	for _, b := range a.keys {
		if b.Name == action && len(b.Keys) > 0 {
			return controls.Spell(b.Keys[0])
		}
	}
	return ""
}
