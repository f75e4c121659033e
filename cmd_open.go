package main

import (
	"fmt"
	"os"
	"time"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"lathe/session"
	"lathe/session/journal"
	"lathe/session/steps"
	"lathe/tui"
)

// open opens the workbench on a model, or on two side by side. Without a terminal
// that can be drawn on, it inspects the one and compares the two.
func (a *app) open(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return cmd.Help()
	}
	term := os.Getenv("TERM")
	settings, notices, err := a.display.settings()
	if err != nil {
		return err
	}
	if len(args) == 2 && a.result != "" {
		return session.UsageError("--result: belongs to one model, expected one")
	}
	interactive := isTerminal(a.in) && isTerminal(a.out.w) && !a.json
	if !interactive || (term == "dumb" || term == "") && !settings.ScreenReader {
		if a.result != "" {
			return session.UsageError("--result: the workbench shows it, which needs a terminal; lathe report makes a page of it")
		}
		if interactive {
			fmt.Fprintf(a.errOut, "lathe: TERM=%s cannot be drawn on; this is lathe %s\n", term, plainly(args).Name())
		}
		return a.runStep(cmd.Context(), plainly(args), args)
	}
	m, err := a.openModel(cmd.Context(), args[0])
	if err != nil {
		return err
	}
	kept, err := a.stored(cmd.Context(), m)
	if err != nil {
		return err
	}
	env, done := a.env(cmd.Context())
	done() // the workbench draws progress itself
	o := tui.Options{
		Path:     args[0],
		Model:    m,
		Env:      env,
		Steps:    steps.All,
		In:       a.in,
		Out:      a.out.w,
		Environ:  os.Environ(),
		NoColor:  os.Getenv("NO_COLOR") != "",
		Now:      time.Now,
		Settings: settings,
		Notices:  notices,
		Stored:   kept,
	}
	if len(args) == 2 {
		o.Beside = args[1]
	}
	// Without a working folder nobody could tell later what a relative path means.
	if folder, err := os.Getwd(); err == nil {
		o.Journal, o.Folder = &journal.Store{Dir: journal.Dir(xdg.StateHome), Now: time.Now}, folder
	}
	return tui.Run(cmd.Context(), o)
}

// plainly is the step that tells without a terminal what the workbench would show.
func plainly(models []string) session.Step {
	if len(models) == 2 {
		return &steps.Diff{A: models[0], B: models[1]}
	}
	return &steps.Inspect{}
}
