package workspace

import (
	"context"
	"io"
	"time"

	"lathe/bench"
	"lathe/graphops"
	"lathe/session"
	"lathe/session/journal"
	"lathe/session/reporting"
	"lathe/session/trust"
	"lathe/tui/config"
	"lathe/tui/graph"
	"lathe/tui/theme"
)

// Background says whether the terminal's background is dark or light.
type Background int

// The backgrounds.
const (
	BackgroundAsk Background = iota // ask the terminal; assume dark until it answers
	BackgroundDark
	BackgroundLight
)

// Stored are results of an earlier profile or measurement, read from a file.
type Stored struct {
	Times    reporting.Timed // the times of the nodes; nil if there is no profile
	Measured *bench.Report   // nil if latency was not measured
	Latency  []graph.Latency // of this model, the newest first
	Told     []string        // the result in words
	Command  string          // a command that shows it again
	Name     string          // when it was measured and with what, safe to print; "" if not known
}

// Options contains everything that the workbench needs to run. The package reads no environment
// variables or settings itself.
type Options struct {
	// Path is the model file as the user named it.
	Path  string
	Model *graphops.Model
	// Beside is a model file to compare with the model at the start. It is "" if there is none.
	Beside string
	// Stored is an earlier result that is shown at the start.
	Stored Stored
	// Earlier finds the last stored profile of the model, and its latencies. It is called in the
	// background, unless it is nil. The times are nil if no profile was found.
	Earlier func(ctx context.Context) Stored
	Env     session.Env
	// Steps makes a fresh value of every step that a user may run, in the order of the palette.
	Steps func() []session.Step
	// Install installs an ONNX Runtime. It is nil if that is not possible.
	Install Installer
	// Tour plays the tour at the start.
	Tour bool
	// Within is the folder whose list of models appears when the workbench ends; "" if none does.
	Within string
	// Recipe is the path offered for saving the recipe, and for taking its steps; "" derives it from
	// Path.
	Recipe string

	In  io.Reader
	Out io.Writer
	// Environ is the environment from which the terminal's capabilities are read.
	Environ    []string
	NoColor    bool
	Background Background
	// Settings are the user's settings. Notices are the errors that occurred while the caller read
	// them; they are shown first in the log.
	Settings config.Config
	Notices  []error
	// Now is the clock.
	Now func() time.Time
	// Journal keeps the work and the view for the next start; nil keeps nothing. Folder is the
	// working folder, in which the journal resolves relative paths.
	Journal *journal.Store
	Folder  string
	// Recipes are the records of recipes that the workbench saved. They are not asked about.
	Recipes trust.Records
}

// Installer installs an ONNX Runtime and reports what it installed.
type Installer func(ctx context.Context, progress func(session.Progress)) (session.Report, error)

// Theme returns the theme for a terminal with a dark or a light background.
func (o Options) Theme(isDark bool) theme.Name {
	if o.NoColor {
		return theme.None
	}
	return theme.Of(o.Settings.Theme, o.Background == BackgroundDark || o.Background == BackgroundAsk && isDark)
}
