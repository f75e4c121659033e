//go:build gpu

package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/compare"
	"lathe/session/inputs"
	"lathe/session/ort"
	"lathe/session/ort/ep"
	"lathe/session/runtime"
	"lathe/session/text"
)

// TestGPU is a part of `make gpu`. It checks what the documents say about CUDA on a machine that has
// it, and prints one table of CUDA and WebGPU. On other machines it says what is missing.
func TestGPU(t *testing.T) {
	a := &app{}
	g := &gpuCheck{t: t, workers: a.workers()}
	g.attaches()
	t.Run("a provider is strict", g.strict)
	t.Run("options", g.options)
	t.Run("memory of the device", g.device)
	models, err := filepath.Glob("testdata/*.onnx")
	if err != nil || len(models) == 0 {
		t.Fatalf("testdata: %d models, %v", len(models), err)
	}
	table := text.Table{Titles: []string{"model", "provider", ">nodes on it", ">on cpu", ">copies", ">max abs", "verdict", ">cpu ms", ">its ms"}}
	for _, provider := range []ort.Provider{inF32, {Name: "webgpu"}} {
		if provider.Name == "webgpu" && !g.hasWebGPU() {
			continue
		}
		for _, path := range models {
			row, err := g.model(path, provider)
			if err != nil {
				t.Errorf("%s on %s: %v", path, provider.Name, err)
				row = []any{filepath.Base(path), provider.Name, "", "", "", "", text.CleanLine(err.Error())}
			}
			table.Add(row...)
		}
	}
	fmt.Println()
	if err := table.WriteText(os.Stdout, ""); err != nil {
		t.Fatal(err)
	}
}

// hasWebGPU reports whether WebGPU attaches. If not, it prints why.
func (g *gpuCheck) hasWebGPU() bool {
	l, err := g.load("testdata/digits.onnx", runtime.Execution{Providers: []ort.Provider{{Name: "webgpu"}}})
	if err != nil {
		fmt.Println("WebGPU is left out:", text.CleanLine(err.Error()))
		return false
	}
	return l.Close() == nil
}

type gpuCheck struct {
	t       *testing.T
	workers *runtime.Workers
}

var (
	onCUDA = []ort.Provider{{Name: "cuda"}}
	onBoth = []ort.Provider{{Name: "cuda"}, {Name: "cpu"}}
	// inF32 makes CUDA compute in f32, as the CPU does. Its default is TF32, whose error is larger
	// than the tolerance for f32.
	inF32 = ort.Provider{Name: "cuda", Options: map[string]string{"use_tf32": "0"}}
)

// attaches ends the test if CUDA does not attach, with the reason and how to fix it.
func (g *gpuCheck) attaches() {
	lib, err := g.workers.Library(g.t.Context())
	if err != nil {
		g.t.Fatal(err)
	}
	l, err := g.load("testdata/digits.onnx", runtime.Execution{Providers: onCUDA})
	var refused *ort.ProviderError
	if errors.As(err, &refused) {
		g.t.Fatalf("no GPU check on this machine: %s: %s", lib.Path, refused.Refused[0])
	}
	if err != nil {
		g.t.Fatal(err)
	}
	defer l.Close()
	fmt.Printf("ONNX Runtime %s (%s)\n", l.Facts().LibraryVersion, lib.Path)
}

func (g *gpuCheck) load(path string, o runtime.Execution) (runtime.Loaded, error) {
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		return nil, err
	}
	return g.workers.Load(context.Background(), m, o)
}

// strict checks that the model runs on the provider that is named.
func (g *gpuCheck) strict(t *testing.T) {
	for _, chain := range [][]ort.Provider{onCUDA, onBoth, {{Name: "nosuch"}, {Name: "cuda"}}} {
		l, err := g.load("testdata/digits.onnx", runtime.Execution{Providers: chain})
		if err != nil {
			t.Errorf("%v: %v", chain, err)
			continue
		}
		if got := l.Facts().Provider; got != "cuda" {
			t.Errorf("%v: %s runs it", chain, got)
		}
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	}
}

func (g *gpuCheck) options(t *testing.T) {
	for _, o := range []struct {
		options map[string]string
		works   bool
	}{
		{map[string]string{"device_id": "0", "cudnn_conv_algo_search": "HEURISTIC"}, true},
		{map[string]string{"no_such_option": "1"}, false},
		{map[string]string{"device_id": "99"}, false},
	} {
		l, err := g.load("testdata/digits.onnx", runtime.Execution{Providers: []ort.Provider{{Name: "cuda", Options: o.options}}})
		if (err == nil) != o.works {
			t.Errorf("%v: %v", o.options, err)
		}
		var refused *ort.ProviderError
		if err != nil && !errors.As(err, &refused) {
			t.Errorf("%v: the refusal is no *ort.ProviderError: %v", o.options, err)
		}
		if l != nil {
			_ = l.Close()
		}
	}
}

