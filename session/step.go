package session

import (
	"context"
	"io"

	"lathe/bench"
	"lathe/bench/store"
	"lathe/graphops"
	"lathe/graphops/onnxtext"
	"lathe/session/python"
)

// Step is one thing that a person can do to a model or with it. It is a value
// that its options write into; every use makes a new one.
type Step interface {
	// Name is the command, the recipe's key and the palette's entry.
	Name() string
	// Summary says in one line what the step does.
	Summary() string
	// Options are bound to the step's own fields.
	Options() []Option
	// Preview tells what Run would do and writes nothing.
	Preview(ctx context.Context, env Env, m *graphops.Model) (Preview, error)
	// Run does it.
	Run(ctx context.Context, env Env, m *graphops.Model) (Result, error)
}

// A Looker is a step that also looks at files that are no models.
type Looker interface {
	// Look reports on a file; the report is nil for one that is to be opened as a model,
	// or told why it is none.
	Look(ctx context.Context, env Env, path string) (Report, error)
}

// Env is what a step may use besides the model.
type Env struct {
	// Runtime runs models. It is never nil: where no library is found its methods
	// say so.
	Runtime Runtime
	// RuntimeFrom is a runtime that takes the library from a path; nil where no other than
	// Runtime may be used.
	RuntimeFrom func(library string) Runtime
	// Progress hears how far a step is; never nil.
	Progress func(Progress)
	// Python finds the Python that the user works with; nil where none may be run.
	Python func() (python.Interpreter, error)
	// Stdin reads the model that "-" stands for; nil where a step is no command by itself.
	Stdin func(context.Context) (*graphops.Model, error)
	// Results is where results of measurements are kept; nil where none are.
	Results *store.Folder
	// AllowExternal are folders that external data may lie in besides the model's.
	AllowExternal []string
	// Version is that of this program.
	Version string
	// Cache is the folder of what can be found out again; "" where nothing is kept.
	Cache string
	// Flags are words that a command for later repeats so that it runs in this
	// environment, their paths absolute.
	Flags []string
}

// Open opens a further model under the rules of this environment.
func (e Env) Open(path string) (*graphops.Model, error) {
	return graphops.Open(path, graphops.OpenOptions{AllowExternal: e.AllowExternal, Text: onnxtext.Serialize})
}

// RuntimeVersion is the version of the ONNX Runtime that models would run on, ""
// where none is found. It is read off the library's file; nothing is loaded.
func (e Env) RuntimeVersion(ctx context.Context) string {
	if r, ok := e.Runtime.(interface {
		Version(context.Context) string
	}); ok {
		return r.Version(ctx)
	}
	return ""
}

// Progress is how far a step is.
type Progress struct {
	Phase string // what is going on, as "writing", "warm-up"
	Done  int64
	Total int64 // 0 where the end is not known
	Unit  string
	// Sights are how subjects look that are being measured; nil of other steps.
	Sights []bench.Sight
}

// Report is what a step found out. In JSON it has the contract's keys.
type Report interface {
	// WriteText writes the report for people, in plain text, names cleaned.
	WriteText(w io.Writer) error
}

// Wrapped is a report of lines that can be broken to the width of a terminal.
type Wrapped interface {
	Report
	WriteWrapped(w io.Writer, width int) error
}

// Thorough is a report that leaves out some of a long list, which a place with room for it
// shows in full.
type Thorough interface {
	Report
	WriteWhole(w io.Writer) error
}

// Explained is an error with more to see than fits into its line.
type Explained interface {
	error
	Explain(w io.Writer) error
}

// Preview is what a step would do.
type Preview struct {
	Report Report
	// Keep marks the nodes of the main graph that would stay, for a step that
	// removes some; nil elsewhere.
	Keep []bool
}

// Introspecting is a step that finds out by its preview what its options can name, by running
// code of the user's own. Such a preview is made when it is asked for, and not as one types.
type Introspecting interface {
	Step
	// Introspects does nothing; it marks the step.
	Introspects()
}

// Introspected is the report of such a preview.
type Introspected interface {
	Report
	// Nameable are the names of a subject that were found, and what each is.
	Nameable(of Subject) []Nameable
}

// Nameable is a name that an option can hold.
type Nameable struct{ Name, About string }

// Result is what a step did.
type Result struct {
	// Model is the new model, nil where the step leaves the model as it is.
	Model  *graphops.Model
	Report Report
	// Files are the files written.
	Files []string
	// No tells that the answer is "no": a mismatch, a regression, problems.
	No bool
}
