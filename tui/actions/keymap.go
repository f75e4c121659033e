package actions

import (
	"fmt"
	"slices"

	"lathe/tui/config"
	"lathe/tui/controls"
)

// Table holds the actions of one place.
type Table struct {
	Place   Place
	Actions []Action
}

// Keymap holds the actions of all places, with the keys that the user's settings give them. Only
// the rows of the tables name keys.
type Keymap struct {
	Tables []Table
	// Taken lists, as messages, the keys that the settings have taken away from other actions.
	Taken []string
}

// NewKeymap applies the key bindings of the settings to tables. The keymap owns the tables.
func NewKeymap(tables []Table, own []config.Binding) *Keymap {
	k := &Keymap{Tables: tables}
	for _, b := range own {
		k.rebind(b)
	}
	return k
}

// rebind gives an action other keys in every place that has the action.
func (k *Keymap) rebind(b config.Binding) {
	for _, t := range k.Tables {
		settings := t.settings()
		for _, lost := range b.Rebind(settings) {
			k.Taken = append(k.Taken, fmt.Sprintf("settings: key %s now does %s.%s and no longer %s.%s", controls.Spell(lost.Key), t.Place, b.Action, t.Place, lost.Action))
		}
		for i := range t.Actions {
			t.Actions[i].Keys = settings[i].Keys
		}
	}
}

// Settings returns the actions of all places in the form that the settings use.
func (k *Keymap) Settings() []config.Action {
	var out []config.Action
	for _, t := range k.Tables {
		out = append(out, t.settings()...)
	}
	return out
}

func (t Table) settings() []config.Action {
	out := make([]config.Action, len(t.Actions))
	for i, a := range t.Actions {
		out[i] = config.Action{Place: string(t.Place), Name: string(a.Name), Help: a.Help, Keys: a.Keys}
	}
	return out
}

// Of returns the actions of a place.
func (k *Keymap) Of(p Place) []Action {
	for _, t := range k.Tables {
		if t.Place == p {
			return t.Actions
		}
	}
	return nil
}

// Meaning returns the action that a key has in a place. It returns nil if it has none.
func (k *Keymap) Meaning(p Place, key string) *Action {
	return k.first(p, func(a *Action) bool { return slices.Contains(a.Keys, key) })
}

// Find returns an action of a place, or nil.
func (k *Keymap) Find(p Place, n Name) *Action {
	return k.first(p, func(a *Action) bool { return a.Name == n })
}

func (k *Keymap) first(p Place, is func(*Action) bool) *Action {
	all := k.Of(p)
	for i := range all {
		if is(&all[i]) {
			return &all[i]
		}
	}
	return nil
}

// Key returns the first key of an action in a place as users know it, or "" if it has none.
func (k *Keymap) Key(p Place, n Name) string {
	a := k.Find(p, n)
	if a == nil {
		return ""
	}
	return a.Key()
}
