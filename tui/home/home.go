package home

import (
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"lathe/bench/store"
	"lathe/graphops"
	"lathe/session/journal"
	"lathe/tui/config"
	"lathe/tui/frames"
)

// Options says what the list shows and how it is drawn. The package reads nothing else from its
// environment.
type Options struct {
	// Folder is the folder in which models are searched: the working folder, as an absolute path.
	Folder string
	// Open opens a model file.
	Open func(path string) (*graphops.Model, error)
	// Journal has the interrupted sessions. If it is nil, no sessions are listed.
	Journal *journal.Store
	// Results is the folder of stored measurements. The list shows those of the machine in Here. If
	// the folder's path is empty, it shows none.
	Results store.Folder
	Here    store.Machine

	In  io.Reader
	Out io.Writer
	// Environ is the environment, from which the capabilities of the terminal are read.
	Environ []string
	NoColor bool
	// Settings are the person's settings. Notices are errors in the settings file.
	Settings config.Config
	Notices  []error
	// Now returns the current time.
	Now func() time.Time
}

// Choice is what the person chose. It is zero if they left.
type Choice struct {
	// Path is the model file, relative to Folder or absolute. The workbench itself finds
	// interrupted sessions of a model, and offers them.
	Path string
}

// errInterrupted is the error if Ctrl-C ends the list.
type errInterrupted struct{}

func (errInterrupted) Error() string { return "interrupted" }

// Unwrap lets callers treat it like a cancelled context.
func (errInterrupted) Unwrap() error { return context.Canceled }

// Run lets a person choose a model. The error unwraps to context.Canceled if the person pressed
// Ctrl-C or ctx ended. For a screen reader, Run prints the list as lines and returns no choice.
func Run(ctx context.Context, o Options) (Choice, error) {
	if o.Settings.ScreenReader {
		return Choice{}, writeLines(ctx, o)
	}
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	a := newApp(within, o)
	options := []tea.ProgramOption{tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithEnvironment(o.Environ)}
	if o.NoColor {
		// The library parses NO_COLOR as a boolean and therefore ignores other values.
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	program, clock := frames.New(a, options...)
	defer clock.End()
	// If the library got the context, it would return without waiting for its input reader, which
	// could then take a key that is meant for the workbench.
	stop := context.AfterFunc(within, program.Quit)
	_, err := program.Run()
	stop()
	switch {
	case ctx.Err() != nil:
		return Choice{}, ctx.Err()
	case a.interrupted || errors.Is(err, tea.ErrInterrupted):
		return Choice{}, errInterrupted{}
	}
	return a.choice, err
}
