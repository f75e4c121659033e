//go:build parity

package graphops_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// extractor asks onnx.utils.extract_model.
type extractor func(model, out string, inputs, outputs []string) (problem string)

func startExtractor(t *testing.T) extractor {
	t.Helper()
	python := os.Getenv("LATHE_PARITY_PYTHON")
	if python == "" {
		t.Skip("LATHE_PARITY_PYTHON names no Python with onnx")
	}
	cmd := exec.Command(python, "testdata/extract.py")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("reference: %v", err)
		}
	})
	lines := bufio.NewReader(out)
	return func(model, path string, inputs, outputs []string) string {
		if err := json.NewEncoder(in).Encode(map[string]any{"model": model, "out": path, "inputs": inputs, "outputs": outputs}); err != nil {
			t.Fatal(err)
		}
		line, err := lines.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		var answer struct{ Error *string }
		if err := json.Unmarshal(line, &answer); err != nil {
			t.Fatal(err)
		}
		if answer.Error != nil {
			return *answer.Error
		}
		return ""
	}
}

// TestPruneParity cuts models at random values and compares with the reference
// wherever that finds an answer. It does not look into bodies, wants every input
// named, and repeats inputs and outputs in value_info; models are chosen, and
// value_info is left out, accordingly.
func TestPruneParity(t *testing.T) {
	extract := startExtractor(t)
	dir := t.TempDir()
	paths := []string{
		"../testdata/digits.onnx", "../testdata/gather_mlp.onnx", "../testdata/text_classifier.onnx",
		"../testdata/mlp_dynamo.onnx", "../testdata/external.onnx",
	}
	for i, text := range []string{chain, diamond} {
		path := filepath.Join(dir, fmt.Sprint(i, ".onnx"))
		if err := os.WriteFile(path, graphtest.Bytes(t, text), 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			m, err := graphops.Open(path, graphops.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			random := rand.New(rand.NewPCG(1, 2))
			compared := 0
			for range 25 {
				inputs, outputs := cutAtRandom(random, m)
				out := filepath.Join(dir, "theirs.onnx")
				if problem := extract(path, out, inputs, outputs); problem != "" {
					continue
				}
				compared++
				result, report, err := graphops.Prune(m, graphops.PruneOptions{Inputs: inputs, Outputs: outputs})
				if err != nil {
					t.Fatalf("%q to %q: %v", inputs, outputs, err)
				}
				theirs, err := graphops.Open(out, graphops.OpenOptions{})
				if err != nil {
					t.Fatal(err)
				}
				want, got := describe(theirs, &graphops.Pruning{}), describe(result, report)
				for _, p := range []*pruned{&want, &got} {
					p.values, p.lost, p.untyped = nil, nil, nil
					slices.Sort(p.initializers)
				}
				if diff := cmp.Diff(want, got, cmp.AllowUnexported(pruned{})); diff != "" {
					t.Errorf("%q to %q (-reference +ours):\n%s", inputs, outputs, diff)
				}
			}
			if compared < 5 {
				t.Errorf("the reference answers %d of 25 cuts", compared)
			}
		})
	}
}

// cutAtRandom names all inputs of the graph, now and then a value inside, and
// one or two outputs.
func cutAtRandom(random *rand.Rand, m *graphops.Model) (inputs, outputs []string) {
	g := m.Graph()
	var inside []string
	for _, n := range g.Nodes() {
		inside = append(inside, n.Outputs()[0])
	}
	for _, v := range g.FeedInputs() {
		inputs = append(inputs, v.Name())
	}
	if random.IntN(3) > 0 {
		inputs = append(inputs, inside[random.IntN(len(inside))])
	}
	for range 1 + random.IntN(2) {
		if o := inside[random.IntN(len(inside))]; !slices.Contains(outputs, o) {
			outputs = append(outputs, o)
		}
	}
	return inputs, outputs
}
