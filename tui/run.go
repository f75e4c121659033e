package tui

import (
	"context"
	"errors"
	"io"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"lathe/bench"
	"lathe/graphops"
	"lathe/session"
	"lathe/session/journal"
	"lathe/tui/config"
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
	Times    session.Timed // the times of the nodes; nil if there is no profile
	Measured *bench.Report // nil if latency was not measured
	Told     []string      // the result in words
	Command  string        // a command that shows it again
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
	Env    session.Env
	// Steps makes a fresh value of every step that a user may run, in the order of the palette.
	Steps func() []session.Step
	// Recipe is the path offered for saving the recipe; "" derives it from Path.
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
}

func (o Options) theme(isDark bool) theme.Name {
	if o.NoColor {
		return theme.None
	}
	return theme.Of(o.Settings.Theme, o.Background == BackgroundDark || o.Background == BackgroundAsk && isDark)
}

// patience is how long Run waits at the end for a cancelled job.
const patience = 5 * time.Second

// Run opens the workbench. It returns when the user leaves it, or when ctx ends, which is not an
// error. Before it returns it cancels a running job and waits for it, so that the job leaves
// nothing half done.
func Run(ctx context.Context, o Options) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	app := New(ctx, o)
	model := tea.Model(app)
	options := []tea.ProgramOption{
		tea.WithInput(o.In), tea.WithOutput(o.Out), tea.WithEnvironment(o.Environ),
	}
	if o.Settings.ScreenReader {
		s := newSpoken(app, o.Out)
		defer s.voice.end()
		defer raw(o.In)()
		model, options = s, append(options, tea.WithoutRenderer())
	}
	app.pace.on, app.pace.shown = !o.Settings.ScreenReader, app.picture()
	if o.NoColor {
		// The library parses NO_COLOR as a boolean and ignores other values of it.
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	program := tea.NewProgram(model, options...)
	// The program does not get ctx itself. If ctx ended, Bubble Tea would return without waiting
	// for its input reader, and the reader might then take a key that is meant for the shell.
	stop := context.AfterFunc(ctx, program.Quit)
	_, err := program.Run()
	stop()
	cancel()
	app.ws.jobs.wait(patience)
	app.ws.values.quit()
	if kept := app.ws.endKeeping(); err == nil {
		err = kept
	}
	if errors.Is(err, tea.ErrInterrupted) {
		return nil
	}
	return err
}
