package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"

	"lathe/bench/store"
	"lathe/session"
	"lathe/session/ort"
	"lathe/session/ort/plugin"
	"lathe/session/ort/sandbox"
	"lathe/session/python"
	"lathe/session/runtime"
)

// env returns the environment in which steps run. done ends the progress line; it may be called
// more than once.
func (a *app) env(ctx context.Context) (env session.Env, done func()) {
	p := newProgressLine(ctx, a.errOut)
	return session.Env{
		Runtime:       a.workers(),
		RuntimeFrom:   func(library string) runtime.Runtime { return a.workersFrom(library) },
		Progress:      p.update,
		AllowExternal: a.allowExternal,
		Flags:         a.flagWords(),
		Cache:         filepath.Join(xdg.CacheHome, "lathe"),
		Python:        a.interpreter,
		Results:       store.PathBelow(xdg.DataHome),
		Version:       a.version,
	}, p.stop
}

// pluginFlag is the flag that names a library of execution providers. Few people need it, so short
// help pages leave it out.
const pluginFlag = "ep-library"

// flagWords returns the flags --runtime, --python, --sandbox, --allow-external and --ep-library as they
// were given, with absolute paths. A command that is suggested to the user needs the same ones.
func (a *app) flagWords() []string {
	var words []string
	add := func(flag, path string) {
		if path == "" {
			return
		}
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		words = append(words, flag, path)
	}
	add("--runtime", a.runtime)
	add("--python", a.python)
	if a.sandbox != sandboxFlag(sandbox.On) {
		words = append(words, "--"+sandboxName, a.sandbox.String())
	}
	for _, folder := range a.allowExternal {
		add("--allow-external", folder)
	}
	named, _ := a.namedPlugins() // checked before the command began
	for _, l := range named {
		words = append(words, "--"+pluginFlag, l.String())
	}
	return words
}

// interpreter finds the Python that is used: the one of --python, or else the one in the user's
// environment.
func (a *app) interpreter() (python.Interpreter, error) {
	path, err := ort.FindPython(a.discovery())
	return python.Interpreter{Path: path, Environ: os.Environ()}, err
}

// workers returns what runs models in child processes of this program. All commands and steps share
// it, so that the library is looked for once, at the first use.
func (a *app) workers() *runtime.Workers { return a.workersFrom(a.runtime) }

// workersFrom is like workers, with the library at a path; "" is the library that is found.
func (a *app) workersFrom(library string) *runtime.Workers {
	a.runs.Lock()
	defer a.runs.Unlock()
	if r, ok := a.running[library]; ok {
		return r.Workers
	}
	discovery := a.discovery()
	discovery.Flag = library
	finder := ort.NewFinder(discovery)
	w := &runtime.Workers{
		There:     ort.Setup{Runtime: library, Python: a.python, Plugins: a.plugins},
		Library:   finder.Choose,
		Likely:    finder.Likely,
		Command:   []string{ownPath(), workerName},
		Env:       os.Environ(),
		Discovery: discovery,
		Sandbox:   sandbox.Mode(a.sandbox),
		Note:      a.noteSandbox,
	}
	if a.running == nil {
		a.running = map[string]running{}
	}
	a.running[library] = running{w, finder}
	return w
}

// running are the workers for one library, and the finder that looks for libraries.
type running struct {
	*runtime.Workers
	finder *ort.Finder
}

// leave stops looking for libraries and closes workers that wait for models on other machines.
func (a *app) leave() error {
	a.runs.Lock()
	defer a.runs.Unlock()
	var errs []error
	for _, w := range a.running {
		w.finder.Close()
		errs = append(errs, w.Close())
	}
	return errors.Join(errs...)
}

// checkNamedRuntime returns an error if --runtime or LATHE_ORT_LIB names a library that cannot be
// used. Steps that need no library would otherwise not report the mistake.
func (a *app) checkNamedRuntime(ctx context.Context) error {
	if a.runtime == "" && a.discovery().LibEnv == "" {
		return nil
	}
	_, err := a.workers().Library(ctx)
	return err
}

// checkNamedPython returns an error if --python does not name a program, even if the command needs
// no Python.
func (a *app) checkNamedPython() error {
	if a.python == "" {
		return nil
	}
	_, err := ort.FindPython(a.discovery())
	return err
}

// namedPlugins returns the libraries of execution providers that --ep-library names.
func (a *app) namedPlugins() ([]plugin.Library, error) {
	var named []plugin.Library
	for _, value := range a.plugins {
		l, err := plugin.ParseNamed(value)
		if err != nil {
			return nil, session.UsageError(err.Error())
		}
		named = append(named, l)
	}
	return named, nil
}

// checkNamedPlugins returns an error if a value of --ep-library is malformed.
func (a *app) checkNamedPlugins() error {
	_, err := a.namedPlugins()
	return err
}

// checkPlugins returns an error if a library that --ep-library names cannot be loaded by this
// process.
func (a *app) checkPlugins() error {
	named, err := a.namedPlugins()
	for _, l := range named {
		if err := l.Check(); err != nil {
			return fmt.Errorf("--ep-library: %w", err)
		}
	}
	return err
}

// ownPath is the file of this program, which is also the program of workers.
func ownPath() string {
	self, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return self
}

// discovery says where to look for libraries.
func (a *app) discovery() ort.Env {
	return ort.Env{
		Flag:          a.runtime,
		LibEnv:        os.Getenv("LATHE_ORT_LIB"),
		Python:        a.python,
		VirtualEnv:    os.Getenv("VIRTUAL_ENV"),
		CondaPrefix:   os.Getenv("CONDA_PREFIX"),
		LDLibraryPath: os.Getenv("LD_LIBRARY_PATH"),
		Path:          os.Getenv("PATH"),
		CacheDir:      xdg.CacheHome,
		Modules:       os.Getenv("MODULESHOME"),
	}
}
