package torch

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/python"
	"lathe/session/text"
	"lathe/session/torch/failure"
)

//go:embed bridge/values.py
var valuesScript string

//go:embed bridge/failure.py
var failureScript string

//go:embed bridge/target.py
var targetScript string

//go:embed bridge/inputs.py
var inputsScript string

//go:embed bridge/task.py
var taskScript string

//go:embed bridge/export.py
var exportScript string

//go:embed bridge/guards.py
var guardsScript string

//go:embed bridge/eager.py
var eagerScript string

//go:embed bridge/fake.py
var fakeScript string

//go:embed bridge/precise.py
var preciseScript string

//go:embed bridge/modules.py
var modulesScript string

//go:embed bridge/timing.py
var timingScript string

//go:embed bridge/main.py
var mainScript string

// Child is what every child of the bridge needs.
type Child struct {
	Interpreter python.Interpreter
	Folder      string        // the user's, in which their code runs
	TempDir     string        // for tensors, and what PyTorch writes meanwhile; the caller's to remove
	Timeout     time.Duration // of each question; 0 for none
	Memory      int64         // of the child, in bytes; 0 for no limit
	// Phase hears what the child is about to do, Event what it tells of its work; either may
	// be nil.
	Phase func(string)
	Event func(Event)
}

// Event is a step of the exporter, or a warning of PyTorch or of the user's code.
type Event struct {
	Kind     string `json:"t"` // step or warning
	ID       string `json:"id"`
	Detail   string `json:"detail"`
	Status   string `json:"status"`
	Category string `json:"category"`
	Message  string `json:"message"`
	File     string `json:"file"` // FILE:LINE where it is the user's own
}

// Tasks are what transformers are exported for.
var Tasks = []string{"default", "pooling", "question-answering", "text-classification", "zero-shot-classification"}

// FailedError is what the user's code, or PyTorch, raised, or how the child ended.
type FailedError struct {
	Raw       failure.Raw
	PeakBytes int64 // of the child, 0 where it did not tell
}

func (e *FailedError) Error() string {
	if len(e.Raw.Chain) == 0 {
		return e.Raw.Signal
	}
	x := e.Raw.Chain[0]
	return text.CleanLine(x.Class + ": " + x.Message)
}

// Bridge is a model in a child, with what it is called with. It serves one goroutine.
type Bridge struct {
	child *python.Asked
	of    Child
	// Description is what the child says of the model.
	Description Description
	dynamic     []DynamicAxis
	cases       int
}

// Leaf is a tensor among the arguments or results of a model, by its path: the parameter of
// forward, and the keys and places below it, as in "batch.masks.0".
type Leaf struct {
	Path  string  `json:"path"`
	Type  string  `json:"type"`
	Shape []int64 `json:"shape"`
	File  string  `json:"file,omitempty"`
}

// Constant is an argument that is no tensor, and so becomes part of the exported model.
type Constant struct {
	Path  string `json:"path"`
	Value string `json:"value"` // as Python writes it
}

// DynamicAxis is an axis that is to be free, and the symbol of its size.
type DynamicAxis struct {
	Path   string `json:"path"`
	Axis   int    `json:"axis"`
	Symbol string `json:"symbol"`
}

// Description is what is known of a target before it is exported.
type Description struct {
	Versions map[string]string `json:"versions"`
	// Kind is module, program, script, or exportable for an object that tells how it is called.
	Kind  string `json:"kind"`
	Class string `json:"class"`
	// NewExporter tells that this PyTorch has one, as from 2.5 on.
	NewExporter bool `json:"new_exporter"`
	// Trained tells that the model came in training mode.
	Trained      bool       `json:"trained"`
	Inputs       []Leaf     `json:"inputs"`
	Constants    []Constant `json:"constants"`
	Outputs      []Leaf     `json:"outputs"`
	OtherOutputs []string   `json:"other_outputs"` // that are no tensors
	// Changes are attributes and arguments that forward leaves changed behind it.
	Changes     []string      `json:"changes"`
	InputNames  []string      `json:"input_names"` // that the target itself asks for
	OutputNames []string      `json:"output_names"`
	Dynamic     []DynamicAxis `json:"dynamic"` // that the target itself asks for
	Parameters  int64         `json:"parameters"`
}

// Opening says what to open.
type Opening struct {
	Target string // FILE.py:CALLABLE, module:callable, or a saved program
	// Task is one of Tasks: the target is then the folder of a transformer, or gives a model
	// and its tokenizer.
	Task string
	// Given are tensors in the place of the example's, or the whole of what the model is
	// called with, by path.
	Given graphops.Feeds
	// Otherwise is Given where the target has no example and nothing is given.
	Otherwise               graphops.Feeds
	InputNames, OutputNames []string
	// Training leaves the model in training mode, where it is else taken out of it.
	Training bool
	// Fake makes the parameters of a module without their elements: it can be exported, with
	// inputs in their places, and is run when Weigh has given it some.
	Fake bool
}

type openQuestion struct {
	Do          string   `json:"do"`
	Target      string   `json:"target"`
	Task        string   `json:"task"`
	Given       []Leaf   `json:"given"`
	Otherwise   []Leaf   `json:"otherwise"`
	InputNames  []string `json:"input_names"`
	OutputNames []string `json:"output_names"`
	Training    bool     `json:"training"`
	Fake        bool     `json:"fake"`
}

