package runtime

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"lathe/bench/machine"
	"lathe/graphops"
	"lathe/session/ort"
	"lathe/session/ort/ep"
)

// loaded implements Loaded with a session of ONNX Runtime. The session has its worker to itself.
type loaded struct {
	client  *ort.Client
	session *ort.Session
	leave   func() error   // ends the session but not the worker; nil if both end
	beside  []*ort.Session // further models in the worker
	refused []ort.Refusal

	// What was loaded, and with which options. It is needed to explain a later failure.
	workers *Workers
	model   *graphops.Model
	how     Execution
	bound   graphops.Feeds // the inputs of blocks
}

// Inputs returns the types that the runtime reports. The runtime reports no tensor shapes within
// sequences, maps and optionals; these come from the model.
func (l *loaded) Inputs() []graphops.NamedType {
	list := namedTypes(l.session.Inputs())
	if l.model == nil {
		return list
	}
	x := l.model.Graph().Index()
	for i, t := range list {
		if v, ok := x.Value(t.Name); ok && t.Type.Kind != graphops.TypeTensor {
			list[i].Type = x.Type(v)
		}
	}
	return list
}

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
	f := Facts{
		LibraryVersion: l.client.Info().LibraryVersion,
		Provider:       l.session.Provider(),
		Refused:        l.refused,
		LoadTime:       l.session.LoadTime(),
		UnknownOptions: l.session.UnknownOptions(),
	}
	for _, line := range l.session.Log() {
		f.Warnings = append(f.Warnings, line.Message)
	}
	return f
}

// Run implements Loaded. If the runtime rejects the run or crashes, the error is a *Failure.
func (l *loaded) Run(ctx context.Context, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error {
	start := time.Now()
	return l.explain(ctx, l.session.Run(ctx, in, want, yield), in, time.Since(start))
}

// Hold implements Loaded. Its errors are those of Run.
func (l *loaded) Hold(ctx context.Context, in graphops.Feeds, want []graphops.Want, yield func(graphops.Got) error) error {
	start := time.Now()
	return l.explain(ctx, l.session.Hold(ctx, in, want, yield), in, time.Since(start))
}

// explain turns the error of a run into a *Failure with the cause. To find the cause, it loads and
// runs the model, or parts of it, again.
func (l *loaded) explain(ctx context.Context, err error, in graphops.Feeds, took time.Duration) error {
	if l.model == nil {
		return err
	}
	took += l.session.LoadTime() // each further try loads a part of the model
	again := func(ctx context.Context, m *graphops.Model, o Execution) error {
		again, err := l.workers.loadOnce(ctx, m, o)
		if err != nil {
			return err
		}
		err = again.session.Run(ctx, FeedsOf(m, in), bare(again.Outputs()), func(graphops.Got) error { return nil })
		return errors.Join(err, again.Close())
	}
	if runs := l.session.Runs(); runs > 0 && err != nil && took < searchTime {
		if explained := later(ctx, err, l.model, l.how, runs, again); explained != nil {
			return explained
		}
	}
	return failed(ctx, err, l.model, l.how, took, again)
}

// bare requests the types and shapes of outputs but no elements. So the outputs are computed and
// not sent.
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

func (l *loaded) Memory(ctx context.Context) (ort.MemoryUse, error) {
	return l.session.Memory(ctx)
}

func (l *loaded) Machine(ctx context.Context) (machine.State, error) { return l.client.Machine(ctx) }

func (l *loaded) EndProfile(ctx context.Context, w io.Writer) error {
	return l.session.EndProfile(ctx, w)
}

func (l *loaded) Optimized(ctx context.Context) (*graphops.Model, error) {
	dumped, err := l.session.Dump(ctx)
	if err != nil {
		return nil, err
	}
	return dumped.Structure.Elsewhere(cmp.Or(l.how.On, "the worker"))
}

// Block implements Loaded. Its errors are those of Run.
func (l *loaded) Block(ctx context.Context, runs int, d time.Duration) ([]time.Duration, error) {
	return l.BlockAt(ctx, 0, runs, d)
}

// BlockAt implements Loaded. Its errors are those of Run.
func (l *loaded) BlockAt(ctx context.Context, place uint64, runs int, d time.Duration) ([]time.Duration, error) {
	start := time.Now()
	samples, err := l.session.BlockAt(ctx, place, runs, d)
	if l.captures() {
		return samples, err // a run outside of a block, which could explain it, captures nothing
	}
	return samples, l.explain(ctx, err, l.bound, time.Since(start))
}

// captures reports whether the provider captures the work of blocks.
func (l *loaded) captures() bool {
	return slices.ContainsFunc(l.how.Providers, func(p ort.Provider) bool {
		row, _ := ep.Find(p.Name)
		return row.Graph.IsSet(p.Options)
	})
}

// Replay implements Loaded.
func (l *loaded) Replay(ctx context.Context, want []graphops.Want, yield func(graphops.Got) error) error {
	return l.session.Replay(ctx, want, yield)
}

// Chooser implements Loaded.
func (l *loaded) Chooser(ctx context.Context, model []byte) (*ort.Session, error) {
	var o ort.SessionOptions
	for _, p := range l.how.Providers {
		if p.Name == l.session.Provider() {
			o.Providers = []ort.Provider{p}
			if row, _ := ep.Find(p.Name); row.Int64 != nil { // tokens are counted in int64
				o.Providers[0].Options = maps.Collect(maps.All(p.Options))
				maps.Copy(o.Providers[0].Options, row.Int64)
			}
		}
	}
	if l.session.Provider() != ep.CPU {
		o.Config = map[string]string{"session.disable_cpu_ep_fallback": "1"}
	}
	s, err := l.client.Load(ctx, ort.Model{Bytes: model, Name: "the model that chooses tokens"}, o)
	if err == nil {
		l.beside = append(l.beside, s)
	}
	return s, err
}

// Decode implements Loaded.
func (l *loaded) Decode(ctx context.Context, d ort.Decode) (ort.Decoding, error) {
	return l.session.Decode(ctx, d)
}

// Generate implements Loaded.
func (l *loaded) Generate(ctx context.Context, g ort.Generation) (*ort.Generated, error) {
	return l.session.Generate(ctx, g)
}

// Stages implements Loaded. Its errors are those of Run.
func (l *loaded) Stages(ctx context.Context, runs int, d time.Duration) (*ort.Stages, error) {
	start := time.Now()
	st, err := l.session.Stages(ctx, runs, d)
	return st, l.explain(ctx, err, l.bound, time.Since(start))
}

func (l *loaded) Queue() ort.Queue { return l.session.Queue() }

func (l *loaded) Close() error {
	end := l.client.Close
	if l.leave != nil {
		end = l.leave
		for _, s := range l.beside {
			if err := s.Close(); err != nil {
				return fmt.Errorf("worker: %w", err)
			}
		}
		l.beside = nil
	}
	if err := end(); err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	return nil
}
