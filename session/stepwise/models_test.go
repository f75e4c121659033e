//go:build cgo

package stepwise_test

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/graphops/roles"
	"lathe/graphops/shape"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
	"lathe/session/stepwise"
	"lathe/session/text"
)

// checked compares a model with itself.
func checked(t *testing.T, on runtime.Runtime, m *graphops.Model) *stepwise.Report {
	t.Helper()
	open := func(ctx context.Context, m *graphops.Model) (stepwise.Run, func(), error) {
		l, err := on.Load(ctx, m, runtime.Execution{Threads: 1})
		if err != nil {
			return nil, nil, err
		}
		return func(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error) {
			return runtime.RunWhole(ctx, l, in)
		}, func() { l.Close() }, nil
	}
	l, err := on.Load(t.Context(), m, runtime.Execution{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	shapes, err := shape.Infer(t.Context(), m, shape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	found, err := roles.Find(t.Context(), m, roles.Options{Shapes: shapes})
	if err != nil {
		t.Fatal(err)
	}
	run := func(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error) {
		return runtime.RunWhole(ctx, l, in)
	}
	r, err := stepwise.Check(t.Context(), m, run, found, stepwise.Options{Types: l.Inputs(), Open: open, Quantized: quant.Rounds(m)})
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	r.WriteDetails(text.NewPrinter(&b))
	t.Log(r.Headline + "\n" + b.String())
	return r
}

// TestBody compares the decoder in the body of a BeamSearch with itself.
func TestBody(t *testing.T) {
	path := "../../../shared/models/control/tiny_gpt2_beamsearch.onnx"
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("the shared models are not here")
	}
	node := slices.IndexFunc(m.Graph().Nodes(), func(n *graphops.Node) bool { return n.OpType() == "BeamSearch" })
	e, body := graphops.EditGraph(m.Graph()), graphops.EditGraph(m.Graph().Nodes()[node].Graphs()[0])
	e.Nodes, e.Inputs, e.Outputs, e.ValueInfo = body.Nodes, body.Inputs, body.Outputs, body.ValueInfo
	e.Initializers = append(e.Initializers, body.Initializers...)
	if r := checked(t, sessiontest.Workers(t), m.WithGraph(m.Places()[0], e.Graph())); !r.Pass {
		t.Errorf("%s", r.Headline)
	}
}

// TestShared compares decoders that others made with themselves.
func TestShared(t *testing.T) {
	on := sessiontest.Workers(t)
	for _, pattern := range []string{"../../testdata/decoders/*.onnx", "llm/*/model.onnx", "text/gpt2_past.onnx", "text/attention_past_state.onnx", "optimum/*/decoder*past*.onnx", "optimum/*/decoder*merged.onnx"} {
		if !strings.HasPrefix(pattern, "../") {
			pattern = filepath.Join("../../../shared/models", pattern)
		}
		paths, _ := filepath.Glob(pattern)
		for _, path := range paths {
			t.Run(strings.ReplaceAll(path, "/", "_"), func(t *testing.T) {
				m, err := graphops.Open(path, graphops.OpenOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if r := checked(t, on, m); !r.Pass {
					t.Errorf("%s", r.Headline)
				}
			})
		}
	}
}
