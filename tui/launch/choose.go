package launch

import (
	"context"
	"os"
	"time"

	"github.com/adrg/xdg"

	"lathe/bench/store"
	"lathe/session/command"
	"lathe/session/journal"
	"lathe/tui/home"
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
