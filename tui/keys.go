package tui

import (
	"lathe/tui/actions"
	"lathe/tui/config"
	"lathe/tui/controls"
	"lathe/tui/home"
)

// action is the name of something that a user can do. Rows with the same name in several places do
// the same kind of thing, so that the settings can give them one key.
type action = actions.Name

// place is a part of the workbench in which keys have their own meanings: a pane, a dialog, or one
// of the general places below.
type place = actions.Place

// row is an action of a pane, of a dialog, or of the main screen.
type row[T any] = actions.Row[T]

// placeAlways and placeMain are the places that are neither a pane nor a dialog.
const (
	placeAlways place = "always" // also while a dialog is open
	placeMain   place = "main"   // in every pane that does not use the key itself
)

func keys(k ...string) []string { return k }

// newKeymap collects the actions of all places and applies the key bindings from the settings.
func newKeymap(own []config.Binding) *actions.Keymap {
	tables := []actions.Table{{Place: placeAlways, Actions: alwaysActions()}, {Place: placeMain, Actions: mainActions()}}
	for _, v := range panels() {
		tables = append(tables, actions.Table{Place: v.place, Actions: v.actions})
	}
	return actions.NewKeymap(append(tables, dialogTables()...), own)
}

// KeysOf returns every action with its keys under the given settings, including the actions of the
// list of models.
func KeysOf(c config.Config) []config.Action {
	return append(newKeymap(c.Keys).Settings(), home.Actions(c.Keys)...)
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
