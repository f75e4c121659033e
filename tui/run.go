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

// Background says what the terminal's background is like.
type Background int

// The backgrounds.
const (
	BackgroundAsk Background = iota // the terminal is asked; dark until it answers
	BackgroundDark
	BackgroundLight
)

// Stored is what was found out before about the model, and kept in a file.
type Stored struct {
	Times    session.Timed // of the nodes; nil where none were profiled
	Measured *bench.Report // nil where no latency was
	Told     []string      // what is told of it in words
	Command  string        // that shows it again
}

// Options is what the workbench works on and with. The package reads nothing
// from its surroundings; all of it comes from here.
type Options struct {
	// Path is the model file as the person named it.
	Path  string
	Model *graphops.Model
	// Beside is a model file that is laid beside the model at once; "" for none.
	Beside string
	// Stored is a result of before that shows at once.
	Stored Stored
	Env    session.Env
	// Steps makes a fresh value of every step that a person may take, in the
	// order of the palette.
	Steps func() []session.Step
	// Recipe is the path offered for saving the recipe; "" derives it from Path.
	Recipe string

	In  io.Reader
	Out io.Writer
	// Environ is the environment that the terminal's abilities are read from.
	Environ    []string
	NoColor    bool
	Background Background
	// Settings are what the person has chosen. What of them could not be read the
	// caller tells in Notices; they open the log.
	Settings config.Config
	Notices  []error
	// Now is the clock.
	Now func() time.Time
	// Journal keeps what is done for the next start, and where a person was; nil
	// keeps nothing. Folder is the working folder, that the journal takes relative
	// paths from.
	Journal *journal.Store
	Folder  string
}

func (o Options) theme(isDark bool) theme.Name {
	if o.NoColor {
		return theme.None
	}
	return theme.Of(o.Settings.Theme, o.Background == BackgroundDark || o.Background == BackgroundAsk && isDark)
}

// patience is how long Run waits for a job to clean up after it was cancelled.
const patience = 5 * time.Second

// Run opens the workbench and returns when the person leaves it, or when ctx
// ends, which is no error. A job that still runs is cancelled and waited for,
// so that it leaves nothing half done behind.
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
		// The library reads NO_COLOR as a boolean and misses other values of it.
		options = append(options, tea.WithColorProfile(colorprofile.ASCII))
	}
	program := tea.NewProgram(model, options...)
	// Given the context, the library would end without waiting for its reader,
	// which may then take a key that is meant for the shell.
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
