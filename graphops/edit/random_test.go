package edit_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
	"lathe/graphops/reference"
	"lathe/graphops/tensor"
)

// TestRandomEdits edits models at random, one edit on top of the other. An edit
// may be refused; what is done must leave a model valid that was, must not touch
// the one it began with, and what is written must read back.
func TestRandomEdits(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	paths, err := filepath.Glob("../../testdata/*.onnx")
	if err != nil || len(paths) == 0 {
		t.Fatal(paths, err)
	}
	t.Run("branching", func(t *testing.T) { editAtRandom(t, graphtest.Model(t, branching)) })
	editFilesAtRandom(t, paths)
}

// TestRandomEditsOfOthers does the same to models that others made.
func TestRandomEditsOfOthers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	editFilesAtRandom(t, reference.Shared.Models(t))
}

func editFilesAtRandom(t *testing.T, paths []string) {
	t.Helper()
	for _, path := range paths {
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil || m.HasExternalData() || m.FileBytes() > 4<<20 || len(graphtest.Problems(m)) > 0 {
			continue // broken from the start, or too large to write after every edit
		}
		t.Run(filepath.Base(path), func(t *testing.T) { editAtRandom(t, m) })
	}
}

// editsEach is how many edits are tried on a model.
const editsEach = 40

func editAtRandom(t *testing.T, m *graphops.Model) {
	t.Helper()
	r := &randomEdits{random: rand.New(rand.NewPCG(3, 4)), done: map[string]int{}}
	for range editsEach {
		m = r.step(t, m)
	}
	if len(r.done) < 3 {
		t.Errorf("only %v could be done", r.done)
	}
}

// randomEdits picks edits and what they are done to.
type randomEdits struct {
	random *rand.Rand
	done   map[string]int // by edit
	made   int
}

func (r *randomEdits) step(t *testing.T, m *graphops.Model) *graphops.Model {
	t.Helper()
	places := m.Places()
	p := places[r.random.IntN(len(places))]
	what, f := r.pick(m, p)
	before := graphtest.Encode(t, m)
	next, report, err := f()
	if err != nil {
		return m
	}
	if problems := graphtest.Problems(next); len(problems) > 0 {
		t.Fatalf("%s in %q: %q after %+v", what, p, problems, report.Changes)
	}
	if !slices.Equal(before, graphtest.Encode(t, m)) {
		t.Fatalf("%s in %q changed the original", what, p)
	}
	if _, err := graphops.Decode(graphtest.Encode(t, next)); err != nil {
		t.Fatalf("%s in %q: %v", what, p, err)
	}
	r.done[what]++
	return next
}

var errNotNow = errors.New("not now")

type editFunc func() (*graphops.Model, *edit.Report, error)

func (r *randomEdits) pick(m *graphops.Model, p *graphops.Place) (string, editFunc) {
	r.made++
	node := fmt.Sprintf("#%d", r.random.IntN(max(len(p.Graph.Nodes()), 1)))
	value := r.value(p)
	fresh := fmt.Sprintf("fresh_%d", r.made)
	half := r.random.IntN(2) == 0
	edits := []struct {
		what string
		f    editFunc
	}{
		{"rename", func() (*graphops.Model, *edit.Report, error) {
			return edit.Names(m, p, edit.RenameOptions{Values: []edit.Rename{{From: value, To: fresh}}, Nodes: []edit.Rename{{From: node, To: fresh}}})
		}},
		{"rename to a name that is there", func() (*graphops.Model, *edit.Report, error) {
			return edit.Names(m, p, edit.RenameOptions{Values: []edit.Rename{{From: value, To: r.value(m.Places()[0])}}})
		}},
		{"delete", func() (*graphops.Model, *edit.Report, error) {
			return edit.Delete(m, p, edit.DeleteOptions{Nodes: []string{node}, Downstream: r.made%7 == 0, Unused: half})
		}},
		{"bypass", func() (*graphops.Model, *edit.Report, error) {
			return edit.Bypass(context.Background(), m, p, edit.BypassOptions{Nodes: []string{node}, ForceType: true, Unused: half})
		}},
		{"insert", func() (*graphops.Model, *edit.Report, error) {
			return edit.Insert(context.Background(), m, p, edit.InsertOptions{On: []string{value}, AtOutput: half})
		}},
		{"cast", func() (*graphops.Model, *edit.Report, error) {
			return edit.Insert(context.Background(), m, p, edit.InsertOptions{On: []string{value}, To: tensor.F16})
		}},
		{"to initializers", func() (*graphops.Model, *edit.Report, error) { return edit.ConstantsToInitializers(m, p, nil) }},
		{"to nodes", func() (*graphops.Model, *edit.Report, error) { return edit.InitializersToConstants(m, p, nil) }},
		{"to inputs", func() (*graphops.Model, *edit.Report, error) {
			next, report, _, err := edit.InitializersToInputs(m, p, edit.InputOptions{Values: []string{value}, Optional: half})
			return next, report, err
		}},
		{"from inputs", func() (*graphops.Model, *edit.Report, error) {
			return edit.InputsToInitializers(m, p, edit.FixOptions{})
		}},
		{"attribute", func() (*graphops.Model, *edit.Report, error) {
			return edit.Attributes(context.Background(), m, p, edit.AttributeOptions{Nodes: []string{node}, Set: []edit.AttributeSetting{{Name: fresh, Text: "[1,2]"}}})
		}},
		{"annotate", func() (*graphops.Model, *edit.Report, error) {
			t := graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32, Shape: graphops.Shape{graphops.SymbolDim(fresh)}}
			return edit.Annotate(context.Background(), m, p, edit.AnnotateOptions{Types: []edit.ValueType{{Name: value, Type: t}}})
		}},
		{"metadata", func() (*graphops.Model, *edit.Report, error) {
			o := edit.MetadataOptions{Of: edit.OneNode, Name: node, Set: []graphops.Entry{{Key: fresh, Value: value}}, IRVersion: 10}
			if half {
				o.Of, o.Name = edit.OneValue, value
			}
			return edit.Metadata(m, p, o)
		}},
		{"merge", func() (*graphops.Model, *edit.Report, error) {
			if len(m.Graph().Nodes()) > 400 || r.made%5 != 0 {
				return nil, nil, errNotNow
			}
			return edit.Merge(context.Background(), m, m, edit.MergeOptions{})
		}},
	}
	e := edits[r.random.IntN(len(edits))]
	return e.what, e.f
}

func (r *randomEdits) value(p *graphops.Place) string {
	x := p.Graph.Index()
	if x.Values() == 0 {
		return "nothing"
	}
	return x.Name(graphops.ValueID(r.random.IntN(x.Values())))
}
