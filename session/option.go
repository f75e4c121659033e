package session

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/permit"
)

// OptionKind is the kind of value that an option has. Commands and forms depend on it.
type OptionKind int

// The kinds of option.
const (
	KindText OptionKind = iota
	KindList            // text that may be given several times
	KindPath            // a file; relative to the recipe in a recipe
	KindPaths
	KindInt
	KindFloat
	KindSwitch
	KindChoice
)

// Option is one setting of a step, bound to a field of it. The command's flag,
// the form's field and the recipe's key are all read from here.
type Option struct {
	Name    string // the recipe's key, the form's label, and the long flag if Flag is ""
	Flag    string // the long flag if it differs from Name: see LongFlag
	Short   string // the flag of one letter, or ""
	Usage   string // one line; it does not state the default
	Kind    OptionKind
	Choices []string
	// Default is what the step does if the option is not given: a value, such as "5", or a short
	// phrase, such as "the model's outputs". It is "" if this is obvious.
	Default string
	// Implied is the value of a flag that is given without a value, or "" if the flag needs one.
	Implied string
	// Required options must be given.
	Required bool
	// Standing is how often people need the option.
	Standing Standing
	// Group is where help lists the option.
	Group Group
	// Role says what the option means, for options that mean the same in every step, such as the
	// file to which the model is written.
	Role Role
	// Measures marks an option that affects a measurement. Results are comparable only if they have
	// the same values of such options.
	Measures bool
	// Aliases are earlier names. They are still accepted, but not shown.
	Aliases []string
	// Operand options are given on the command line without a flag.
	Operand bool
	// Extensions are those of the files that the option takes, such as ".onnx", for completion. It is
	// empty if any file may do.
	Extensions []string
	// Target options name a file that the step writes. Other path options name a file to read.
	Target bool
	// MayBeMissing options name a file that need not exist before the step runs, or a value that
	// looks like a path but is not one.
	MayBeMissing bool
	// Names says which kind of name in a model the value begins with. Then is the text that follows
	// this name, such as "=" in NAME=FILE. If ThenOptional is set, a value may also be the name
	// alone.
	Names        Subject
	Then         string
	ThenOptional bool

	within func(value string, path func(string) string) string
	parts  func(value string) []string
	look   func(value string) error
	deeds  func(value string) []permit.Deed

	set   func(string) error
	reset func()
	get   func() []string
}

// Set parses and stores a value. For the list kinds it appends.
func (o Option) Set(v string) error {
	if err := o.set(v); err != nil {
		return fmt.Errorf("--%s: %w", o.LongFlag(), err)
	}
	return nil
}

// Reset empties a list, or sets the zero value.
func (o Option) Reset() { o.reset() }

// Values returns the current value as texts that Set accepts. It is empty if nothing is set. Only
// list kinds have several texts.
func (o Option) Values() []string { return o.get() }

// NoList makes the option say why it refuses several values at once, such as 1,2.
func (o Option) NoList(why string) Option {
	set := o.set
	o.set = func(v string) error {
		if strings.Contains(v, ",") {
			return fmt.Errorf("%q is several values: %s", v, why)
		}
		return set(v)
	}
	return o
}

// Holding marks an option whose value contains a path, such as NAME=FILE. within calls path with
// the path in a value and returns the value with the result in its place.
func (o Option) Holding(within func(value string, path func(string) string) string) Option {
	o.within = within
	return o
}

// Looking sets a further check of values that may read files, so that a form can report an error
// before the step runs. The step repeats the check.
func (o Option) Looking(look func(value string) error) Option {
	o.look = look
	return o
}

// Look returns what is wrong with a value that Set accepted, or nil. It may read files.
func (o Option) Look(value string) error {
	if o.look == nil {
		return nil
	}
	return o.look(value)
}

// PathPart splits a value that a person is typing into a path and the text before it. ok is false if
// no path is typed, for example before the "=" in NAME=FILE.
func (o Option) PathPart(value string) (before, path string, ok bool) {
	switch {
	case o.within == nil:
		return "", value, o.IsPath()
	case len(o.Extensions) == 0:
		return "", "", false
	case o.Then == "":
		return "", value, !strings.Contains(value, ".py:")
	}
	i := strings.LastIndex(value, o.Then) + len(o.Then)
	if i < len(o.Then) {
		return "", "", false
	}
	return value[:i], value[i:], true
}

// IsPath reports whether the option's values are paths or contain a path.
func (o Option) IsPath() bool { return o.Kind == KindPath || o.Kind == KindPaths || o.within != nil }

// WithPath returns a value in which the path p is replaced by path(p). A value without a path is
// returned unchanged.
func (o Option) WithPath(value string, path func(string) string) string {
	switch {
	case o.within != nil:
		return o.within(value, path)
	case o.IsPath():
		return path(value)
	}
	return value
}

// IsList reports whether the option can have several values, so that Set appends.
func (o Option) IsList() bool { return o.Kind == KindList || o.Kind == KindPaths }

// WithDefault sets the text that says what the step does if the option is not given.
func (o Option) WithDefault(what string) Option { o.Default = what; return o }

// WithShort adds a flag of one letter.
func (o Option) WithShort(s string) Option { o.Short = s; return o }

// Standing is how often people need an option.
type Standing int

// The standings. Help and forms can hide rare options.
const (
	Unranked Standing = iota
	Main              // what most people set first; see Foremost
	Usual
	Rare
)

// IsUsual reports whether most people set the option.
func (s Standing) IsUsual() bool { return s == Main || s == Usual }

// AsUsual marks the option as one that most people set.
func (o Option) AsUsual() Option { o.Standing = Usual; return o }

// AsRare marks the option as one that few people set.
func (o Option) AsRare() Option { o.Standing = Rare; return o }

