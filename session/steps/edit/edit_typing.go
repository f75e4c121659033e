package edit

import (
	"lathe/graphops/edit"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/trial"
)

// typing has the options of the steps whose change may make recorded types wrong, or may make a
// model that the runtime rejects.
type typing struct {
	Unchecked bool
	KeepTypes bool
}

func (t *typing) options() []session.Option {
	return []session.Option{
		flags.NoCheckOption(&t.Unchecked, "do not check that ONNX Runtime accepts the result, and drop recorded types that may be wrong", "unchecked"),
		session.Switch(&t.KeepTypes, "keep-types", "keep recorded types and shapes after the change, even if they may be wrong"),
	}
}

// value returns the options for package edit, which asks the runtime of env for types.
func (t *typing) value(env session.Env) edit.Typing {
	o := edit.Typing{Keep: t.KeepTypes}
	if !t.Unchecked {
		o.Typer = trial.Typer{Env: env}
	}
	return o
}