// device checks that outputs stay on the device if asked to, and that the allocator reports the
// memory in use.
func (g *gpuCheck) device(t *testing.T) {
	l, err := g.load("testdata/digits.onnx", runtime.Execution{Providers: onCUDA})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	feeds, err := generatedFor(nil, l.Inputs())
	if err != nil {
		t.Fatal(err)
	}
	for _, onDevice := range []bool{false, true} {
		if err := l.Bind(t.Context(), feeds, ort.Binding{OutputsOnDevice: onDevice}); err != nil {
			t.Fatal(err)
		}
		if _, err := l.Block(t.Context(), 100, time.Second); err != nil {
			t.Fatal(err)
		}
	}
	st, err := l.Stages(t.Context(), 100, time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if st == nil || len(st.Complete) == 0 || slices.Min(st.ToDevice) <= 0 {
		t.Errorf("stages on the device: %+v", st)
	}
	use, err := l.Memory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(use.Allocators, func(a ort.AllocatorUse) bool { return a.Memory == "Cuda" })
	if at < 0 || use.Allocators[at].Statistics["MaxInUse"] == 0 {
		t.Errorf("no memory of the device in use: %+v", use)
	}
}

func generatedFor(m *graphops.Model, types []graphops.NamedType) (graphops.Feeds, error) {
	made, err := inputs.Generate(types, inputs.Options{Seed: 1, Model: m})
	return made.Feeds, err
}

// model compares a provider with the CPU on one model, and times both.
func (g *gpuCheck) model(path string, provider ort.Provider) ([]any, error) {
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		return nil, err
	}
	ctx := context.Background()
	cpu, err := g.workers.Load(ctx, m, runtime.Execution{})
	if err != nil {
		return nil, err
	}
	defer cpu.Close()
	exact, err := g.workers.Load(ctx, m, runtime.Execution{Providers: []ort.Provider{provider, {Name: "cpu"}}, Placement: true})
	if err != nil {
		return nil, err
	}
	defer exact.Close()
	timed, err := g.workers.Load(ctx, m, runtime.Execution{Providers: []ort.Provider{{Name: provider.Name}, {Name: "cpu"}}})
	if err != nil {
		return nil, err
	}
	defer timed.Close()
	placed, err := exact.Placement(ctx)
	if err != nil {
		return nil, err
	}
	feeds, err := generatedFor(m, cpu.Inputs())
	if err != nil {
		return nil, err
	}
	r, err := compare.Compare(ctx, side{"cpu", cpu}, side{provider.Name, exact}, []inputs.Case{{Name: "seed 1", Feeds: feeds}}, compare.Options{}, nil)
	if err != nil {
		return nil, err
	}
	row := []any{filepath.Base(path), provider.Name, placed.NodesOn(provider.Name), placed.NodesOn(ep.CPU), len(placed.Copies), worst(r), r.Verdict}
	for _, l := range []runtime.Loaded{cpu, timed} {
		ms, err := median(ctx, l, feeds)
		if err != nil {
			return row, err
		}
		row = append(row, fmt.Sprintf("%.3f", ms))
	}
	if r.Verdict == compare.Fail {
		return row, errors.New(r.Headline)
	}
	return row, nil
}

// side is one side of a comparison: a loaded model.
type side struct {
	name string
	runtime.Loaded
}

func (s side) Name() string { return s.name }

func (s side) Run(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error) {
	return runtime.RunWhole(ctx, s.Loaded, in)
}

func worst(r *compare.Report) string {
	most := tensor.Number(0)
	for _, o := range r.Outputs {
		if o.MaxAbs != nil {
			most = max(most, *o.MaxAbs)
		}
	}
	return fmt.Sprintf("%.3g", float64(most))
}

// median returns the median run of a short block, in milliseconds. A block before it is warm-up.
func median(ctx context.Context, l runtime.Loaded, feeds graphops.Feeds) (float64, error) {
	if err := l.Bind(ctx, feeds, ort.Binding{OutputsOnDevice: true}); err != nil {
		return 0, err
	}
	var samples []time.Duration
	for range 2 {
		var err error
		if samples, err = l.Block(ctx, 1000, 500*time.Millisecond); err != nil {
			return 0, err
		}
	}
	slices.Sort(samples)
	return float64(samples[len(samples)/2]) / 1e6, nil
}
