package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"lathe/graphops"
	"lathe/session/ort"
)

// Workers is the Runtime that runs every model in a worker process of its own.
type Workers struct {
	// Library finds the ONNX Runtime library.
	Library func(context.Context) (ort.Library, error)
	// Command starts a worker: this program with its hidden command, or a
	// launcher in front of one.
	Command []string
	// Env is the environment that workers inherit.
	Env []string
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
func (w *Workers) start(ctx context.Context) (*ort.Client, error) {
	lib, err := w.Library(ctx)
	if err != nil {
		return nil, err
	}
	return w.Start(ctx, lib)
}

// Start runs a worker on a library. The folders of the CUDA wheels beside it
// are put on the loader's path.
func (w *Workers) Start(ctx context.Context, lib ort.Library) (*ort.Client, error) {
	return ort.Start(ctx, ort.Options{Command: w.Command, Library: lib.Path, Env: withLibraryDirs(w.Env, lib.LibraryDirs)})
}

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

// Probe is an ort.Prober: it starts a worker on the library and asks it.
func (w *Workers) Probe(ctx context.Context, path string) (string, []string, error) {
	client, err := w.Start(ctx, ort.Library{Path: path})
	if err != nil {
		return "", nil, err
	}
	attached := []string{}
	for _, full := range client.Info().CompiledProviders {
		name := strings.ToLower(strings.TrimSuffix(full, "ExecutionProvider"))
		o := ort.SessionOptions{Providers: []ort.Provider{{Name: name}}}
		_, err := client.Load(ctx, ort.Model{Bytes: ort.IdentityModel(), Name: "a probe"}, o)
		var refused *ort.ProviderError
		switch {
		case err == nil:
			attached = append(attached, name)
		case !errors.As(err, &refused):
			return "", nil, errors.Join(fmt.Errorf("provider %s: %w", name, err), client.Close())
		}
	}
	return client.Info().LibraryVersion, attached, client.Close()
}

// Load implements Runtime. A model that the library would refuse as a file, for how
// it names its external data, runs as an edited one does.
func (w *Workers) Load(ctx context.Context, m *graphops.Model, o Execution) (Loaded, error) {
	model := ort.Model{Path: m.Path()}
	if m.Edited() || w.refuses(ctx, m) {
		image, err := graphops.ImageOf(m)
		if err != nil {
			return nil, err
		}
		model = ort.Model{Bytes: image.Bytes, Folder: image.Folder, Name: "the edited model"}
		if !m.Edited() {
			model.Name = m.Path()
		}
	}
	l, err := w.load(ctx, model, o)
	if err != nil {
		return nil, err
	}
	if err := graphops.InPlace(m); err != nil {
		closeAfter(l.client, err)
		return nil, err
	}
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
	client, err := w.start(ctx)
	if err != nil {
		return nil, err
	}
	s, err := client.Load(ctx, model, options)
	if err != nil {
		closeAfter(client, err)
		return nil, err
	}
	return &loaded{client: client, session: s}, nil
}

// closeAfter ends a worker whose answer was an error; that error is the one to
// tell.
func closeAfter(client *ort.Client, _ error) { _ = client.Close() }

func (o Execution) options() (ort.SessionOptions, error) {
	level, err := ort.ParseOptimization(o.Opt)
	if err != nil {
		return ort.SessionOptions{}, err
	}
	options := ort.SessionOptions{Optimization: level, IntraThreads: int(o.Threads)}
	for _, p := range o.Providers {
		options.Providers = append(options.Providers, ort.Provider{Name: p})
	}
	return options, nil
}

// probing is how values inside a model are looked at: unoptimized, since extra
// outputs and fusions exclude each other.
var probing = Execution{Opt: "disable"}

// exposing is the edit that makes values of the main graph the outputs.
func exposing(m *graphops.Model, names []string) (*graphops.Editor, error) {
	x := m.Graph().Index()
	e := graphops.Edit(m)
	e.Outputs = nil
	for _, name := range names {
		id, err := x.Lookup("value", name)
		if err != nil {
			return nil, err
		}
		e.Outputs = append(e.Outputs, graphops.NewValueInfo(name, x.Type(id)))
	}
	return e, nil
}

// Run implements graphops.Runner.
func (w *Workers) Run(ctx context.Context, m *graphops.Model, in graphops.Feeds, want []string, yield func(graphops.Got) error) error {
	e, err := exposing(m, want)
	if err != nil {
		return err
	}
	l, err := w.Load(ctx, e.Model(), probing)
	if err != nil {
		return err
	}
	got, err := l.Run(ctx, in, nil)
	for _, g := range got {
		if err != nil {
			break
		}
		err = yield(g)
	}
	if closing := l.Close(); err == nil {
		err = closing
	}
	return err
}

// loaded is a session and the worker that holds it alone.
type loaded struct {
	client  *ort.Client
	session *ort.Session
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
	return Facts{
		Library:        info.LibraryPath,
		LibraryVersion: info.LibraryVersion,
		Provider:       l.session.Provider(),
		LoadTime:       l.session.LoadTime(),
		PeakRSS:        peakRSS(info.PID),
	}
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

func (l *loaded) Run(ctx context.Context, in graphops.Feeds, want []string) ([]graphops.Got, error) {
	values, err := l.session.Run(ctx, in, want)
	if err != nil {
		return nil, err
	}
	out := make([]graphops.Got, len(values))
	for i, v := range values {
		out[i] = graphops.Got{Name: v.Name, Kind: v.Kind, Value: v.Tensor}
	}
	return out, nil
}

func (l *loaded) Bind(ctx context.Context, in graphops.Feeds) error { return l.session.Bind(ctx, in) }

func (l *loaded) Block(ctx context.Context, runs int, d time.Duration) ([]time.Duration, error) {
	return l.session.Block(ctx, runs, d)
}

func (l *loaded) Close() error {
	if err := l.client.Close(); err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	return nil
}
