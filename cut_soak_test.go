//go:build soak

package main

import (
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops/reference"
)

// TestCuts runs `lathe prune` on models that others made, and compares what the
// result computes with what the uncut model computes, bit for bit: at every
// value, or at 200 of them, as an output, and at up to three values together as
// inputs. LATHE_CORPUS names another folder of models, for a few cuts each.
func TestCuts(t *testing.T) {
	runtime := (&app{}).workers()
	library, err := runtime.Library(t.Context())
	if err != nil {
		t.Skip(err)
	}
	t.Setenv("LATHE_ORT_LIB", library.Path) // each command would look for it again
	corpus, outputs, inputs := reference.Shared, 200, 60
	if c := reference.Others(); c != reference.Debian {
		corpus, outputs, inputs = c, 8, 8
	}
	for _, path := range corpus.Models(t) {
		t.Run(filepath.Base(path), func(t *testing.T) {
			c, err := newCutter(t.Context(), runtime, path)
			if reason := doesNotRun[filepath.Base(path)]; reason != "" || err != nil && corpus != reference.Shared {
				if err == nil || !strings.Contains(err.Error(), reason) {
					t.Errorf("want an error with %q, got %v", reason, err)
				}
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			c.atOutputs(t, outputs)
			c.atInputs(t, inputs)
			t.Logf("%d values, %d cuts, %d values compared, %d are no tensors", len(c.made), c.cuts, c.compared, c.opaque)
			for reason, times := range c.limited {
				t.Logf("%d cuts do not run: the runtime %s", times, reason)
			}
			if c.compared == 0 {
				t.Error("nothing was compared")
			}
		})
	}
}

// doesNotRun are the models that the runtime does not take as they are, with
// the reason.
var doesNotRun = map[string]string{
	"bad_graph_with_duplicate_node_names.onnx":   "two nodes with same node name",
	"bad_graph_with_parallel_invalid_nodes.onnx": "Incompatible dimensions",
	"external_data_missing.onnx":                 "data path does not exist",
	"matmul.bf16.onnx":                           "Could not find an implementation for MatMul",
	"nested_local_function.onnx":                 "No Op registered for Einsum",
	"adamw.onnx":                                 "is not a registered function/op",
	"training_model.onnx":                        "is not a registered function/op",
}

// limits are what the runtime does not do once a value is an input, with the
// reason.
var limits = map[string]string{
	"Number of elements of input 'sizes' (0)": "follows a Shape through a Slice of unknown start and takes the result for empty",
	"Got invalid dimensions for input":        "holds an input to its stated shape, which is wrong, and took another from the node",
}

// dims are the sizes that a model needs its symbols to be.
var dims = map[string]map[string]int64{"eval_model.onnx": {"input-0_dim1": 784}}

// scalars are values of inputs that a model does not take just any of.
var scalars = map[string]float64{
	"max_length": 8, "min_length": 1, "num_beams": 2, "num_return_sequences": 1, "length_penalty": 1, "repetition_penalty": 1,
}

// randomOps make other values in each run.
var randomOps = []string{"RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial", "Bernoulli"}
