package tui

import (
	"slices"

	"lathe/tui/actions"
	"lathe/tui/config"
	"lathe/tui/controls"
	"lathe/tui/graph"
	"lathe/tui/home"
	"lathe/tui/members"
	"lathe/tui/shell"
)

// newKeymap collects the actions of all places and applies the key bindings from the settings.
func newKeymap(own []config.Binding) *actions.Keymap {
	tables := []actions.Table{{Place: shell.PlaceAlways, Actions: alwaysActions()}, {Place: shell.PlaceMain, Actions: mainActions()}}
	for _, v := range panels() {
		tables = append(tables, actions.Table{Place: v.Place, Actions: v.Actions})
	}
	return actions.NewKeymap(append(tables, dialogTables()...), own)
}

// KeysOf returns every action with its keys under the given settings, including the actions of the
// list of models.
func KeysOf(c config.Config) []config.Action {
	return slices.Concat(newKeymap(c.Keys).Settings(), home.Actions(c.Keys), members.Actions(c.Keys))
}

// Vocabulary returns everything that the settings can name: all actions with their keys, and all
// columns.
func Vocabulary() config.Vocabulary {
	v := config.Vocabulary{Actions: KeysOf(config.Config{}), KeyNames: controls.KeyNames()}
	for _, c := range graph.AllColumns {
		v.Columns = append(v.Columns, config.Column{Name: c.Name, Help: c.Help, Shown: c.Shown})
	}
	return v
}
