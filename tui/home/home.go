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
)

// Options is what the list is about and how it is drawn. The package reads nothing else from its
// surroundings.
type Options struct {
	// Folder is searched for models. It is the working folder, from the root.
	Folder string
	// Open opens a model file.
	Open func(path string) (*graphops.Model, error)
	// Journal has the interrupted sessions; nil lists no sessions.
	Journal *journal.Store
	// Results are the stored measurements. Those of the machine Here are shown, and nothing is
	// shown if the path is empty.
	Results store.Folder
	Here    store.Machine

	In  io.Reader
	Out io.Writer
	// Environ is the environment that the terminal's abilities are read from.
	Environ []string
	NoColor bool
	// Settings are what the person has chosen. Notices say what of them could not be read.
	Settings config.Config
	Notices  []error
	// Now is the clock.
	Now func() time.Time
}

// Choice is what the person chose. It is zero if they left.
type Choice struct {
	// Path is the model file: as one would type it in Folder, or from the root. The workbench
	// finds the interrupted sessions of a model by its file, and offers them.
	Path string
}

// errInterrupted is how Ctrl-C ends the list.
type errInterrupted struct{}

func (errInterrupted) Error() string { return "interrupted" }

// Unwrap lets callers treat it like a cancelled context.
func (errInterrupted) Unwrap() error { return context.Canceled }

// Run lets a person choose a model. The error unwraps to context.Canceled if they pressed Ctrl-C
// or ctx ended. With a screen reader, Run prints the list as lines and chooses nothing.
func Run(ctx context.Context, o Options) (Choice, error) {
	if o.Settings.ScreenReader {
		return Choice{}, writeLines(ctx, o)
	}
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	a := newApp(within, o)
	options := []tea.ProgramOption{tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithEnvironment(o.Environ)}
	if o.NoColor {
		// The library reads NO_COLOR as a boolean and misses other values of it.
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	program := tea.NewProgram(a, options...)
	// Given the context, the library would end without waiting for its reader, which may then
	// take a key that is meant for the workbench.
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
