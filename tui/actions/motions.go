package actions

import (
	"slices"

	"lathe/tui/list"
)

// motion is a movement with its help text and keys.
type motion struct {
	motion list.Motion
	help   string
	keys   []string
}

// motions are the movements, which are the same in every list and text.
var motions = []motion{
	{list.Down, "down", []string{"j", "down"}},
	{list.Up, "up", []string{"k", "up"}},
	{list.Top, "to the first line", []string{"g", "home"}},
	{list.Bottom, "to the last line", []string{"G", "end"}},
	{list.HalfDown, "half a page down", []string{"ctrl+d"}},
	{list.HalfUp, "half a page up", []string{"ctrl+u"}},
	{list.PageDown, "a page down", []string{"pgdown", "ctrl+f"}},
	{list.PageUp, "a page up", []string{"pgup", "ctrl+b"}},
}

// Moving returns the actions of all movements, followed by those of other rows.
func Moving[T any](move func(T, list.Motion), rows []Row[T]) []Action {
	all := make([]Row[T], 0, len(motions)+len(rows))
	for _, m := range motions {
		all = append(all, Motion(m.motion, m.help, m.keys, move))
	}
	return Of(append(all, rows...))
}

// Motion returns the row of one movement.
func Motion[T any](m list.Motion, help string, keys []string, move func(T, list.Motion)) Row[T] {
	return Now(Name(m), help, keys, func(owner T) { move(owner, m) })
}

// IsMotion reports whether an action only moves.
func (n Name) IsMotion() bool {
	return slices.ContainsFunc(motions, func(m motion) bool { return Name(m.motion) == n })
}
