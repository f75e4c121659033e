package main

import (
	"context"
	"errors"
	"os"
	"sync"

	"github.com/adrg/xdg"

	"lathe/session"
	"lathe/session/ort"
	"lathe/session/python"
)

// env is what steps run with. done stops the progress line; it may be called
// more than once.
func (a *app) env(ctx context.Context) (env session.Env, done func()) {
	p := newProgressLine(ctx, a.errOut)
	return session.Env{
		Runtime:       a.workers(),
		Progress:      p.update,
		AllowExternal: a.allowExternal,
		Python:        a.interpreter,
	}, p.stop
}

// interpreter is the Python that the user works with.
func (a *app) interpreter() (python.Interpreter, error) {
	path, err := ort.FindPython(a.discovery())
	return python.Interpreter{Path: path, Environ: os.Environ()}, err
}

// workers runs models in children of this program. The library is looked for
// once, when the first model is to run.
func (a *app) workers() *session.Workers {
	choose := sync.OnceValues(func() (ort.Library, error) {
		return ort.Choose(context.Background(), a.discovery())
	})
	w := &session.Workers{
		There: ort.Setup{Runtime: a.runtime, Python: a.python},
		Library: func(ctx context.Context) (ort.Library, error) {
			if err := ctx.Err(); err != nil {
				return ort.Library{}, err
			}
			return choose()
		},
		Command:   []string{ownPath(), "worker"},
		Env:       os.Environ(),
		Discovery: a.discovery(),
	}
	a.running = append(a.running, w)
	return w
}

// leave ends what waits for models on other machines.
func (a *app) leave() error {
	var errs []error
	for _, w := range a.running {
		errs = append(errs, w.Close())
	}
	return errors.Join(errs...)
}

// checkNamedRuntime is an error where --runtime or LATHE_ORT_LIB names no library that
// can be used. Many steps do without one, and would leave the mistake unsaid.
func (a *app) checkNamedRuntime(ctx context.Context) error {
	if a.runtime == "" && a.discovery().LibEnv == "" {
		return nil
	}
	_, err := a.workers().Library(ctx)
	return err
}

// ownPath is this program's file, which workers run as well.
func ownPath() string {
	self, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	return self
}

// discovery is where libraries are looked for.
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
