package launch

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/adrg/xdg"

	"lathe/bench/store"
	"lathe/session/command"
	"lathe/session/journal"
	"lathe/tui/home"
	"lathe/tui/members"
)

// Choose implements command.Workbench.
func (w *Workbench) Choose(ctx context.Context, c command.Choosing) (string, error) {
	settings, notices := w.display.settings()
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	choice, err := home.Run(ctx, home.Options{
		Folder: folder, Open: c.Open, In: c.In, Out: c.Out, Environ: os.Environ(), NoColor: os.Getenv("NO_COLOR") != "",
		Journal: &journal.Store{Dir: journal.Dir(xdg.StateHome), Now: time.Now},
		Results: store.Folder{Path: store.PathBelow(xdg.DataHome)}, Here: thisMachine(),
		Settings: settings, Notices: notices, Now: time.Now,
	})
	return choice.Path, err
}

// ChooseMember implements command.Workbench.
func (w *Workbench) ChooseMember(ctx context.Context, c command.ChoosingMember) (string, error) {
	settings, notices := w.display.settings()
	selected, err := filepath.Rel(c.Report.Path, c.Selected)
	if err != nil {
		selected = ""
	}
	file, err := members.Run(ctx, members.Options{
		Report: c.Report, Selected: filepath.ToSlash(selected), In: c.In, Out: c.Out, Environ: os.Environ(), NoColor: os.Getenv("NO_COLOR") != "",
		Settings: settings, Notices: notices,
	})
	if err != nil || file == "" {
		return "", err
	}
	return filepath.Join(c.Report.Path, file), nil
}
