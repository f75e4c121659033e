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

// Step is one thing that a person can do to a model or with it. Its options write into its fields,
// so each use needs a new one.
type Step interface {
	// Name is the command, the recipe's key and the palette's entry.
	Name() string
	// Summary says in one line what the step does.
	Summary() string
	// Options are bound to the step's own fields.
	Options() []Option
	// Preview reports what Run would do. It writes nothing.
	Preview(ctx context.Context, env Env, m *graphops.Model) (Preview, error)
	// Run does it.
	Run(ctx context.Context, env Env, m *graphops.Model) (Result, error)
}

// A Looker is a step that can also report on files that are not models.
type Looker interface {
	// Look reports on a file. The report is nil if the file should be opened as a model;
	// opening it also explains why a file is not one.
	Look(ctx context.Context, env Env, path string) (Report, error)
}

// Env is what a step may use apart from the model.
type Env struct {
	// Runtime runs models. It is never nil: if no library is found, its methods return
	// an error.
	Runtime Runtime
	// RuntimeFrom returns a runtime with the library at a path. It is nil if only Runtime
	// may be used.
	RuntimeFrom func(library string) Runtime
	// Progress is called with the progress of a step. It is never nil.
	Progress func(Progress)
	// Python finds the Python of the user. It is nil if Python may not be run.
	Python func() (python.Interpreter, error)
	// Stdin reads the model from standard input for "-". It is nil unless the step runs as a
	// command.
	Stdin func(context.Context) (*graphops.Model, error)
	// Results is the folder for results of measurements. It is nil if they are not stored.
	Results *store.Folder
	// AllowExternal are folders besides the model's that may hold external data.
	AllowExternal []string
	// Version is the version of this program.
	Version string
	// Cache is the folder for files that can be computed again. If it is "", nothing is cached.
	Cache string
	// Flags are the flags that a suggested command needs to run in this environment, with
	// absolute paths.
	Flags []string
}

// Open opens another model under the rules of this environment.
func (e Env) Open(path string) (*graphops.Model, error) {
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

// Progress is how much a step has done.
type Progress struct {
	Phase string // the present activity, such as "writing" or "warm-up"
	Done  int64
	Total int64 // 0 if unknown
	Unit  string
	// Sights are the measurements so far. It is nil for a step that does not measure.
	Sights []bench.Sight
}

// Report is the result of a step, as text for people and as JSON with documented keys.
type Report interface {
	// WriteText writes the report as plain text. Names are cleaned of control characters.
	WriteText(w io.Writer) error
}

// Wrapped is a report with lines that can be wrapped to the width of a terminal.
type Wrapped interface {
	Report
	WriteWrapped(w io.Writer, width int) error
}

// Thorough is a report that shortens a long list. WriteWhole writes the whole list, for a place
// that has room.
type Thorough interface {
	Report
	WriteWhole(w io.Writer) error
}

// Explained is an error with more details than fit in its line.
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

// Introspecting is a step whose preview runs the user's code to find what its options can name.
// Such a preview is made on request, and not while the user types.
type Introspecting interface {
	Step
	// Introspects does nothing. It marks the step.
	Introspects()
}

// Introspected is the report of such a preview.
type Introspected interface {
	Report
	// Nameable returns the names of a subject that were found.
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
	// No reports that the answer is "no": a mismatch, a regression, or problems.
	No bool
}
