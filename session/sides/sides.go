package sides

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/permit"
	"lathe/session"
	"lathe/session/flags"
	"lathe/session/runtime"
)

// sideOptions are the values of --a and --b: OPTION=VALUE, where OPTION is an option of every step
// that runs models.
type sideOptions struct{ A, B []string }

func (s *sideOptions) options() []session.Option {
	const usage = "run side %s with this `OPTION=VALUE`, such as opt=disable; repeat for several; options are those of a run, and runtime=LIB"
	return session.Measuring(
		session.List(&s.A, "a-option", fmt.Sprintf(usage, "a")).WithFlag("a").Checked(checkOwn).Holding(ownPath).AsUsual().Doing(ownDeeds),
		session.List(&s.B, "b-option", fmt.Sprintf(usage, "b")).WithFlag("b").Checked(checkOwn).Holding(ownPath).AsUsual().Doing(ownDeeds),
	)
}

// own has the options of one side: those that both sides share, with the changes of --a or --b.
type own struct {
	flags.Execution
	Runtime       string
	AllowExternal []string
}

func (o *own) options() []session.Option {
	return append(o.Execution.Options(),
		session.Path(&o.Runtime, "runtime", "ONNX Runtime library").Does(permit.Library),
		session.Paths(&o.AllowExternal, "allow-external", "folder that may hold external data").Does(permit.Reach),
	)
}

// ownOf applies the values of --a or --b to the options that both sides share. A list that is given
// for one side replaces the shared list.
func ownOf(both flags.Execution, said []string) (own, error) {
	o := own{Execution: both}
	var begun []string
	for _, s := range said {
		option, value, err := o.find(s)
		if err != nil {
			return o, err
		}
		switch {
		case !slices.Contains(begun, option.Name):
			option.Reset()
			begun = append(begun, option.Name)
		case !option.IsList() && !slices.Equal(option.Values(), []string{value}):
			return o, session.UsageError(fmt.Sprintf("%s: given twice for one side, as %q and as %q; it takes one value", option.Name, strings.Join(option.Values(), ""), value))
		}
		if err := option.Set(value); err != nil {
			return o, fmt.Errorf("%s", strings.TrimPrefix(err.Error(), "--"))
		}
	}
	return o, nil
}

// checkOwn returns the error of a single value of --a or --b.
func checkOwn(said string) error {
	_, err := ownOf(flags.Execution{}, []string{said})
	return err
}

// ownPath replaces the path in a value of --a or --b, if there is one.
func ownPath(said string, path func(string) string) string {
	name, value, given := strings.Cut(said, "=")
	for _, o := range (&own{}).options() {
		if given && value != "" && o.Name == name {
			return name + "=" + o.WithPath(value, path)
		}
	}
	return said
}

// ownDeeds returns what a value of --a or --b does.
func ownDeeds(said string) []permit.Deed {
	name, value, _ := strings.Cut(said, "=")
	return session.DeedsOf((&own{}).options(), name, value)
}

// find splits OPTION=VALUE. A switch needs no value.
func (o *own) find(said string) (session.Option, string, error) {
	name, value, given := strings.Cut(said, "=")
	options := o.options()
	at := slices.IndexFunc(options, func(o session.Option) bool { return o.Name == name })
	switch {
	case at < 0:
		return session.Option{}, "", unknownOwn(name, options)
	case !given && options[at].Implied != "":
		return options[at], options[at].Implied, nil
	case !given || value == "":
		return session.Option{}, "", fmt.Errorf("%q: expected OPTION=VALUE, such as opt=disable", said)
	}
	return options[at], value, nil
}

// unknownOwn returns an error for a name that is not an option of one side. It suggests similar
// names.
func unknownOwn(name string, options []session.Option) error {
	for _, o := range (&flags.Feeding{}).Options() {
		if o.Name == name {
			return fmt.Errorf("%q is not an option of one side: both are run on the same inputs", name)
		}
	}
	names := make([]string, len(options))
	for i, o := range options {
		names[i] = o.Name
	}
	if near := graphops.NearestNames(strings.TrimLeft(name, "-"), slices.Values(names)); len(near) > 0 {
		return fmt.Errorf("%q is not an option of one side; nearest names: %s", name, graphops.QuoteNames(near))
	}
	return fmt.Errorf("%q is not an option of one side; options are %s", name, strings.Join(names, ", "))
}

// apply returns the environment and the options with which the side runs.
func (o *own) apply(env session.Env) (session.Env, runtime.Execution, error) {
	how, err := o.Execution.Value(env)
	if err != nil {
		return env, how, err
	}
	if o.AllowExternal != nil {
		env.AllowExternal = o.AllowExternal
	}
	if o.Runtime == "" {
		return env, how, nil
	}
	if env.RuntimeFrom == nil {
		return env, how, fmt.Errorf("runtime=%s: no other ONNX Runtime can be used here", o.Runtime)
	}
	path := o.Runtime
	if how.On == "" {
		if path, err = filepath.Abs(path); err != nil {
			return env, how, err
		}
	}
	env.Runtime = env.RuntimeFrom(path)
	return env, how, nil
}

// Executor returns an executor for a model with the options of a side. flag names the side in
// errors.
func (s *Comparison) Executor(env session.Env, path, flag string, said []string) (*Executor, error) {
	o, err := ownOf(s.Execution, said)
	if err == nil {
		env, how, applied := o.apply(env)
		if applied == nil {
			return &Executor{env: env, Path: path, how: how, library: o.Runtime}, nil
		}
		err = applied
	}
	if len(said) == 0 {
		return nil, err
	}
	return nil, session.UsageError(fmt.Sprintf("side %s: %s", flag, err))
}
