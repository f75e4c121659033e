package tui

import (
	"fmt"
	"slices"

	"lathe/tui/config"
	"lathe/tui/controls"
	"lathe/tui/home"
	"lathe/tui/list"
)

// action is something that a user can do. Keys are bound to actions, the palette and the help list
// them, and the settings refer to them by name.
type action string

// place is a part of the workbench in which keys have their own meanings: a pane, a dialog, or one
// of the general places below.
type place string

// placeAlways and placeMain are the places that are neither a pane nor a dialog.
const (
	placeAlways place = "always" // also while a dialog is open
	placeMain   place = "main"   // in every pane that does not use the key itself
)

// binding is a row of the key table.
type binding struct {
	action action
	help   string
	keys   []string // spelled as tea.KeyPressMsg.String does; hints show the first
}

// table holds the bindings of one place.
type table struct {
	place place
	rows  []binding
}

func keys(k ...string) []string { return k }

// motions are the movements, which are the same in every list and text.
var motions = []binding{
	{action(list.Down), "down", keys("j", "down")},
	{action(list.Up), "up", keys("k", "up")},
	{action(list.Top), "to the first line", keys("g", "home")},
	{action(list.Bottom), "to the last line", keys("G", "end")},
	{action(list.HalfDown), "half a page down", keys("ctrl+d")},
	{action(list.HalfUp), "half a page up", keys("ctrl+u")},
	{action(list.PageDown), "a page down", keys("pgdown", "ctrl+f")},
	{action(list.PageUp), "a page up", keys("pgup", "ctrl+b")},
}

// movable returns the motions followed by the other bindings of a place.
func movable(rows ...binding) []binding { return slices.Concat(motions, rows) }

// closable returns the bindings of a dialog: the movements, its own bindings, the keys that close
// it, and help. word describes what closing does.
func closable(word string, rows ...binding) []binding {
	return movable(append(rows, binding{actionClose, word, keys("esc", "q")}, binding{actionHelp, "help", keys("?")})...)
}

// isMotion reports whether an action only moves.
func isMotion(a action) bool {
	return slices.ContainsFunc(motions, func(b binding) bool { return b.action == a })
}

// keymap is the table of all keys after the user's settings have been applied. The handling of
// keys, the help, the palette and the hints read it. No other code names a key.
type keymap struct {
	tables []table
	// taken lists, as messages, the keys that the settings have taken away from other actions.
	taken []string
}

// newKeymap collects the tables of all places and applies the key bindings from the settings.
func newKeymap(own []config.Binding) *keymap {
	k := &keymap{tables: []table{{placeAlways, alwaysKeys()}, {placeMain, mainKeys()}}}
	for _, v := range panels {
		k.tables = append(k.tables, table{v.place, slices.Clone(v.keys)})
	}
	for _, t := range dialogTables {
		k.tables = append(k.tables, table{t.place, slices.Clone(t.rows)})
	}
	for _, b := range own {
		k.rebind(b)
	}
	return k
}

// rebind gives an action other keys in every place that has the action.
func (k *keymap) rebind(b config.Binding) {
	for _, t := range k.tables {
		actions := t.actions()
		for _, lost := range b.Rebind(actions) {
			k.taken = append(k.taken, fmt.Sprintf("settings: key %s now does %s.%s and no longer %s.%s", controls.Spell(lost.Key), t.place, b.Action, t.place, lost.Action))
		}
		for i := range t.rows {
			t.rows[i].keys = actions[i].Keys
		}
	}
}

// actions returns the bindings of a table in the form that the settings use.
func (t table) actions() []config.Action {
	out := make([]config.Action, len(t.rows))
	for i, b := range t.rows {
		help := b.help
		if help == "" {
			help = "the form of the step"
		}
		out[i] = config.Action{Place: string(t.place), Name: string(b.action), Help: help, Keys: b.keys}
	}
	return out
}

// of returns the bindings of a place.
func (k *keymap) of(p place) []binding {
	for _, t := range k.tables {
		if t.place == p {
			return t.rows
		}
	}
	return nil
}

// meaning returns the action that a key has in a place. It returns false if it has none.
func (k *keymap) meaning(p place, key string) (action, bool) {
	for _, b := range k.of(p) {
		if slices.Contains(b.keys, key) {
			return b.action, true
		}
	}
	return "", false
}

// key returns the first key of an action in a place, spelled for users; "" if it has none.
func (k *keymap) key(p place, a action) string {
	for _, b := range k.of(p) {
		if b.action == a {
			return b.key()
		}
	}
	return ""
}

// key returns the first key, spelled for users; "" if there is none.
func (b binding) key() string {
	if len(b.keys) == 0 {
		return ""
	}
	return controls.Spell(b.keys[0])
}

// KeysOf returns every action with its keys under the given settings, including the actions of the
// list of models.
func KeysOf(c config.Config) []config.Action {
	var out []config.Action
	for _, t := range newKeymap(c.Keys).tables {
		out = append(out, t.actions()...)
	}
	return append(out, home.Actions(c.Keys)...)
}

// Vocabulary returns everything that the settings can name: all actions with their keys, and all
// columns.
func Vocabulary() config.Vocabulary {
	v := config.Vocabulary{Actions: KeysOf(config.Config{}), KeyNames: controls.KeyNames()}
	for _, c := range allColumns {
		v.Columns = append(v.Columns, config.Column{Name: c.name, Help: c.help, Shown: c.shown})
	}
	return v
}
