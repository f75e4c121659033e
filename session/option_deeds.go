package session

import (
	"slices"

	"lathe/graphops/permit"
)

// Does states what every value of the option makes the step do on this machine besides reading files
// and computing. It is what a person is asked about before a recipe from somebody else runs. An
// option that writes a file states that with AsTarget, and one that replaces files with RoleForce.
func (o Option) Does(deeds ...permit.Deed) Option {
	return o.Doing(func(string) []permit.Deed { return deeds })
}

// Doing does what Does does if the deeds depend on the value. A path in the value is as the step
// gets it.
func (o Option) Doing(deeds func(value string) []permit.Deed) Option {
	o.deeds = deeds
	return o
}

// Deeds returns what a value that Set accepted makes the step do.
func (o Option) Deeds(value string) []permit.Deed {
	var list []permit.Deed
	if o.Target {
		list = append(list, permit.Write)
	}
	if o.Role == RoleForce {
		list = append(list, permit.Replace)
	}
	if o.deeds != nil {
		list = append(list, o.deeds(value)...)
	}
	return list
}

// DeedsOf returns what an assignment, OPTION=VALUE, of some options does.
func DeedsOf(options []Option, name, value string) []permit.Deed {
	i := slices.IndexFunc(options, func(o Option) bool { return o.called(name) })
	if i < 0 {
		return nil
	}
	return options[i].Deeds(value)
}

// StatesDeeds reports whether the option says what it does with Does or Doing.
func (o Option) StatesDeeds() bool { return o.deeds != nil }
