// Package launch opens the workbench for the commands: it reads the person's settings, the
// workbench's own flags and a stored result, and hands them to package tui.
package launch

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/adrg/xdg"
	"github.com/spf13/pflag"

	"lathe/session"
	"lathe/session/command"
	"lathe/session/journal"
	"lathe/session/steps"
	"lathe/session/trust"
	"lathe/tui"
	"lathe/tui/tour"
)

// Workbench implements command.Workbench. Its flags write into it, so each run of the program
// needs a new one.
type Workbench struct {
	display display
	result  string // the value of --result, a file
}

// AddFlags implements command.Workbench.
func (w *Workbench) AddFlags(flags *pflag.FlagSet) {
	w.display.addFlags(flags)
	flags.Var((*command.FileFlag)(&w.result), "result", "open the model with the profile or benchmark in `FILE`, written by --json or --save or stored, or with a trace of ONNX Runtime")
}

// CanDraw implements command.Workbench.
func (w *Workbench) CanDraw(models int, isTerminal bool, name string) (bool, error) {
	settings, _ := w.display.settings()
	if models != 1 && w.result != "" {
		return false, session.UsageError("--result: needs exactly one model on the command line")
	}
	draws := isTerminal && (name != "dumb" && name != "" || settings.ScreenReader)
	if !draws && w.result != "" {
		return false, session.UsageError("--result: the workbench shows it and needs a terminal; use lathe report to write a page instead")
	}
	return draws, nil
}

// TourModel implements command.Workbench.
func (w *Workbench) TourModel() []byte { return tour.Model }

// Open implements command.Workbench.
func (w *Workbench) Open(ctx context.Context, opening command.Opening) (next string, err error) {
	settings, notices := w.display.settings()
	kept, err := w.stored(ctx, opening.Model)
	if err != nil {
		return "", err
	}
	w.result = "" // it belongs to this model
	recipe, said := recipeBeside(opening.Path)
	if said != "" {
		kept.Told = append(kept.Told, said)
	}
	o := tui.Options{
		Path:     opening.Path,
		Model:    opening.Model,
		Beside:   opening.Beside,
		Tour:     opening.Tour,
		Install:  opening.Install,
		Within:   opening.Within,
		Env:      opening.Env,
		Steps:    steps.All,
		In:       opening.In,
		Out:      opening.Out,
		Environ:  os.Environ(),
		NoColor:  os.Getenv("NO_COLOR") != "",
		Now:      time.Now,
		Settings: settings,
		Notices:  notices,
		Stored:   kept,
		Recipe:   recipe,
		Recipes:  trust.RecordsIn(xdg.StateHome),
		Earlier:  func(ctx context.Context) tui.Stored { return earlier(ctx, opening) },
	}
	// The journal needs the working folder, because it may contain relative paths.
	if folder, err := os.Getwd(); err == nil {
		o.Journal, o.Folder = &journal.Store{Dir: journal.Dir(xdg.StateHome), Now: time.Now}, folder
	}
	then, err := tui.Run(ctx, o)
	if then.Theme != "" && then.Theme != settings.Theme {
		// The screen is gone, so that the error is one of this command.
		err = errors.Join(err, rememberTheme(context.WithoutCancel(ctx), then.Theme, w.display.set))
	}
	w.display.theme = then.Theme
	return then.Path, err
}
