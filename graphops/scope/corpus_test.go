package scope_test

import (
	"path/filepath"
	"testing"

	"lathe/graphops"
	"lathe/graphops/reference"
	"lathe/graphops/scope"
)

// TestCorpora checks what always holds on models that others made, in every place.
func TestCorpora(t *testing.T) {
	own, err := filepath.Glob("../../testdata/*.onnx")
	if err != nil || len(own) == 0 {
		t.Fatalf("no models in testdata: %v", err)
	}
	t.Run("own", func(t *testing.T) { checkAll(t, own) })
	t.Run("shared", func(t *testing.T) { checkAll(t, reference.Shared.Models(t)) })
	t.Run("others", func(t *testing.T) { checkAll(t, reference.Others().Models(t)) })
}

func checkAll(t *testing.T, paths []string) {
	for _, path := range paths {
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil {
			continue // a broken model is the business of others
		}
		for _, p := range m.Places() {
			checkTree(t, scope.BuildPlace(p), p.Graph)
			if t.Failed() {
				t.Fatal(path, p)
			}
		}
	}
}

// TestRealTrees pins the trees of real models, one for each way to tell scopes.
func TestRealTrees(t *testing.T) {
	for path, want := range map[string]string{
		"../../testdata/mlp_dynamo.onnx": "stem 1/1\nblocks.0…2 ×3 15\n norm 1/1\n up 1/1\n down 1/1\nhead 1/1\n",
		"../../testdata/digits.onnx":     "conv1 1/1\nconv2 1/1\nfc1 1/1\nfc2 1/1\n",
	} {
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if got := drawn(built(t, m.Graph())); got != want {
			t.Errorf("%s: got\n%swant\n%s", path, got, want)
		}
	}
}

// TestSharedTrees pins those of models beside the repository.
func TestSharedTrees(t *testing.T) {
	found := map[string]*graphops.Graph{}
	for _, path := range reference.Shared.Models(t) {
		if m, err := graphops.Open(path, graphops.OpenOptions{}); err == nil {
			found[filepath.Base(path)] = m.Graph()
		}
	}
	for file, label := range map[string]string{"gpt2_past.onnx": "h.0…11", "tf_bert_question_answering.onnx": "layer_._0…22"} {
		g, ok := found[file]
		if !ok {
			t.Errorf("%s is not among the shared models", file)
			continue
		}
		folds := built(t, g).Folds
		if len(folds) != 1 || folds[0].Label != label {
			t.Errorf("%s: folds %+v, want %s", file, folds, label)
		}
	}
}
