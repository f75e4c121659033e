package runtime

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"lathe/graphops"
	"lathe/session/ort"
	"lathe/session/ort/sandbox"
	"lathe/session/text"
)

// Workers is the Runtime that runs every model in a worker process. Each model gets its own process
// unless Execution.Reuse allows sharing.
type Workers struct {
	// Library finds the ONNX Runtime library.
	Library func(context.Context) (ort.Library, error)
	// Likely immediately returns the library that Library will most likely return, so that a worker
	// can start early. It may be nil.
	Likely func() (ort.Library, bool)
	// Command is the command line of a worker: this program with its hidden command.
	Command []string
	// Env is the environment that workers inherit.
	Env []string
	// Discovery says where libraries are searched for. It is used to explain why a provider does
	// not attach.
	Discovery ort.Env
	// There says how a worker finds libraries: the runtime's on another machine, and those of
	// execution providers on any.
	There ort.Setup
	// Sandbox says whether workers are limited. The zero value limits them.
	Sandbox sandbox.Mode
	// Note is called with a line for the user about the sandbox, once for each line. It may be nil.
	Note func(line string)

	noted    sync.Map // the lines for which Note was called
	mu       sync.Mutex
	places   map[placeKey]*place // the machines reached so far
	prepared int                 // number of Prepare calls that have not ended
	spare    *spare              // the worker for the next model, or nil
	// provided are the providers that the library providedBy contains or that are beside it; nil
	// until HasProvider needs them.
	provided   []string
	providedBy string
	// maxReused is used instead of defaultReused if it is not 0. Tests set it.
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

// worker returns a worker that has loaded the library lib: the spare one if it fits, or else a new
// one. used reports whether the worker has run a model before.
func (w *Workers) worker(ctx context.Context, lib ort.Library, o Execution) (client *ort.Client, used bool, err error) {
	s, err := w.takeSpare(ctx, lib, o)
	if s != nil {
		return s.client, s.used, nil
	}
	if err == nil {
		client, err = w.start(ctx, lib, o)
	}
	return client, false, err
}

// start starts a worker with a library and the limits of an execution. The folders of CUDA wheels
// beside the library are added to the loader's search path.
func (w *Workers) start(ctx context.Context, lib ort.Library, o Execution) (*ort.Client, error) {
	return ort.Start(ctx, ort.Options{
		Command: w.Command, Library: lib.Path, Env: w.Environ(lib), Python: w.There.Python, Plugins: w.There.Plugins, Found: w.plugins(ctx, lib, o),
		Limit: o.Timeout, MemoryLimit: o.MemoryLimit, Sandbox: w.Sandbox, Note: w.note,
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

// loadOnce loads a model without a second try.
func (w *Workers) loadOnce(ctx context.Context, m *graphops.Model, o Execution) (*loaded, error) {
	if o.On != "" {
		return w.loadElsewhere(ctx, m, o)
	}
	model, err := w.modelFor(ctx, m, o)
	if err != nil {
		return nil, err
	}
	how := o
	if model.Path == "" {
		how = besideBlobs(m, o)
	}
	l, err := w.load(ctx, model, how)
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

// modelFor returns what the library opens: usually the model's file. In three cases it is the structure
// of the model instead, which refers to the weights in their files: if the model is edited, if it is
// known that the library rejects the file because of its external data, and if the optimized graph is
// requested.
func (w *Workers) modelFor(ctx context.Context, m *graphops.Model, o Execution) (ort.Model, error) {
	// The library opens the files itself: without a sandbox any of them.
	if err := graphops.ExternalError(m); err != nil {
		return ort.Model{}, fmt.Errorf("loading %q: %w", text.Clean(m.Path()), err)
	}
	if !m.Edited() && !o.Dump && !w.refuses(ctx, m) {
		return ort.Model{Path: m.Path(), Sources: graphops.StoredFiles(m)}, nil
	}
	image, err := graphops.ImageOf(m)
	if err != nil {
		return ort.Model{}, err
	}
	return ort.Model{Bytes: image.Bytes, Folder: image.Folder, Name: m.Path(), Sources: graphops.StoredFiles(m)}, nil
}

// contextPathKey is the session config entry for the path of a model in memory. Execution providers look
// for files with compiled parts beside it.
const contextPathKey = "ep.context_file_path"

// besideBlobs adds to the options of a model in memory where the files of its compiled parts are.
func besideBlobs(m *graphops.Model, o Execution) Execution {
	isApart := func(c graphops.CompiledNode) bool { return c.Location() != "" }
	if m.Path() == "" || o.Config[contextPathKey] != "" || !slices.ContainsFunc(m.CompiledNodes(), isApart) {
		return o
	}
	path, err := filepath.Abs(m.Path())
	if err != nil {
		return o
	}
	o.Config = maps.Clone(o.Config)
	if o.Config == nil {
		o.Config = map[string]string{}
	}
	o.Config[contextPathKey] = path
	return o
}

// refuses reports whether it is known that the library rejects the model's file because of its
// external data.
func (w *Workers) refuses(ctx context.Context, m *graphops.Model) bool {
	warnings := graphops.ExternalWarnings(m, func() string { return w.Version(ctx) })
	return slices.ContainsFunc(warnings, func(e graphops.ExternalWarning) bool { return e.Kind == graphops.ExternalRefused })
}

// libraryFor returns the library that runs the model.
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
		if used && (errors.As(err, &crash) || errors.Is(err, ort.ErrLimited)) && ctx.Err() == nil {
			o.Reuse = false // state of an earlier model may have caused the crash, or limits the worker
			return w.load(ctx, model, o)
		}
		if errors.As(err, &refused) {
			w.diagnose(ctx, lib, refused.Refused)
		}
		return nil, err
	}
	w.noteWider(o)
	l := &loaded{client: client, session: s, refused: s.Refused()}
	if o.reusable() {
		l.leave = sync.OnceValue(func() error { return w.passOn(l, lib) })
	}
	w.diagnose(ctx, lib, l.refused)
	return l, nil
}

// diagnose adds to each provider that was not usable the reason that the files on this machine
// show.
func (w *Workers) diagnose(ctx context.Context, lib ort.Library, refused []ort.Refusal) {
	for i, r := range refused {
		d := ort.DiagnoseProvider(ctx, lib, r, w.Discovery)
		refused[i].Diagnosis = &d
	}
}

// discard ends a worker after an error. It ignores the error of Close, because the caller reports
// the first one.
func discard(client *ort.Client) { _ = client.Close() }
