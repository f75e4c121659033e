package python

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"lathe/graphops"
	"lathe/session/text"
)

//go:embed reference.py
var referenceScript string

// Reference runs a model in the reference evaluator of the onnx package: one child for
// all runs, and another one after it ended. Values go through files.
type Reference struct {
	Interpreter Interpreter
	Model       string // a model file
	// TempDir is for values, and for what the package writes meanwhile; the caller's to
	// remove.
	TempDir string
	Timeout time.Duration // of every load and run; 0 for none
	Memory  int64         // of the child, in bytes; 0 for no limit
	// Phase hears what the child is about to do; it may be nil.
	Phase func(string)
	// Version is that of the package, "" before it was asked anything.
	Version string

	child *Asked
}

// LackingError tells what the evaluator does not do: an operator that it does not have,
// or a value that it does not take.
type LackingError string

func (e LackingError) Error() string { return "the reference evaluator: " + string(e) }

type referenceFeed struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	File string `json:"file"`
}

type referenceQuestion struct {
	OnlyOpen bool            `json:"only_open"`
	Folder   string          `json:"folder"`
	Feeds    []referenceFeed `json:"feeds"`
}

type referenceAnswer struct {
	Version string          `json:"version"`
	Lacking string          `json:"lacking"`
	Outputs []referenceFeed `json:"outputs"`
}

// kinds are the forms of a value that have a file.
var kinds = map[graphops.TypeKind]string{
	graphops.TypeTensor: "tensor", graphops.TypeSequence: "sequence", graphops.TypeOptional: "optional", graphops.TypeMap: "map",
}

// Load has the evaluator read the model. Run does it as well where it was not done.
func (r *Reference) Load(ctx context.Context) error {
	_, err := r.ask(ctx, referenceQuestion{OnlyOpen: true, Feeds: []referenceFeed{}})
	return err
}

// Run gives all outputs of the model, in its order.
func (r *Reference) Run(ctx context.Context, in graphops.Feeds) (_ []graphops.Got, err error) {
	folder, err := os.MkdirTemp(r.TempDir, "case-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	feeds := []referenceFeed{}
	for i, name := range slices.Sorted(maps.Keys(in)) {
		f := referenceFeed{name, kinds[in[name].Type.Kind], filepath.Join(folder, fmt.Sprintf("input_%d.pb", i))}
		err := graphops.WriteFile(ctx, f.File, graphops.WriteOptions{}, func(w io.Writer) error { return graphops.WriteData(w, name, in[name]) })
		if err != nil {
			return nil, fmt.Errorf("input %q for the reference evaluator: %w", name, err)
		}
		feeds = append(feeds, f)
	}
	answer, err := r.ask(ctx, referenceQuestion{Folder: folder, Feeds: feeds})
	if err != nil {
		return nil, err
	}
	var out []graphops.Got
	for _, o := range answer.Outputs {
		got, err := readOutput(folder, o)
		if err != nil {
			return nil, err
		}
		out = append(out, got)
	}
	return out, nil
}

// readOutput reads what the evaluator wrote into a folder.
func readOutput(folder string, o referenceFeed) (graphops.Got, error) {
	want := graphops.Type{}
	for kind, name := range kinds {
		if name == o.Kind {
			want.Kind = kind
		}
	}
	v, _, err := graphops.ReadData(filepath.Join(folder, filepath.Base(o.File)), want)
	if err != nil {
		return graphops.Got{}, fmt.Errorf("output %q of the reference evaluator: %w", o.Name, err)
	}
	return graphops.Got{Name: o.Name, Value: v}, nil
}

// errReferenceTime tells that a run took too long.
type errReferenceTime time.Duration

func (e errReferenceTime) Error() string {
	return fmt.Sprintf("the reference evaluator took more than %s and was ended", time.Duration(e))
}

func (r *Reference) ask(ctx context.Context, q referenceQuestion) (referenceAnswer, error) {
	var answer referenceAnswer
	if r.child == nil || r.child.Ended() {
		var err error
		// The child outlives the question.
		if r.child, err = r.Interpreter.Start(context.WithoutCancel(ctx), Script{
			Source: referenceScript, Needed: "the reference evaluator", TempDir: r.TempDir, Phase: r.Phase,
			Ask: map[string]any{"model": r.Model, "memory": r.Memory},
		}); err != nil {
			return answer, err
		}
	}
	if r.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, r.Timeout, errReferenceTime(r.Timeout))
		defer cancel()
	}
	if err := r.child.Ask(ctx, q, &answer); err != nil {
		return answer, err
	}
	r.Version = answer.Version
	if answer.Lacking != "" {
		return answer, LackingError(text.CleanLine(answer.Lacking))
	}
	return answer, nil
}

// Close ends the child.
func (r *Reference) Close() {
	if r.child != nil {
		r.child.Close()
	}
}
