package steps

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/session"
)

// sideOptions are what --a and --b say: OPTION=VALUE, of the options of every step that
// runs a model.
type sideOptions struct{ A, B []string }

func (s *sideOptions) options() []session.Option {
	const usage = "run side %s with this `OPTION=VALUE`, such as opt=disable; repeat for several; options are those of a run, and runtime=LIB"
	return session.Measuring(
		session.List(&s.A, "a-option", fmt.Sprintf(usage, "a")).WithFlag("a").Checked(checkOwn).Holding(ownPath).AsUsual(),
		session.List(&s.B, "b-option", fmt.Sprintf(usage, "b")).WithFlag("b").Checked(checkOwn).Holding(ownPath).AsUsual(),
	)
}

// own is how one side runs: as both do, but for what is said of it alone.
type own struct {
	execution
	Runtime       string
	AllowExternal []string
}

func (o *own) options() []session.Option {
	return append(o.execution.options(),
		session.Path(&o.Runtime, "runtime", "ONNX Runtime library"),
		session.Paths(&o.AllowExternal, "allow-external", "folder that may hold external data"),
	)
}

// ownOf is how a side runs of which this is said. What is given of an option stands in
// place of all that both sides were given of it.
func ownOf(both execution, said []string) (own, error) {
	o := own{execution: both}
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

// checkOwn is the error of a value of --a or --b by itself.
func checkOwn(said string) error {
	_, err := ownOf(execution{}, []string{said})
	return err
}

// ownPath replaces the path in what --a or --b say, if there is one.
func ownPath(said string, path func(string) string) string {
	name, value, given := strings.Cut(said, "=")
	for _, o := range (&own{}).options() {
		if given && value != "" && o.Name == name {
			return name + "=" + o.WithPath(value, path)
		}
	}
	return said
}

// find takes OPTION=VALUE apart. A switch needs no value.
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

// unknownOwn tells why a name is no option of one side, and which are near.
func unknownOwn(name string, options []session.Option) error {
	for _, o := range (&feeding{}).options() {
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

// apply is the environment and the way that the side runs in.
func (o *own) apply(env session.Env) (session.Env, session.Execution, error) {
	how, err := o.execution.value(env)
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

// executor makes one of a model that runs as this side does; flag names it in errors.
func (s *Validate) executor(env session.Env, path, flag string, said []string) (*executor, error) {
	o, err := ownOf(s.execution, said)
	if err == nil {
		env, how, applied := o.apply(env)
		if applied == nil {
			return &executor{env: env, path: path, how: how, library: o.Runtime}, nil
		}
		err = applied
	}
	if len(said) == 0 {
		return nil, err
	}
	return nil, session.UsageError(fmt.Sprintf("side %s: %s", flag, err))
}
