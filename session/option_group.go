package session

import (
	"slices"
)

// Group is where help lists an option.
type Group int

// The groups, in the order of help.
const (
	GroupStep    Group = iota // what the step does, and to which part of the model
	GroupInputs               // the values that models run on
	GroupRunOn                // the execution provider and the machine
	GroupRuntime              // how ONNX Runtime loads and runs a model
	GroupResult               // what is done with the result
	groups
)

// Groups are all groups in order.
func Groups() []Group {
	list := make([]Group, groups)
	for i := range list {
		list[i] = Group(i)
	}
	return list
}

// String is the title of the group.
func (g Group) String() string {
	return [groups]string{"Options", "Inputs", "Run on", "Runtime", "Result"}[g]
}

// Grouped puts options into a group.
func Grouped(g Group, options ...Option) []Option {
	for i := range options {
		options[i].Group = g
	}
	return options
}

// Suited is a step whose most important options are others if the model generates with a cache.
type Suited interface {
	Step
	// FirstOptions returns the names for Foremost.
	FirstOptions(hasCache bool) []string
}

// OptionsFor returns the options of a step, those first that matter for a model with or without a cache.
func OptionsFor(s Step, hasCache bool) []Option {
	if suited, ok := s.(Suited); ok {
		return Foremost(s.Options(), suited.FirstOptions(hasCache)...)
	}
	return s.Options()
}

// Foremost marks the options that most people set first, and moves them to the front in the order of
// their names. Forms show only these until a person asks for more. A name that no option has is
// skipped, because some steps have an option only in some cases.
func Foremost(options []Option, names ...string) []Option {
	rank := func(o Option) int {
		if at := slices.Index(names, o.Name); at >= 0 {
			return at
		}
		return len(names)
	}
	for i, o := range options {
		if rank(o) < len(names) {
			options[i].Standing = Main
		} else if o.Standing == Main {
			options[i].Standing = Usual
		}
	}
	slices.SortStableFunc(options, func(a, b Option) int { return rank(a) - rank(b) })
	return options
}

// In puts the option into a group.
func (o Option) In(g Group) Option { o.Group = g; return o }

// Role is a meaning that an option can have in every step. With it, code can find the option in any
// step.
type Role int

// The roles. They are for code that has to find an option in any step.
const (
	NoRole    Role = iota
	RoleModel      // the file to which the step writes the model; if it is not given, a command only shows a preview
	RoleForce      // existing files are replaced
)

// As gives the option a role.
func (o Option) As(r Role) Option { o.Role = r; return o }

// WithRole returns the option of a step that has the role r, or false if no option has it.
func WithRole(s Command, r Role) (Option, bool) {
	for _, o := range s.Options() {
		if o.Role == r {
			return o, true
		}
	}
	return Option{}, false
}

// Measuring marks options that affect a measurement, see Option.Measures.
func Measuring(options ...Option) []Option {
	for i := range options {
		options[i].Measures = true
	}
	return options
}

// Measured sets Measures: results are comparable only if they have the same value of the option.
func (o Option) Measured() Option { o.Measures = true; return o }

// called reports whether the option has this name or had it earlier.
func (o Option) called(name string) bool { return name == o.Name || slices.Contains(o.Aliases, name) }

// Formerly adds earlier names that take the same values as the option.
func (o Option) Formerly(names ...string) Option {
	o.Aliases = append(o.Aliases, names...)
	return o
}