// AsRequired marks the option as one that must be given.
func (o Option) AsRequired() Option { o.Required = true; return o }

// AsOperand marks the option as one that is given on the command line without a flag.
func (o Option) AsOperand() Option { o.Operand = true; return o }

// AsTarget marks the option as one that names a file to be written.
func (o Option) AsTarget() Option { o.Target = true; return o }

// OfFiles sets the extensions of the files that the option takes.
func (o Option) OfFiles(extensions ...string) Option { o.Extensions = extensions; return o }

// ModelFiles are the extensions of model files.
var ModelFiles = []string{".onnx", ".ort", ".onnxtxt", ".onnxtext", ".textproto", ".prototxt", ".pbtxt", ".onnxjson"}

// TorchFiles are the extensions of files with a PyTorch model.
var TorchFiles = []string{".py", ".pt2", ".pt"}

// AsMaybeMissing marks the option as one whose file need not exist before the step runs.
func (o Option) AsMaybeMissing() Option { o.MayBeMissing = true; return o }

// WithImplied sets the value that the option gets if its flag is given without a value.
func (o Option) WithImplied(v string) Option { o.Implied = v; return o }

// Text is an option of free text.
func Text(p *string, name, usage string) Option {
	return Option{
		Name: name, Usage: usage, Kind: KindText,
		set:   func(v string) error { *p = v; return nil },
		reset: func() { *p = "" },
		get:   func() []string { return nonEmpty(*p) },
	}
}

// Path is an option that names a file.
func Path(p *string, name, usage string) Option {
	o := Text(p, name, usage)
	o.Kind = KindPath
	return o
}

// List is an option that may be given several times.
func List(p *[]string, name, usage string) Option {
	return Option{
		Name: name, Usage: usage, Kind: KindList,
		set:   func(v string) error { *p = append(slices.Clip(*p), v); return nil },
		reset: func() { *p = nil },
		get:   func() []string { return *p },
	}
}

// Paths is an option that names several files.
func Paths(p *[]string, name, usage string) Option {
	o := List(p, name, usage)
	o.Kind = KindPaths
	return o
}

// Switch is an option that is on or off.
func Switch(p *bool, name, usage string) Option {
	return Option{
		Name: name, Usage: usage, Kind: KindSwitch, Implied: "true",
		set: func(v string) error {
			b, err := strconv.ParseBool(v)
			if err != nil {
				return fmt.Errorf("%q is neither true nor false", v)
			}
			*p = b
			return nil
		},
		reset: func() { *p = false },
		get: func() []string {
			if *p {
				return []string{"true"}
			}
			return nil
		},
	}
}

// Int is an option for an integer of at least least.
func Int(p *int64, name, usage string, least int64) Option {
	return Option{
		Name: name, Usage: usage, Kind: KindInt,
		set: func(v string) error {
			n, err := strconv.ParseInt(v, 10, 64)
			if err != nil || n < least {
				return fmt.Errorf("%q is not an integer of at least %d", v, least)
			}
			*p = n
			return nil
		},
		reset: func() { *p = 0 },
		get: func() []string {
			if *p == 0 {
				return nil
			}
			return []string{strconv.FormatInt(*p, 10)}
		},
	}
}

// Float is an option for a number above 0.
func Float(p *float64, name, usage string) Option {
	return Option{
		Name: name, Usage: usage, Kind: KindFloat,
		set: func(v string) error {
			x, err := strconv.ParseFloat(v, 64)
			if err != nil || !(x > 0) {
				return fmt.Errorf("%q is not a number above 0", v)
			}
			*p = x
			return nil
		},
		reset: func() { *p = 0 },
		get: func() []string {
			if *p == 0 {
				return nil
			}
			return []string{strconv.FormatFloat(*p, 'g', -1, 64)}
		},
	}
}

// FloatFromZero is an option for a number of at least 0. *p is nil if the option is not given.
func FloatFromZero(p **float64, name, usage string) Option {
	return Option{
		Name: name, Usage: usage, Kind: KindFloat,
		set: func(v string) error {
			x, err := strconv.ParseFloat(v, 64)
			if err != nil || !(x >= 0) || math.IsInf(x, 1) {
				return fmt.Errorf("%q is not a number of at least 0", v)
			}
			*p = &x
			return nil
		},
		reset: func() { *p = nil },
		get: func() []string {
			if *p == nil {
				return nil
			}
			return []string{strconv.FormatFloat(**p, 'g', -1, 64)}
		},
	}
}

// Choice is an option with a fixed set of values.
func Choice(p *string, name, usage string, choices ...string) Option {
	o := Text(p, name, usage)
	o.Kind, o.Choices = KindChoice, choices
	o.set = func(v string) error {
		if !slices.Contains(choices, v) {
			return fmt.Errorf("%q is not one of %s%s", v, strings.Join(choices, ", "), meantChoice(v, choices))
		}
		*p = v
		return nil
	}
	return o
}

// meantChoice suggests a choice for a misspelled value: "; did you mean …?". It suggests the only
// choice that begins with the value, or else the most similar one, or else the one that contains a
// similar word. It returns "" if no single choice fits.
func meantChoice(v string, choices []string) string {
	var meant []string
	for _, c := range choices {
		if v != "" && strings.HasPrefix(c, v) {
			meant = append(meant, c)
		}
	}
	if len(meant) == 0 {
		meant = graphops.NearestNames(v, slices.Values(choices))
	}
	if len(meant) == 0 {
		meant = slices.DeleteFunc(slices.Clone(choices), func(c string) bool {
			return len(graphops.NearestNames(v, strings.SplitSeq(c, "-"))) == 0
		})
	}
	if len(meant) != 1 {
		return ""
	}
	return fmt.Sprintf("; did you mean %q?", meant[0])
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}
