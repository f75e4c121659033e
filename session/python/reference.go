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
	"lathe/graphops/durable"
	"lathe/graphops/execution"
	"lathe/session/text"
)

//go:embed reference.py
var referenceScript string

// Reference runs a model in the reference evaluator of the onnx package. One child process is used
// for all runs. If it ends, the next run starts another one. Inputs and outputs are exchanged as
// files.
type Reference struct {
	Interpreter Interpreter
	Model       string // path of the model file
	// TempDir is a folder for the files of inputs and outputs, and for temporary files of Python
	// packages. The caller removes it.
	TempDir string
	Timeout time.Duration // limit for loading the model and for each run; 0 means no limit
	Memory  int64         // limit for the child process, in bytes; 0 means no limit
	// Phase is called with what the child is about to do. It may be nil.
	Phase func(string)
	// Version is the version of the onnx package. It is "" before the first answer.
	Version string

	child *Asked
}

// LackingError is the error if the evaluator does not support something: an operator, or a type of
// input.
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

// kinds are the names, in questions and answers, of the kinds of values that can be exchanged as
// files.
var kinds = map[graphops.TypeKind]string{
	graphops.TypeTensor: "tensor", graphops.TypeSequence: "sequence", graphops.TypeOptional: "optional", graphops.TypeMap: "map",
}

// Load makes the evaluator read the model. It is optional, because Run reads the model if that was
// not done yet.
func (r *Reference) Load(ctx context.Context) error {
	_, err := r.ask(ctx, referenceQuestion{OnlyOpen: true, Feeds: []referenceFeed{}})
	return err
}

// Run runs the model and returns all of its outputs, in the order of the model.
func (r *Reference) Run(ctx context.Context, in graphops.Feeds) (_ []execution.Got, err error) {
	folder, err := os.MkdirTemp(r.TempDir, "case-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	feeds := []referenceFeed{}
	for i, name := range slices.Sorted(maps.Keys(in)) {
		f := referenceFeed{name, kinds[in[name].Type.Kind], filepath.Join(folder, fmt.Sprintf("input_%d.pb", i))}
		err := durable.WriteFile(ctx, f.File, durable.Options{}, func(w io.Writer) error { return graphops.WriteData(w, name, in[name]) })
		if err != nil {
			return nil, fmt.Errorf("input %q for the reference evaluator: %w", name, err)
		}
		feeds = append(feeds, f)
	}
	answer, err := r.ask(ctx, referenceQuestion{Folder: folder, Feeds: feeds})
	if err != nil {
		return nil, err
	}
	var out []execution.Got
	for _, o := range answer.Outputs {
		got, err := readOutput(folder, o)
		if err != nil {
			return nil, err
		}
		out = append(out, got)
	}
	return out, nil
}

// readOutput reads an output that the evaluator wrote to a file in a folder.
func readOutput(folder string, o referenceFeed) (execution.Got, error) {
	want := graphops.Type{}
	for kind, name := range kinds {
		if name == o.Kind {
			want.Kind = kind
		}
	}
	v, _, err := graphops.ReadData(filepath.Join(folder, filepath.Base(o.File)), want)
	if err != nil {
		return execution.Got{}, fmt.Errorf("output %q of the reference evaluator: %w", o.Name, err)
	}
	return execution.Got{Name: o.Name, Value: v}, nil
}

// errReferenceTime is the error of a run that took longer than the limit.
type errReferenceTime time.Duration

func (e errReferenceTime) Error() string {
	return fmt.Sprintf("the reference evaluator took more than %s and was stopped", time.Duration(e))
}

func (r *Reference) ask(ctx context.Context, q referenceQuestion) (referenceAnswer, error) {
	var answer referenceAnswer
	if r.child == nil || r.child.Ended() {
		var err error
		// The child answers later questions too, so it must not end with the context of this one.
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

// Close ends the child process.
func (r *Reference) Close() {
	if r.child != nil {
		r.child.Close()
	}
}
