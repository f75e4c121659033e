package command

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"lathe/session"
)

// tourCommand plays a tour of the workbench on a model that is a part of the program.
func (a *app) tourCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "tour",
		Short:   "show the workbench in a minute, on a small model",
		Long:    "Tour opens the workbench on a small model and presses keys, with a line about each. Enter goes on at once, Esc ends the tour.",
		Example: "lathe tour",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.tour(cmd) },
	}
}

func (a *app) tour(cmd *cobra.Command) (err error) {
	draws, err := a.workbench.CanDraw(1, isTerminal(a.in) && isTerminal(a.out.w) && !a.json, os.Getenv("TERM"))
	if err != nil {
		return err
	}
	if !draws {
		return session.UsageError("tour: needs a terminal that it can draw on")
	}
	folder, err := os.MkdirTemp("", "lathe-tour")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }() // at worst a small file stays behind
	path := filepath.Join(folder, "tour.onnx")
	if err := os.WriteFile(path, a.workbench.TourModel(), 0o600); err != nil {
		return err
	}
	env, done := a.env(cmd.Context())
	done() // the workbench draws progress itself
	return a.openEach(cmd.Context(), Opening{Path: path, Install: a.installed, Tour: true, Env: env, In: a.in, Out: a.out.w})
}