// answer is what every question is answered with.
type answer struct {
	Refused   string       `json:"refused"`
	Failure   *failure.Raw `json:"failure"`
	Report    string       `json:"report"`
	PeakBytes int64        `json:"peak_bytes"`
}

// Open starts a child and has it make the model and run it once on its example.
func Open(ctx context.Context, c Child, o Opening) (*Bridge, error) {
	b := &Bridge{of: c}
	given, err := b.write(ctx, o.Given, "given")
	if err != nil {
		return nil, err
	}
	otherwise, err := b.write(ctx, o.Otherwise, "otherwise")
	if err != nil {
		return nil, err
	}
	if b.child, err = b.start(ctx); err != nil {
		return nil, err
	}
	q := openQuestion{"open", o.Target, o.Task, given, otherwise, o.InputNames, o.OutputNames, o.Training, o.Fake}
	if err := b.ask(ctx, q, &b.Description); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

func (b *Bridge) start(ctx context.Context) (*python.Asked, error) {
	// The child outlives the question.
	return b.of.Interpreter.Start(context.WithoutCancel(ctx), python.Script{
		Source: valuesScript + failureScript + targetScript + inputsScript + taskScript + fakeScript + guardsScript + exportScript + eagerScript + preciseScript + modulesScript + timingScript + mainScript,
		Needed: "the export from PyTorch", Ask: map[string]any{"memory": b.of.Memory},
		TempDir: b.of.TempDir, Folder: b.of.Folder, Phase: b.of.Phase, Event: b.heard,
	})
}

func (b *Bridge) heard(line json.RawMessage) {
	var e Event
	if b.of.Event != nil && json.Unmarshal(line, &e) == nil {
		b.of.Event(e)
	}
}

// errTook tells that a question took too long.
type errTook time.Duration

func (e errTook) Error() string {
	return fmt.Sprintf("the model's Python took more than %s and was ended; --timeout gives it longer", time.Duration(e))
}

// ask asks and reads the result. What went wrong in the child is a FailedError.
func (b *Bridge) ask(ctx context.Context, question, result any) error {
	if b.of.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, b.of.Timeout, errTook(b.of.Timeout))
		defer cancel()
	}
	var line json.RawMessage
	if err := b.child.Ask(ctx, question, &line); err != nil {
		var missing *python.MissingError
		var took errTook
		if errors.As(context.Cause(ctx), &took) {
			return &FailedError{Raw: failure.Raw{Signal: took.Error(), Timeout: b.of.Timeout, Versions: b.Description.Versions, Python: b.Python()}}
		}
		if ctx.Err() != nil || errors.As(err, &missing) || !b.child.Ended() {
			return err
		}
		raw := failure.Raw{Signal: err.Error(), Versions: b.Description.Versions, Python: b.Python()}
		var ended *python.EndedError
		if errors.As(err, &ended) {
			raw.Said = ended.Said
		}
		return &FailedError{Raw: raw}
	}
	var a answer
	if err := json.Unmarshal(line, &a); err != nil {
		return fmt.Errorf("the bridge to PyTorch: %w", err)
	}
	switch {
	case a.Refused != "":
		return python.RefusedError(text.CleanLine(a.Refused))
	case a.Failure != nil:
		a.Failure.Report, a.Failure.Python = a.Report, b.Python()
		if len(b.Description.Versions) > 0 {
			a.Failure.Versions = b.Description.Versions
		}
		return &FailedError{*a.Failure, a.PeakBytes}
	}
	return json.Unmarshal(line, result)
}

// write puts tensors into files for the child.
func (b *Bridge) write(ctx context.Context, in graphops.Feeds, folder string) ([]Leaf, error) {
	dir := filepath.Join(b.of.TempDir, folder)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	out := []Leaf{}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		v := in[name]
		if !v.IsTensor() {
			return nil, fmt.Errorf("input %q: only tensors can be given to PyTorch", name)
		}
		file := filepath.Join(dir, fmt.Sprint("input_", len(out)))
		if err := os.WriteFile(file, v.Tensor.Data, 0o600); err != nil {
			return nil, err
		}
		out = append(out, Leaf{name, v.Tensor.DType.String(), append([]int64{}, v.Tensor.Shape...), file})
	}
	return out, ctx.Err()
}

// read is a tensor that the child wrote. What it says of it is held against the file.
func (l Leaf) read() (tensor.Tensor, error) {
	dtype, err := tensor.ParseDType(l.Type)
	if err != nil {
		return tensor.Tensor{}, fmt.Errorf("%s: element type %q has no counterpart here", l.Path, text.CleanLine(l.Type))
	}
	n, err := tensor.Elements(l.Shape)
	if err != nil {
		return tensor.Tensor{}, fmt.Errorf("%s: %w", l.Path, err)
	}
	want, err := dtype.ByteLen(n)
	if err != nil {
		return tensor.Tensor{}, fmt.Errorf("%s: %w", l.Path, err)
	}
	data, err := os.ReadFile(l.File)
	if err != nil {
		return tensor.Tensor{}, err
	}
	if int64(len(data)) != want {
		return tensor.Tensor{}, fmt.Errorf("%s: %s %s wants %d bytes, the child wrote %d", l.Path, dtype, tensor.FormatShape(l.Shape), want, len(data))
	}
	return tensor.Tensor{DType: dtype, Shape: l.Shape, Data: data}, nil
}

// Close ends the child.
func (b *Bridge) Close() {
	if b.child != nil {
		b.child.Close()
	}
}
