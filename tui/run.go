package tui

import (
	"context"
	"errors"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"lathe/tui/files"
	"lathe/tui/frames"
	"lathe/tui/resume"
	"lathe/tui/values"
	"lathe/tui/workspace"
)

// Options contains everything that the workbench needs to run.
type Options = workspace.Options

// Stored are results of an earlier profile or measurement, read from a file.
type Stored = workspace.Stored

// Background says whether the terminal's background is dark or light.
type Background = workspace.Background

// The backgrounds.
const (
	BackgroundAsk   = workspace.BackgroundAsk
	BackgroundDark  = workspace.BackgroundDark
	BackgroundLight = workspace.BackgroundLight
)

// patience is how long Run waits at the end for a cancelled job.
const patience = 5 * time.Second

// Run opens the workbench. It returns when the user leaves it, or when ctx ends, which is not an
// error. Before it returns it cancels a running job and waits for it, so that the job leaves
// nothing half done. next says what the user wants to open instead.
func Run(ctx context.Context, o workspace.Options) (next Next, err error) {
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
	program, clock := frames.New(model, options...)
	defer clock.End()
	// The program does not get ctx itself. If ctx ended, Bubble Tea would return without waiting
	// for its input reader, and the reader might then take a key that is meant for the shell.
	stop := context.AfterFunc(ctx, program.Quit)
	_, err = program.Run()
	stop()
	cancel()
	app.ws.Jobs.Wait(patience)
	values.Of(app.ws).Quit()
	if kept := resume.EndKeeping(app.ws); err == nil {
		err = kept
	}
	if errors.Is(err, tea.ErrInterrupted) {
		return Next{}, nil
	}
	return Next{Path: *files.Next.In(app.ws), Theme: app.ws.Options.Settings.Theme}, err
}

// Next says what follows when the workbench has ended.
type Next struct {
	Path  string // the model to open in a workbench of its own; "" if none follows
	Theme string // the setting that was chosen last
}
