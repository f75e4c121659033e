package steps

import (
	"lathe/graphops/edit"
	"lathe/session"
)

// typing is what the steps share whose edit may falsify recorded types, or make
// what no runtime takes.
type typing struct {
	Unchecked bool
	KeepTypes bool
}

func (t *typing) options() []session.Option {
	return []session.Option{
		session.Switch(&t.Unchecked, "unchecked", "do not ask the runtime: make what it may refuse, and forget types that may not hold"),
		session.Switch(&t.KeepTypes, "keep-types", "keep types and shapes behind the change as they are recorded, where they may not hold any more"),
	}
}

// value is the engine's form, which asks the runtime of env.
func (t *typing) value(env session.Env) edit.Typing {
	o := edit.Typing{Keep: t.KeepTypes}
	if !t.Unchecked {
		o.Typer = typer{env}
	}
	return o
}
