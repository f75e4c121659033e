package command

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"lathe/session"
	"lathe/session/text"
	"lathe/session/torch"
	"lathe/session/torch/failure"
)

const torchName = "torch"

// torchCommand groups the commands that use PyTorch in the user's Python.
func (a *app) torchCommand() *cobra.Command {
	cmd := groupCommand(torchName, "export PyTorch models with your own Python", listings["torch export"].example,
		"expected lathe torch export, task, doctor or explain; see lathe torch --help")
	cmd.GroupID = groupChange
	cmd.AddCommand(a.torchDoctorCommand(), a.torchExplainCommand())
	return cmd
}

func (a *app) torchDoctorCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "doctor",
		Short:   "show which packages for PyTorch export your Python has, what is missing, and how to install it",
		Example: "lathe torch doctor --python python3",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := a.checkNamedPython(); err != nil {
				return err
			}
			interpreter, err := a.interpreter()
			if err != nil {
				return err
			}
			temp, err := os.MkdirTemp("", "lathe-torch-")
			if err != nil {
				return err
			}
			defer func() { _ = os.RemoveAll(temp) }() // lies in the system's temporary folder
			env, done := a.env(cmd.Context())
			defer done()
			folder, err := filepath.Abs(".")
			if err != nil {
				return err
			}
			health, err := torch.Examine(cmd.Context(), interpreter, folder, temp, func(phase string) { env.Progress(session.Progress{Phase: phase}) })
			if err != nil {
				return err
			}
			done()
			return a.answer(torchHealth{"lathe.torch-doctor/1", interpreter.Path, health})
		},
	}
}

// torchHealth is the report of lathe torch doctor.
type torchHealth struct {
	Schema      string `json:"schema"`
	Interpreter string `json:"interpreter"`
	torch.Health
}

// WriteText implements session.Report.
func (r torchHealth) WriteText(w io.Writer) error {
	p := text.NewPrinter(w)
	p.Line("Python %s, %s", text.Clean(r.Python), text.Clean(r.Interpreter))
	for _, name := range slices.Sorted(maps.Keys(r.Packages)) {
		found := r.Packages[name]
		line := fmt.Sprintf("  %-13s %s", text.Clean(name), text.Clean(found.Version))
		if found.Error != "" {
			line += ", and cannot be imported: " + text.CleanLine(found.Error)
		}
		p.Line("%s", line)
	}
	for _, d := range r.Devices {
		p.Line("  CUDA          %s", text.CleanLine(d))
	}
	p.Line("")
	for _, path := range r.Paths {
		switch {
		case path.Usable:
			p.Line("yes  %s", path.Name)
		case path.Note != "":
			p.Line("no   %s: %s", path.Name, path.Note)
		default:
			p.Line("no   %s: needs %s; %s", path.Name, strings.Join(path.Lacks, ", "), text.CleanLine(path.Remedy))
		}
	}
	return p.Err()
}

func (a *app) torchExplainCommand() *cobra.Command {
	full := false
	cmd := &cobra.Command{
		Use:     "explain FILE",
		Short:   "explain why an export failed, from a traceback or a report that PyTorch wrote, without Python",
		Example: "lathe torch explain onnx_export_report.md",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return session.UsageError("expected lathe torch explain FILE; see lathe torch explain --help")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			raw, err := a.readFailure(args[0])
			if err != nil {
				return err
			}
			f := failure.Distil(raw)
			r := explanation{Schema: "lathe.torch-explain/1", Failure: f}
			if full {
				r.Whole = f.Whole
			}
			if len(f.Next) > 0 {
				r.Suggestion = f.Next[0].String()
			}
			return a.answer(r)
		},
	}
	cmd.Flags().BoolVar(&full, "full", false, "also print all exceptions in full")
	return cmd
}

// readFailure reads the traceback or report of a failed export; "-" is standard input.
func (a *app) readFailure(path string) (failure.Raw, error) {
	if path == "-" {
		return failure.ReadFrom(a.in, "-")
	}
	return failure.ReadReport(path)
}

// explanation is the report of lathe torch explain.
type explanation struct {
	Schema string `json:"schema"`
	failure.Failure
	Suggestion string `json:"suggestion"`
	Whole      string `json:"whole,omitempty"`
}

// WriteText implements session.Report.
func (r explanation) WriteText(w io.Writer) error {
	p := text.NewPrinter(w)
	if r.Stage == "" {
		p.Line("failed, at an unknown stage of the export")
	} else {
		p.Line("failed at %s", text.Clean(r.Stage))
	}
	r.Failure.Write(p, "")
	if r.Whole != "" {
		p.Line("")
		for line := range strings.Lines(r.Whole) {
			p.Line("%s", text.CleanLine(strings.TrimRight(line, "\n")))
		}
	}
	return p.Err()
}
