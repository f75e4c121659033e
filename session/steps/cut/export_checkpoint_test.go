//go:build cgo

package cut

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/parameters"
	"lathe/graphops/tensor"
	"lathe/session"
	"lathe/session/inputs"
	"lathe/session/runtime"
	"lathe/session/sessiontest"
)

// whatRuns runs a model under some session options.
func whatRuns(ctx context.Context, t *testing.T, env session.Env, m *graphops.Model, in graphops.Feeds, config map[string]string) map[string]tensor.Tensor {
	t.Helper()
	loaded, err := env.Runtime.Load(ctx, m, runtime.Execution{Config: config})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = loaded.Close() }()
	got := map[string]tensor.Tensor{}
	err = loaded.Run(ctx, in, nil, func(g execution.Got) error {
		got[g.Name] = g.Value.Tensor
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestExportOfRealCheckpoint exports an eval model with the parameters of a checkpoint that ONNX
// Runtime has written. The result must compute the same as the eval model that gets the parameters
// as inputs. The bits are equal only if repacking of weights is disabled: the runtime repacks
// constant weights when it creates a session, and the other layout rounds differently.
func TestExportOfRealCheckpoint(t *testing.T) {
	for folder, output := range map[string]string{"../../../testdata/checkpoint": "scores", "../../../../shared/models/training_api": "output-0"} {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			if _, err := os.Stat(folder); errors.Is(err, fs.ErrNotExist) && strings.Contains(folder, "shared") {
				t.Skip("the checkpoint of ONNX Runtime's tests is not here")
			}
			exportOfCheckpoint(t, folder, output)
		})
	}
}

func exportOfCheckpoint(t *testing.T, folder, output string) {
	t.Helper()
	env := sessiontest.Env(t)
	open := func(path string) *graphops.Model {
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	eval := open(filepath.Join(folder, "eval_model.onnx"))
	set, err := parameters.Open(filepath.Join(folder, "checkpoint.ckpt"), graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	for _, s := range []*Export{{}, {MinExternal: 1024}} {
		s.Checkpoint, s.Out, s.Output = set.Path, filepath.Join(t.TempDir(), "a", "out.onnx"), []string{output}
		if err := os.Mkdir(filepath.Dir(s.Out), 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := s.Run(t.Context(), env, eval); err != nil {
			t.Fatal(err)
		}
		exported := open(s.Out)
		made, err := inputs.Generate(graphops.NamedTypes(exported.Graph().FeedInputs()), inputs.Options{Seed: 1, Model: exported})
		if err != nil || len(made.Feeds) != 1 {
			t.Fatalf("wants %v, %v", made.Feeds, err)
		}
		byHand, _, err := graphops.Prune(eval, graphops.PruneOptions{Outputs: s.Output})
		if err != nil {
			t.Fatal(err)
		}
		fed := parametersFed(t, set, made.Feeds)
		for prepacking, farther := range map[string]float64{"0": 1e-6, "1": 0} {
			config := map[string]string{"session.disable_prepacking": prepacking}
			want := whatRuns(t.Context(), t, env, byHand, fed, config)
			got := whatRuns(t.Context(), t, env, exported, made.Feeds, config)
			m, err := tensor.Compare(want[output], got[output], tensor.Tolerance{})
			if err != nil || m.MaxAbs > farther || m.NaN+m.Inf > 0 || m.Total == 0 {
				t.Errorf("prepacking disabled: %s; apart by %g, %v", prepacking, m.MaxAbs, err)
			}
		}
	}
}

// parametersFed returns the feeds and every tensor of a file.
func parametersFed(t *testing.T, set *parameters.Set, in graphops.Feeds) graphops.Feeds {
	t.Helper()
	out := graphops.Feeds{}
	for name, v := range in {
		out[name] = v
	}
	for _, e := range set.Entries {
		x, err := e.Tensor()
		if err != nil {
			t.Fatal(err)
		}
		v, err := x.Read()
		if err != nil {
			t.Fatal(err)
		}
		out[e.Name] = graphops.TensorValue(v)
	}
	return out
}
