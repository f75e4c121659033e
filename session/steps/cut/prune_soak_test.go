//go:build cgo && soak

package cut

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops/reference"
	"lathe/session"
	"lathe/session/sessiontest"
)

// TestCuts prunes models and compares the results with what the whole model computes, bit for bit.
// It cuts at every value as an output, or at 200 of them, and at up to three values together as
// inputs. LATHE_CORPUS names another folder of models, with fewer cuts for each.
func TestCuts(t *testing.T) {
	env := sessiontest.Env(t)
	corpora, outputs, inputs := []reference.Corpus{reference.Testdata, reference.Shared}, 200, 60
	if c := reference.Others(); c != reference.Debian {
		corpora, outputs, inputs = []reference.Corpus{c}, 8, 8
	}
	for _, corpus := range corpora {
		t.Run(corpus.Name, func(t *testing.T) {
			for _, path := range corpus.SoundModels(t) {
				t.Run(filepath.Base(path), func(t *testing.T) {
					cutModel(t, env, path, outputs, inputs, corpus == reference.Others())
				})
			}
		})
	}
}

// cutModel cuts one model in many ways. unknown is set for models that the test does not know;
// these are skipped if they do not run.
func cutModel(t *testing.T, env session.Env, path string, outputs, inputs int, unknown bool) {
	t.Helper()
	c, err := newCutter(t.Context(), env, path)
	if reason := doesNotRun[filepath.Base(path)]; reason != "" || err != nil && unknown {
		if err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("want an error with %q, got %v", reason, err)
		}
		t.Skip(err)
	}
	if errors.Is(err, errRandom) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.atOutputs(t, outputs)
	c.atInputs(t, inputs)
	t.Logf("%d values, %d cuts, %d values compared, %d without a tensor", len(c.made), c.cuts, c.compared, c.opaque)
	for reason, times := range c.limited {
		t.Logf("%d cuts do not run: the runtime %s", times, reason)
	}
	if c.compared == 0 {
		t.Error("nothing was compared")
	}
}

// doesNotRun are the models that the runtime rejects, with part of its message.
var doesNotRun = map[string]string{
	"bad_graph_with_duplicate_node_names.onnx":   "two nodes with same node name",
	"bad_graph_with_parallel_invalid_nodes.onnx": "Incompatible dimensions",
	"external_data_missing.onnx":                 "data path does not exist",
	"matmul.bf16.onnx":                           "Could not find an implementation for MatMul",
	"nested_local_function.onnx":                 "No Op registered for Einsum",
	"adamw.onnx":                                 "is not a registered function/op",
	"training_model.onnx":                        "is not a registered function/op",
}

// limits are errors that the runtime may return for a model that was cut at an input. The text says
// what the runtime does wrong.
var limits = map[string]string{
	"Number of elements of input 'sizes' (0)": "follows a Shape through a Slice of unknown start and takes the result for empty",
	"Got invalid dimensions for input":        "holds an input to its stated shape, which is wrong, and took another from the node",
}
