package session

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"lathe/graphops"
	"lathe/session/ort"
)

// Workers is the Runtime that runs every model in a worker process: one of its own, unless
// Execution.Reuse lets it follow another.
type Workers struct {
	// Library finds the ONNX Runtime library.
	Library func(context.Context) (ort.Library, error)
	// Likely returns at once the library that Library will most likely return. A worker may
	// start on it early. It may be nil.
	Likely func() (ort.Library, bool)
	// Command starts a worker: this program with its hidden command.
	Command []string
	// Env is the environment that workers inherit.
	Env []string
	// Discovery is where libraries are searched for. It explains why a provider does not
	// attach.
	Discovery ort.Env
	// There is how workers on other machines search for the library.
	There ort.Setup

	mu       sync.Mutex
	places   map[placeKey]*place // where launchers led
	prepared int                 // between Prepare and its end
	spare    *spare              // that the next model takes; nil for none
	// maxReused stands in for defaultReused, unless it is 0.
	maxReused int64
}

var _ Runtime = (*Workers)(nil)

// Version returns the version of the library, or "" if none is found.
func (w *Workers) Version(ctx context.Context) string {
	lib, err := w.Library(ctx)
	if err != nil {
		return ""
	}
	return lib.Version
}

// worker returns a worker for the library: the spare one or a new one. used reports whether it has
// run a model.
func (w *Workers) worker(ctx context.Context, lib ort.Library, o Execution) (client *ort.Client, used bool, err error) {
	s, err := w.takeSpare(ctx, lib, o)
	if s != nil {
		return s.client, s.used, nil
	}
	if err == nil {
		client, err = w.Start(ctx, lib, o)
	}
	return client, false, err
}

// Start runs a worker on a library, within the limits of an execution. The folders
// of the CUDA wheels beside it are put on the loader's path.
func (w *Workers) Start(ctx context.Context, lib ort.Library, o Execution) (*ort.Client, error) {
	return ort.Start(ctx, ort.Options{
		Command: w.Command, Library: lib.Path, Env: w.Environ(lib),
		Limit: o.Timeout, MemoryLimit: o.MemoryLimit,
	})
}

// Environ is the environment that a worker needs for a library.
func (w *Workers) Environ(lib ort.Library) []string { return withLibraryDirs(w.Env, lib.LibraryDirs) }

const loaderPath = "LD_LIBRARY_PATH="

func withLibraryDirs(env, dirs []string) []string {
	if len(dirs) == 0 {
		return env
	}
	env = slices.Clone(env)
	joined := strings.Join(dirs, ":")
	for i, e := range env {
		if old, ok := strings.CutPrefix(e, loaderPath); ok {
			env[i] = loaderPath + joined + ":" + old
			return env
		}
	}
	return append(env, loaderPath+joined)
}

// Load implements Runtime. The error of a model that the runtime rejects is a *Failure.
func (w *Workers) Load(ctx context.Context, m *graphops.Model, o Execution) (Loaded, error) {
	start := time.Now()
	l, err := w.loadOnce(ctx, m, o)
	if err == nil {
		return l, nil
	}
	return nil, failed(ctx, err, m, o, time.Since(start), func(ctx context.Context, m *graphops.Model, o Execution) error {
		l, err := w.loadOnce(ctx, m, o)
		if err == nil {
			err = l.Close()
		}
		return err
	})
}

// loadOnce loads a model. A model that the library would reject as a file, because of
// how it names its external data, is loaded like an edited one. So is one whose optimized
// graph is kept, because weights that it refers to stay where they are.
func (w *Workers) loadOnce(ctx context.Context, m *graphops.Model, o Execution) (*loaded, error) {
	if o.On != "" {
		return w.loadElsewhere(ctx, m, o)
	}
	model := ort.Model{Path: m.Path()}
	if m.Edited() || o.Dump || w.refuses(ctx, m) {
		image, err := graphops.ImageOf(m)
		if err != nil {
			return nil, err
		}
		model = ort.Model{Bytes: image.Bytes, Folder: image.Folder, Name: m.Path()}
	}
	l, err := w.load(ctx, model, o)
	if err != nil {
		return nil, err
	}
	if err := graphops.InPlace(m); err != nil {
		discard(l.client)
		return nil, err
	}
	l.workers, l.model, l.how = w, m, o
	return l, nil
}

// refuses reports whether the library is known not to take the model as a file.
func (w *Workers) refuses(ctx context.Context, m *graphops.Model) bool {
	warnings := graphops.ExternalWarnings(m, func() string { return w.Version(ctx) })
	return slices.ContainsFunc(warnings, func(e graphops.ExternalWarning) bool { return e.Kind == graphops.ExternalRefused })
}

// libraryFor is the library that a model runs on.
func (w *Workers) libraryFor(ctx context.Context, o Execution) (ort.Library, error) {
	if o.AnyLibrary && w.Likely != nil {
		if lib, ok := w.Likely(); ok {
			return lib, nil
		}
	}
	return w.Library(ctx)
}

func (w *Workers) load(ctx context.Context, model ort.Model, o Execution) (*loaded, error) {
	options, err := o.options()
	if err != nil {
		return nil, err
	}
	lib, err := w.libraryFor(ctx, o)
	if err != nil {
		return nil, err
	}
	client, used, err := w.worker(ctx, lib, o)
	if err != nil {
		return nil, err
	}
	s, err := client.Load(ctx, model, options)
	if err != nil {
		discard(client)
		var refused *ort.ProviderError
		var crash *ort.CrashError
		if used && errors.As(err, &crash) && ctx.Err() == nil {
			o.Reuse = false // an earlier model may have left what it crashed on
			return w.load(ctx, model, o)
		}
		if errors.As(err, &refused) {
			w.diagnose(ctx, lib, refused.Refused)
		}
		return nil, err
	}
	l := &loaded{client: client, session: s, refused: s.Refused()}
	if o.reusable() {
		l.leave = sync.OnceValue(func() error { return w.passOn(l, lib) })
	}
	w.diagnose(ctx, lib, l.refused)
	return l, nil
}

// diagnose adds the reasons to refusals that the files of this machine show.
func (w *Workers) diagnose(ctx context.Context, lib ort.Library, refused []ort.Refusal) {
	for i, r := range refused {
		d := ort.DiagnoseProvider(ctx, lib, r, w.Discovery)
		refused[i].Diagnosis = &d
	}
}

// discard ends a worker whose answer was an error. That error is reported, not one of Close.
func discard(client *ort.Client) { _ = client.Close() }
