package main

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"lathe/session"
	"lathe/session/ort/worker"
)

// workerCommand is the process that loads ONNX Runtime. It is started by this
// program, directly or through a launcher, and is of no use to a person.
func (a *app) workerCommand() *cobra.Command {
	var memoryLimit int64
	cmd := &cobra.Command{
		Use:    "worker",
		Short:  "serve inference to another lathe over standard input and output",
		Hidden: true,
		Args:   noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			in, okIn := a.in.(*os.File)
			out, okOut := a.out.w.(*os.File)
			errOut, okErr := a.errOut.(*os.File)
			if !okIn || !okOut || !okErr {
				return session.UsageError("worker: standard streams must be files or pipes")
			}
			return worker.Main(cmd.Context(), worker.Config{
				In: in, Out: out, Err: errOut,
				Library: a.runtime, Version: version, Exit: os.Exit, MemoryLimit: memoryLimit,
			})
		},
	}
	cmd.Flags().Int64Var(&memoryLimit, "memory-limit", 0, "how much memory the worker may come to use, in bytes")
	return cmd
}

// versionReport is the answer of "lathe version".
type versionReport struct {
	Schema  string `json:"schema"`
	Version string `json:"version"`
	Go      string `json:"go"`
	Tested  string `json:"onnxruntime_tested"`
}

// WriteText implements session.Report.
func (r versionReport) WriteText(w io.Writer) error {
	_, err := fmt.Fprintf(w, "lathe %s (%s), tested with ONNX Runtime %s\n", r.Version, r.Go, r.Tested)
	return err
}
