package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"lathe/graphops"
	"lathe/session/ort"
)

// Workers is the Runtime that runs every model in a worker process of its own.
type Workers struct {
	// Library finds the ONNX Runtime library.
	Library func(context.Context) (ort.Library, error)
	// Command starts a worker: this program with its hidden command.
	Command []string
	// Env is the environment that workers inherit.
	Env []string
	// There is how workers behind launchers look for the library.
	There ort.Setup

	mu     sync.Mutex
	places map[placeKey]*place // where launchers led
	// Discovery is where libraries are looked for, to tell why a provider does not
	// attach.
	Discovery ort.Env
}

var _ Runtime = (*Workers)(nil)

// Version is the version of the library, "" where none is found.
func (w *Workers) Version(ctx context.Context) string {
	lib, err := w.Library(ctx)
	if err != nil {
		return ""
	}
	return lib.Version
}

// start runs a worker on the library that is found.
func (w *Workers) start(ctx context.Context, o Execution) (*ort.Client, error) {
	lib, err := w.Library(ctx)
	if err != nil {
		return nil, err
	}
	return w.Start(ctx, lib, o)
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

// Probe is an ort.Prober: it starts a worker on the library and has it attach
// what it was built with. A provider that kills its worker is refused, and the
// next one is tried in another.
func (w *Workers) Probe(ctx context.Context, lib ort.Library) (ort.Attachment, error) {
	client, err := w.Start(ctx, lib, Execution{})
	if err != nil {
		return ort.Attachment{}, err
	}
	a := ort.Attachment{Version: client.Info().LibraryVersion, Providers: []string{}}
	for _, full := range client.Info().CompiledProviders {
		name := ort.ShortProvider(full)
		o := ort.SessionOptions{Providers: []ort.Provider{{Name: name}}}
		_, err := client.Load(ctx, ort.Model{Bytes: ort.IdentityModel(), Name: "a probe"}, o)
		var refused *ort.ProviderError
		switch {
		case err == nil:
			a.Providers = append(a.Providers, name)
		case errors.As(err, &refused):
			a.Refused = append(a.Refused, refused.Refused...)
		case errors.Is(err, ort.ErrGone) && ctx.Err() == nil:
			a.Refused = append(a.Refused, ort.Refusal{Provider: name, Reason: err.Error()})
			closeAfter(client, err)
			if client, err = w.Start(ctx, lib, Execution{}); err != nil {
				return ort.Attachment{}, err
			}
		default:
			return ort.Attachment{}, errors.Join(fmt.Errorf("provider %s: %w", name, err), client.Close())
		}
	}
	return a, client.Close()
}

// Load implements Runtime. What the runtime refuses is a *Failure.
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

// loadOnce makes a session. A model that the library would refuse as a file, for
// how it names its external data, runs as an edited one does.
func (w *Workers) loadOnce(ctx context.Context, m *graphops.Model, o Execution) (*loaded, error) {
	if o.On != "" {
		return w.loadElsewhere(ctx, m, o)
	}
	model := ort.Model{Path: m.Path()}
	if m.Edited() || w.refuses(ctx, m) {
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
		closeAfter(l.client, err)
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

func (w *Workers) load(ctx context.Context, model ort.Model, o Execution) (*loaded, error) {
	options, err := o.options()
	if err != nil {
		return nil, err
	}
	client, err := w.start(ctx, o)
	if err != nil {
		return nil, err
	}
	s, err := client.Load(ctx, model, options)
	if err != nil {
		closeAfter(client, err)
		var refused *ort.ProviderError
		if errors.As(err, &refused) {
			w.diagnose(ctx, refused.Refused)
		}
		return nil, err
	}
	l := &loaded{client: client, session: s, refused: s.Refused()}
	w.diagnose(ctx, l.refused)
	return l, nil
}

// diagnose adds to refusals what the files of this machine tell about them.
func (w *Workers) diagnose(ctx context.Context, refused []ort.Refusal) {
	lib, err := w.Library(ctx)
	if err != nil {
		return // the runtime's words remain
	}
	for i, r := range refused {
		d := ort.DiagnoseProvider(ctx, lib, r, w.Discovery)
		refused[i].Diagnosis = &d
	}
}

// closeAfter ends a worker whose answer was an error; that error is the one to
// tell.
func closeAfter(client *ort.Client, _ error) { _ = client.Close() }

// loaded is a session and the worker that holds it alone.
type loaded struct {
	client    *ort.Client
	session   *ort.Session
	elsewhere bool
	leave     func() error // ends the session, where the worker stays; else nil
	refused   []ort.Refusal

	// What was loaded and how, to explain what fails later.
	workers *Workers
	model   *graphops.Model
	how     Execution
	bound   graphops.Feeds // what blocks run on
}

func (l *loaded) Inputs() []graphops.NamedType  { return namedTypes(l.session.Inputs()) }
func (l *loaded) Outputs() []graphops.NamedType { return namedTypes(l.session.Outputs()) }

func namedTypes(list []ort.ValueInfo) []graphops.NamedType {
	out := make([]graphops.NamedType, len(list))
	for i, v := range list {
		out[i].Name = v.Name
		if v.Kind != ort.KindTensor {
			out[i].Type = typeOfKind(v.Kind)
			continue
		}
		t := graphops.Type{Kind: graphops.TypeTensor, Elem: v.DType}
		if v.HasShape {
			t.Shape = graphops.Shape{}
			for _, d := range v.Dims {
				t.Shape = append(t.Shape, graphops.Dim{Value: max(d.Value, -1), Symbol: d.Symbol})
			}
		}
		out[i].Type = t
	}
	return out
}

func (l *loaded) Facts() Facts {
	info := l.client.Info()
	f := Facts{
		Library:        info.LibraryPath,
		LibraryVersion: info.LibraryVersion,
		Provider:       l.session.Provider(),
		Refused:        l.refused,
		LoadTime:       l.session.LoadTime(),
		PeakRSS:        l.session.PeakMemory(),
	}
	if !l.elsewhere {
		f.PeakRSS = peakRSS(info.PID)
	}
	for _, line := range l.session.Log() {
		f.Warnings = append(f.Warnings, line.Message)
	}
	return f
}

// peakRSS reads the high-water mark of a process on this machine (proc(5)).
func peakRSS(pid int64) *int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(status)) {
		var kB int64
		if n, err := fmt.Sscanf(line, "VmHWM: %d kB", &kB); err == nil && n == 1 {
			bytes := kB << 10
			return &bytes
		}
	}
	return nil
}

// Run implements Loaded. A run that the runtime breaks off is a *Failure.
func (l *loaded) Run(ctx context.Context, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error {
	start := time.Now()
	return l.explain(ctx, l.session.Run(ctx, in, want, yield), in, time.Since(start))
}

// Hold implements Loaded as Run does.
func (l *loaded) Hold(ctx context.Context, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error {
	start := time.Now()
	return l.explain(ctx, l.session.Hold(ctx, in, want, yield), in, time.Since(start))
}

// explain finds what a failed run is about, with the help of further ones.
func (l *loaded) explain(ctx context.Context, err error, in graphops.Feeds, took time.Duration) error {
	if l.model == nil {
		return err
	}
	took += l.session.LoadTime() // of which each further try takes a part
	return failed(ctx, err, l.model, l.how, took, func(ctx context.Context, m *graphops.Model, o Execution) error {
		again, err := l.workers.loadOnce(ctx, m, o)
		if err != nil {
			return err
		}
		err = again.session.Run(ctx, FeedsOf(m, in), bare(again.Outputs()), func(graphops.Got) error { return nil })
		return errors.Join(err, again.Close())
	})
}

// bare wants nothing of outputs but that they are made.
func bare(outputs []graphops.NamedType) []graphops.Want {
	want := make([]graphops.Want, len(outputs))
	for i, o := range outputs {
		want[i].Name = o.Name
	}
	return want
}

func (l *loaded) Look(ctx context.Context, want []graphops.Want, yield func(graphops.Got) error) error {
	return l.session.Look(ctx, want, yield)
}

func (l *loaded) Bind(ctx context.Context, in graphops.Feeds, b ort.Binding) error {
	l.bound = in
	return l.session.Bind(ctx, in, b)
}

func (l *loaded) Placement(ctx context.Context) (ort.Placement, error) {
	nodes, log, err := l.session.Placed(ctx)
	return ort.PlacementOf(nodes, log, l.session.Provider()), err
}

func (l *loaded) Memory(ctx context.Context) ([]ort.AllocatorUse, error) {
	return l.session.Memory(ctx)
}

func (l *loaded) EndProfile(ctx context.Context) ([]byte, error) { return l.session.EndProfile(ctx) }

// Block implements Loaded as Run does.
func (l *loaded) Block(ctx context.Context, runs int, d time.Duration) ([]time.Duration, error) {
	start := time.Now()
	samples, err := l.session.Block(ctx, runs, d)
	return samples, l.explain(ctx, err, l.bound, time.Since(start))
}

func (l *loaded) Close() error {
	end := l.client.Close
	if l.leave != nil {
		end = l.leave
	}
	if err := end(); err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	return nil
}
