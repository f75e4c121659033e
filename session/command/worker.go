package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"lathe/session"
	"lathe/session/ort"
	"lathe/session/ort/plugin"
	"lathe/session/ort/sandbox"
	"lathe/session/ort/worker"
)

// A worker opens its library on the process's first thread. The main goroutine stays on that thread
// only if it is locked to it during initialization.
func init() {
	if len(os.Args) > 1 && os.Args[1] == workerName {
		runtime.LockOSThread()
	}
}

// workerName is the name of the hidden command that runs in worker processes.
const workerName = "worker"

// workerCommand runs a worker: the process that loads ONNX Runtime. This program starts it,
// directly or through a launcher; a person never does.
func (a *app) workerCommand() *cobra.Command {
	var memoryLimit int64
	var found []string
	var setup string
	var launched bool
	cmd := &cobra.Command{
		Use:    workerName,
		Short:  "run inference for another lathe process over standard input and output",
		Hidden: true,
		Args:   noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			in, okIn := a.in.(*os.File)
			out, okOut := a.out.w.(*os.File)
			errOut, okErr := a.errOut.(*os.File)
			if !okIn || !okOut || !okErr {
				return session.UsageError("worker: standard streams must be files or pipes")
			}
			config := worker.Config{
				In: in, Out: out, Err: errOut,
				Library: a.runtime, Version: a.version, Exit: os.Exit, MemoryLimit: memoryLimit, Launched: launched,
				Sandbox: sandbox.Mode(a.sandbox),
			}
			switch {
			case cmd.Flags().Changed("options"):
				if wanted, err := a.setUp(cmd.Context(), &config, setup); err != nil || !wanted {
					return err
				}
			case config.Library == "":
				config.NoLibrary = errors.New(`the launcher did not pass on the arguments for the worker; a script must end in "$@", such as srun "$@"`)
			}
			if err := a.checkPlugins(); err != nil {
				config.NoLibrary = errors.Join(config.NoLibrary, err)
			}
			named, _ := a.namedPlugins() // checked above
			plugins := slices.Concat(named, foundPlugins(found))
			config.Plugins = func() []plugin.Library { return plugins }
			return worker.Main(cmd.Context(), config)
		},
	}
	cmd.Flags().Int64Var(&memoryLimit, "memory-limit", 0, "limit the memory of the worker to this many `BYTES`")
	cmd.Flags().StringArrayVar(&found, foundFlag, nil, "a `LIBRARY` of execution providers that was found, a path or NAME=PATH")
	cmd.Flags().BoolVar(&launched, "launched", false, "remove files that killed workers left behind")
	cmd.Flags().StringVar(&setup, "options", "", "the `OPTIONS` from a lathe on another machine, encoded in one word")
	return cmd
}

// setUp prepares a worker behind a launcher, which has to find its library itself. If the library
// needs folders on the loader's search path, or the sandbox keeps variables of the environment from
// the worker, the process executes itself again with the right environment and with the library
// named, so that this happens once only. If a launcher started several
// workers, wanted is true only for the first, which reports the mistake.
func (a *app) setUp(ctx context.Context, c *worker.Config, word string) (wanted bool, err error) {
	setup, err := ort.ParseSetup(word)
	if err != nil {
		return false, session.UsageError(err.Error())
	}
	c.Launched, c.MemoryLimit = true, setup.MemoryLimit
	workers, first := setup.Tasks()
	if c.Workers = workers; workers > 1 {
		return first, nil
	}
	c.Sandbox, a.sandbox = setup.Sandbox, sandboxFlag(setup.Sandbox)
	a.runtime, a.python, a.plugins = setup.Runtime, setup.Python, setup.Plugins
	w := a.workers()
	lib, err := w.Library(ctx)
	c.Library, c.NoLibrary = lib.Path, err
	if err != nil || len(lib.LibraryDirs) == 0 && c.Sandbox == sandbox.Off {
		return true, nil
	}
	if err := syscall.Exec(ownPath(), a.startedAnew(ctx, lib, c, setup.Find), environOf(c.Sandbox, w.Environ(lib))); err != nil {
		return false, fmt.Errorf("restarting with the environment of a worker: %w", err)
	}
	return true, nil
}

// startedAnew returns the arguments with which a worker executes itself again. With find, they name
// the libraries of execution providers on this machine.
func (a *app) startedAnew(ctx context.Context, lib ort.Library, c *worker.Config, find bool) []string {
	args := []string{os.Args[0], "worker", "--runtime", lib.Path, "--memory-limit", strconv.FormatInt(c.MemoryLimit, 10), "--launched"}
	if a.python != "" {
		args = append(args, "--python", a.python)
	}
	for _, p := range a.plugins {
		args = append(args, "--ep-library", p)
	}
	if c.Sandbox != sandbox.On {
		args = append(args, "--"+sandboxName, c.Sandbox.String())
	}
	if find {
		for _, l := range plugin.Find(ctx, a.discovery(), nil) {
			args = append(args, "--"+foundFlag, l.String())
		}
	}
	return args
}

// environOf returns the variables that a worker gets.
func environOf(mode sandbox.Mode, env []string) []string {
	if mode == sandbox.Off {
		return env
	}
	return sandbox.Environ(env)
}

// foundFlag is the flag of workers for libraries of execution providers that their client found.
const foundFlag = "ep-found"

// foundPlugins reads the values of foundFlag. They are made by this program.
func foundPlugins(values []string) []plugin.Library {
	var out []plugin.Library
	for _, value := range values {
		if l, err := plugin.ParseNamed(value); err == nil {
			l.Source = ort.SourcePython
			out = append(out, l)
		}
	}
	return out
}

// versionReport is the report of lathe version.
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
