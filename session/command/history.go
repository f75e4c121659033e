package command

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/adrg/xdg"
	"github.com/spf13/cobra"

	"lathe/bench/machine"
	"lathe/bench/store"
	"lathe/graphops"
	"lathe/session"
)

// historyLimit is how many results are listed by default.
const historyLimit = 20

// historyCommand lists earlier results of measurements.
func (a *app) historyCommand() *cobra.Command {
	q := store.Query{}
	cmd := &cobra.Command{
		Use:   "history [MODEL]",
		Short: "list and chart stored results of bench, validate, quantize and profile",
		Long: "History lists stored results of this machine, newest first, and charts latency, size and error over time.\n" +
			"With MODEL it lists results of the same content or the same path, else of all models.\n\n" +
			"Commands that measure store a file per result in $XDG_DATA_HOME/lathe/results, unless --no-store is given.\n`lathe report` reads these files.",
		Example: "lathe history model.onnx",
		GroupID: groupRun,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return session.UsageError(fmt.Sprintf("unexpected %q; expected lathe history [MODEL]", args[1]))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			h, err := a.history(cmd.Context(), q, strings.Join(args, ""))
			if err != nil {
				return err
			}
			return a.answer(h)
		},
	}
	flags := cmd.Flags()
	flags.IntVar(&q.Limit, "limit", historyLimit, fmt.Sprintf("list at most `N` results, 0 for all (default: %d)", historyLimit))
	flags.Lookup("limit").DefValue = "0" // the usage text states the default
	flags.Var((*textFlag)(&q.Machine), "machine", "list results of the machine with `NAME` in its name, or with an ID that begins with it")
	flags.BoolVar(&q.All, "all", false, "list results of all machines")
	return cmd
}

func (a *app) history(ctx context.Context, q store.Query, model string) (*store.History, error) {
	if q.Limit < 0 {
		return nil, session.UsageError(fmt.Sprintf("--limit %d: expected a number of at least 0", q.Limit))
	}
	if q.All && q.Machine != "" {
		return nil, session.UsageError("--all and --machine: give one of them")
	}
	here, err := json.Marshal(machine.ReadEnvironment(os.DirFS("/")))
	if err != nil {
		return nil, err
	}
	q.Here = store.NewMachine(here, "")
	if model != "" {
		if q.Model, err = a.pastOf(ctx, model); err != nil {
			return nil, err
		}
	}
	return store.Folder{Path: store.PathBelow(xdg.DataHome)}.History(ctx, q)
}

// pastOf returns the path and the digest of a model, by which its stored results are found. A model
// whose file does not exist any more is found only by its path.
func (a *app) pastOf(ctx context.Context, path string) (*store.Model, error) {
	past := &store.Model{Path: path}
	if abs, err := filepath.Abs(path); err == nil && path != "-" {
		past.Absolute = abs
		if _, err := os.Stat(abs); os.IsNotExist(err) {
			return past, nil
		}
	}
	m, err := a.openModel(ctx, path)
	if err != nil {
		return nil, err
	}
	past.Digest, err = graphops.DigestOf(ctx, m)
	return past, err
}
