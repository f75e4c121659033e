package graphops_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/onnxpb"
	"lathe/graphops/reference"
)

// refused are the models of the corpora that fail, by the end of their path, with part of the error.
var refused = map[string]string{
	// onnx.checker and ONNX Runtime accept it.
	"testdata/function.onnx": `a default for an attribute of function "Swish" needs IR version 9`,
	// The file of its tensors does not exist.
	"broken/external_data_missing.onnx": "no such file beside the model",
}

// TestCorpus opens, indexes, counts, prunes and saves the models of the corpora. Debian's are small and
// much alike, so every tenth is enough here; `make soak` takes all.
func TestCorpus(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Run(reference.Testdata.Name, func(t *testing.T) { checkCorpus(t, reference.Testdata, 1, 3) })
	t.Run(reference.Shared.Name, func(t *testing.T) { checkCorpus(t, reference.Shared, 1, 3) })
	others, nth := reference.Others(), 1
	if others == reference.Debian {
		nth = 10
	}
	t.Run(others.Name, func(t *testing.T) { checkCorpus(t, others, nth, 3) })
}

// checkCorpus checks every nth model, with a number of cuts each. A thousand
// subtests would take longer than what they test.
func checkCorpus(t *testing.T, c reference.Corpus, nth, cuts int) {
	t.Helper()
	models := c.SoundModels(t)
	checked, refusals := 0, 0
	for i := 0; i < len(models); i += nth {
		err := checkModel(t, models[i], cuts)
		checked++
		switch reason := refusalOf(models[i]); {
		case reason == "" && err != nil:
			t.Errorf("%s: %v", models[i], err)
		case reason != "" && (err == nil || !strings.Contains(err.Error(), reason)):
			t.Errorf("%s: want an error with %q, got %v", models[i], reason, err)
		case reason != "":
			refusals++
		}
	}
	t.Logf("%d of %d models, %d cuts each; %d refused as expected", checked, len(models), cuts, refusals)
}

func refusalOf(path string) string {
	for end, reason := range refused {
		if strings.HasSuffix(filepath.ToSlash(path), "/"+end) {
			return reason
		}
	}
	return ""
}

func checkModel(t *testing.T, path string, cuts int) (err error) {
	t.Helper()
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		return err
	}
	if err := checkParts(m); err != nil {
		return err
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	original := unmarshal(t, b)
	random := rand.New(rand.NewPCG(1, 2))
	var faults []error
	for range cuts {
		o := cutAnywhere(random, m)
		if err := checkCut(t, m, original, o); err != nil {
			faults = append(faults, fmt.Errorf("%q to %q: %w", o.Inputs, o.Outputs, err))
		}
	}
	// Saved last: a prune that had changed the original would show.
	return errors.Join(append(faults, checkSaved(t, m, original))...)
}

// checkParts indexes and counts every part, finds it again by its name, and
// holds the version of the format that the parts need against the stated one.
func checkParts(m *graphops.Model) error {
	for _, p := range m.Places() {
		p.Graph.Index()
		found, err := m.FindPlace(p.Hops())
		if err != nil {
			return err
		}
		if found != p {
			return fmt.Errorf("%q leads to place %d, want %d", p.Hops(), found.ID, p.ID)
		}
	}
	if s := cost.Summarize(m); len(s.Odd) > 0 {
		return errors.Join(s.Odd...)
	}
	if need := m.NeededIR(); need.Version > m.IRVersion() {
		return fmt.Errorf("%s needs IR version %d, the model states %d", need.What, need.Version, m.IRVersion())
	}
	return nil
}

// cutAnywhere asks for one to three outputs and up to three inputs among all
// values that the graph defines.
func cutAnywhere(random *rand.Rand, m *graphops.Model) graphops.PruneOptions {
	x := m.Graph().Index()
	var defined []string
	for v := range x.Values() {
		if id := graphops.ValueID(v); x.IsDefined(id) {
			defined = append(defined, x.Name(id))
		}
	}
	choose := func(n int) []string {
		var out []string
		for range n {
			out = append(out, defined[random.IntN(len(defined))])
		}
		return out
	}
	return graphops.PruneOptions{Outputs: choose(1 + random.IntN(3)), Inputs: choose(random.IntN(4))}
}

// checkCut prunes, and compares what is written with the closure of the
// outputs.
func checkCut(t *testing.T, m *graphops.Model, original *onnxpb.ModelProto, o graphops.PruneOptions) error {
	t.Helper()
	result, _, err := graphops.Prune(m, o)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := graphops.Write(&b, result); err != nil {
		return err
	}
	if _, err := graphops.Decode(bytes.Clone(b.Bytes())); err != nil {
		return err
	}
	return newClosure(original, o).check(unmarshal(t, b.Bytes()))
}

// checkSaved saves a model, opens it again and compares it with what the
// generated code reads from the original.
func checkSaved(t *testing.T, m *graphops.Model, want *onnxpb.ModelProto) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), "saved.onnx")
	if _, err := graphops.Save(context.Background(), m, path, graphops.SaveOptions{}); err != nil {
		return err
	}
	saved, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		return err
	}
	if m.HasExternalData() {
		return sameTensors(m, saved)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if got := unmarshal(t, b); !proto.Equal(want, got) { // Diff alone takes minutes on large models
		return fmt.Errorf("the saved model differs (-want +got):\n%s", cmp.Diff(want, got, protocmp.Transform()))
	}
	return nil
}

// sameTensors compares the elements of all tensors, wherever they lie.
func sameTensors(a, b *graphops.Model) error {
	var list [2][]string
	for i, m := range []*graphops.Model{a, b} {
		for x := range m.Tensors() {
			p, err := x.Data()
			if err != nil {
				return err
			}
			data, err := p.Bytes()
			if err != nil {
				return err
			}
			list[i] = append(list[i], fmt.Sprintf("%s %s %v %x", x.Name(), x.DType(), x.Dims(), data))
		}
	}
	if diff := cmp.Diff(list[0], list[1]); diff != "" {
		return fmt.Errorf("tensors differ (-original +saved):\n%s", diff)
	}
	return nil
}
