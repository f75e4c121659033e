package session

import (
	"context"
	"io"

	"lathe/bench"
	"lathe/graphops"
	"lathe/graphops/onnxtext"
	"lathe/session/python"
	"lathe/session/runtime"
)

// Command is a step as it is written on a command line or in a recipe: a name, and options with
// their values.
type Command interface {
	// Name is the name of the step: as a command, as a key in a recipe, and in the command palette
	// of the workbench.
	Name() string
	// Options returns the options of the step. They read and write the step's fields.
	Options() []Option
}

// Step is one thing that a person can do to a model or with it, such as simplifying or running it.
// Its options are stored in its fields, so every use needs a new Step.
type Step interface {
	Command
	// Summary says in one line what the step does.
	Summary() string
	// Preview reports what Run would do. It writes nothing.
	Preview(ctx context.Context, env Env, m *graphops.Model) (Preview, error)
	// Run runs the step. If the context ends, it may return the report of what is done, beside the error.
	Run(ctx context.Context, env Env, m *graphops.Model) (Result, error)
}

// OfFolder is a step that also takes a folder whose models form one pipeline, in place of a model.
type OfFolder interface {
	Step
	// RunFolder runs the step on the folder at a path.
	RunFolder(ctx context.Context, env Env, path string) (Result, error)
}

// Env is what a step may use apart from the model.
type Env struct {
	// Runtime runs models. It is never nil: if no library is found, its methods return
	// an error.
	Runtime runtime.Runtime
	// RuntimeFrom returns a runtime that uses the library at the given path. It is nil if no
	// library other than that of Runtime may be used.
	RuntimeFrom func(library string) runtime.Runtime
	// Progress is called with the progress of a step. It is never nil.
	Progress func(Progress)
	// Python finds the Python of the user. It is nil if Python may not be run.
	Python func() (python.Interpreter, error)
	// Stdin reads the model from standard input for "-". It is nil unless the step runs as a
	// command.
	Stdin func(context.Context) (*graphops.Model, error)
	// Results is the folder for results of measurements. If it is "", they are not stored.
	Results string
	// Models are models in memory that are in no file, by the name that steps open them with. They can
	// be run only on this machine, or sent to another one.
	Models map[string]*graphops.Model
	// Origin says how a model was made that a session made, by its file or by the model itself. It is
	// nil for commands.
	Origin func(path string, m *graphops.Model) (Origin, bool)
	// AllowExternal are folders besides the model's that may hold external data.
	AllowExternal []string
	// Version is the version of this program.
	Version string
	// Cache is the folder for files that can be computed again. If it is "", nothing is cached.
	Cache string
	// Flags are flags that every suggested command needs so that it runs as this process does.
	// Their paths are absolute.
	Flags []string
}

// Open opens another model under the rules of this environment.
func (e Env) Open(path string) (*graphops.Model, error) {
	if m := e.Models[path]; m != nil {
		return m, nil
	}
	return graphops.Open(path, graphops.OpenOptions{AllowExternal: e.AllowExternal, Text: onnxtext.Serialize})
}

// RuntimeVersion returns the version of the ONNX Runtime that models would run on, or ""
// if none is found. It reads the library's file without loading it.
func (e Env) RuntimeVersion(ctx context.Context) string {
	if r, ok := e.Runtime.(interface {
		Version(context.Context) string
	}); ok {
		return r.Version(ctx)
	}
	return ""
}

// HasProvider returns a function that reports whether this machine has an execution provider, by its
// name in the form for --ep. It returns nil if nobody can say.
func (e Env) HasProvider(ctx context.Context) func(name string) (has, known bool) {
	r, ok := e.Runtime.(interface {
		HasProvider(ctx context.Context, name string) (has, known bool)
	})
	if !ok {
		return nil
	}
	return func(name string) (has, known bool) { return r.HasProvider(ctx, name) }
}

// Progress is how much a step has done.
type Progress struct {
	Phase string // the present activity, such as "writing" or "warm-up"
	Done  int64
	Total int64 // 0 if unknown
	Unit  string
	// Sights are the present state of each measurement. It is nil for a step that does not measure.
	Sights []bench.Sight
}

// Report is the result of a step, as text for people and as JSON with documented keys.
type Report interface {
	// WriteText writes the report as plain text. Names are cleaned of control characters.
	WriteText(w io.Writer) error
}

// Thorough is a report that shortens a long list in WriteText. WriteWhole writes the whole list,
// for a view that can scroll.
type Thorough interface {
	Report
	WriteWhole(w io.Writer) error
}

// Explained is an error that has more to say than fits in one line. Explain writes all of it.
type Explained interface {
	error
	Explain(w io.Writer) error
}

// Preview is what a step would do.
type Preview struct {
	Report Report
	// Keep says for each node of the main graph whether it would stay. It is nil if the step does
	// not remove nodes.
	Keep []bool
}

// Introspecting is a step whose preview runs code of the user, such as a Python script, to find the
// names that its options accept. The preview is made only on request, and not on every change of
// the form.
type Introspecting interface {
	Step
	// Introspects does nothing. It marks the step.
	Introspects()
}

// Introspected is the report in the preview of an Introspecting step.
type Introspected interface {
	Report
	// Nameable returns the names of one kind that the preview found.
	Nameable(of Subject) []Nameable
}

// Nameable is a name that an option accepts, with a description.
type Nameable struct{ Name, About string }

// Result is the outcome of a step.
type Result struct {
	// Model is the new model. It is nil if the step does not change the model.
	Model  *graphops.Model
	Report Report
	// Files are the files written.
	Files []string
	// No is set if the step's answer is "no": the outputs differ, the model became slower, or it
	// has problems.
	No bool
}
