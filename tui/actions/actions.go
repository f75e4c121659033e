// Package actions describes what a user can do in a part of a terminal program. Everything about an
// action is in one row: its name, help text and keys, its function, and why it is not possible at the
// moment. The handling of keys, the help, the palette, the hints and the settings all read the rows.
package actions

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"lathe/tui/controls"
)

// Name identifies an action in its place. The settings use these names.
type Name string

// Place is a part of the program in which keys have their own meanings, such as a pane or a dialog.
type Place string

// Row is an action of a pane, a dialog or a screen. T is the type of that owner.
type Row[T any] struct {
	name    Name
	help    string
	keys    []string
	do      func(T) tea.Cmd
	with    func(T, string) tea.Cmd
	accepts func(string) bool // nil: every word
	nots    []func(T) string
	heading string
}

// New returns a row. Keys are spelled as tea.KeyPressMsg.String does; hints show the first. do
// performs the action and returns slow work as a command. Each of nots may return why the action is
// not possible at the moment, or ""; one is called only if those before it know no reason.
func New[T any](name Name, help string, keys []string, do func(T) tea.Cmd, nots ...func(T) string) Row[T] {
	return Row[T]{name: name, help: help, keys: keys, do: do, nots: nots}
}

// With returns the row of an action to which a person may add a word in the palette, such as the file
// in ":e model.onnx". do then performs the action with that word.
func (r Row[T]) With(do func(owner T, word string) tea.Cmd) Row[T] {
	r.with = do
	return r
}

// Accepting sets which words the action takes. Another word is one of several that describe an action,
// such as "tensor" in "save tensor".
func (r Row[T]) Accepting(is func(word string) bool) Row[T] {
	r.accepts = is
	return r
}

// Under puts rows below a heading of the help.
func Under[T any](heading string, rows []Row[T]) []Row[T] {
	out := slices.Clone(rows)
	for i := range out {
		out[i].heading = heading
	}
	return out
}

// Now returns a row for a function that has no slow work.
func Now[T any](name Name, help string, keys []string, do func(T), nots ...func(T) string) Row[T] {
	return New(name, help, keys, func(owner T) tea.Cmd {
		do(owner)
		return nil
	}, nots...)
}

func (r Row[T]) refusal(owner T) string {
	for _, not := range r.nots {
		if why := not(owner); why != "" {
			return why
		}
	}
	return ""
}

// Keys lists the keys of a row.
func Keys(keys ...string) []string { return keys }

// Unless returns "" if can is true, and otherwise the reason why an action is not possible.
func Unless(can bool, why string) string {
	if can {
		return ""
	}
	return why
}

// Through returns rows of an owner that leads to another one: each row acts on the other.
func Through[A, B any](lead func(A) B, rows []Row[B]) []Row[A] {
	out := make([]Row[A], len(rows))
	for i, r := range rows {
		out[i] = Row[A]{
			name: r.name, help: r.help, keys: r.keys, heading: r.heading, accepts: r.accepts,
			do:   func(owner A) tea.Cmd { return r.do(lead(owner)) },
			nots: []func(A) string{func(owner A) string { return r.refusal(lead(owner)) }},
		}
		if r.with != nil {
			out[i].with = func(owner A, word string) tea.Cmd { return r.with(lead(owner), word) }
		}
	}
	return out
}

// Action is a row that can be kept in one list with the rows of other types of owners.
type Action struct {
	Name    Name
	Help    string
	Keys    []string
	Heading string // of the part of the help that lists the action; "" if it has none
	do      func(owner any) tea.Cmd
	with    func(owner any, word string) tea.Cmd
	accepts func(word string) bool
	refusal func(owner any) string
}

// Of returns the actions that rows describe.
func Of[T any](rows []Row[T]) []Action {
	out := make([]Action, len(rows))
	for i, r := range rows {
		out[i] = Action{
			Name: r.name, Help: r.help, Keys: r.keys, Heading: r.heading, accepts: r.accepts,
			do:      func(owner any) tea.Cmd { return r.do(owner.(T)) },
			refusal: func(owner any) string { return r.refusal(owner.(T)) },
		}
		if r.with != nil {
			out[i].with = func(owner any, word string) tea.Cmd { return r.with(owner.(T), word) }
		}
	}
	return out
}

// Do performs the action. The owner has the type for which the row was made.
func (a *Action) Do(owner any) tea.Cmd { return a.do(owner) }

// TakesWord reports whether a person may add a word to the action in the palette.
func (a *Action) TakesWord() bool { return a.with != nil }

// Accepts reports whether a word that follows one that describes the action is meant for it.
func (a *Action) Accepts(word string) bool { return a.accepts == nil || a.accepts(word) }

// DoWith performs the action with a word. The action takes one.
func (a *Action) DoWith(owner any, word string) tea.Cmd { return a.with(owner, word) }

// Refusal returns why the action is not possible at the moment, or "".
func (a *Action) Refusal(owner any) string { return a.refusal(owner) }

// Key returns the first key as users know it, or "" if it has no keys.
func (a *Action) Key() string {
	if len(a.Keys) == 0 {
		return ""
	}
	return controls.Spell(a.Keys[0])
}
