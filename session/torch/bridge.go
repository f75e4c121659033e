package torch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/python"
	"lathe/session/text"
	"lathe/session/torch/failure"
)

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
	Line            // of a warning
}

// Line is a line of Python.
type Line struct {
	File string `json:"file"` // "" where it is not known
	Line int    `json:"line"`
	Code string `json:"code"`
	User bool   `json:"user"` // of the user's own code, and not of a package
	// Ends tells that the other path there is an exception, as of an assertion.
	Ends bool `json:"ends"`
}

// At is the line as FILE:LINE.
func (l Line) At() string { return fmt.Sprintf("%s:%d", l.File, l.Line) }

// Tasks are what transformers are exported for.
var Tasks = []string{
	"default", "pooling", "question-answering", "text-classification", "zero-shot-classification", "cross-encoder", "token-classification", "fill-mask",
	"seq2seq-encoder", "seq2seq-decoder", "image-classification", "audio-classification",
}

// FailedError is what the user's code, or PyTorch, raised, or how the child ended.
type FailedError struct{ Raw failure.Raw }

func (e *FailedError) Error() string {
	if len(e.Raw.Chain) == 0 {
		return e.Raw.Signal
	}
	x := e.Raw.Chain[0]
	return text.CleanLine(x.Class + ": " + x.Message)
}

// Bridge is a model in a child, with what it is called with. It serves one goroutine.
//
// The child makes the model once and never runs it: every run and every export has a copy of
// the model as it was made. The copy is a fork of the child. Where a fork cannot compute,
// because the code has started threads of PyTorch's or a device, a child is of use for one
// question, and the next one has another.
type Bridge struct {
	child *python.Asked
	of    Child
	open  openQuestion
	// fork is the name of the fork that is asked, "" for the child itself.
	fork string
	// spent tells that forks of the child cannot compute, and used that it answered a question.
	spent, used bool
	written     []string // attributes of the model that a run writes to
	// Description is what the child says of the model.
	Description Description
	dynamic     []DynamicAxis
	reads       map[string]Read   // by line
	readsIn     map[string][]Read // by case
	cases       int
	forks       int // that were begun
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
	Changes []string `json:"changes"`
	// Caches are attributes that forward leaves changed, and with which a second call on the example
	// gives what the first did.
	Caches      []string      `json:"caches"`
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
	// Known is that of opened, for a child that takes the place of another.
	Known json.RawMessage `json:"known"`
}

// opened is the answer to an openQuestion.
type opened struct {
	Description
	Spent bool            `json:"spent"` // forks of the child cannot compute
	Known json.RawMessage `json:"known"` // what a run on the example has shown
	// Written are the attributes that a run has written to, with what of it no later run sees.
	Written []string `json:"written"`
}

// answer is what every question is answered with: one of these.
type answer struct {
	Result  json.RawMessage `json:"result"`
	Refused string          `json:"refused"`
	Failure *failure.Raw    `json:"failure"`
	Gone    *gone           `json:"gone"`
}

// gone is how a fork ended that did not answer.
type gone struct {
	Signal int    `json:"signal"` // 0 for none
	Status int    `json:"status"`
	Said   string `json:"said"`
}

func (g *gone) Error() string {
	if g.Signal > 0 {
		return "signal: " + syscall.Signal(g.Signal).String()
	}
	return fmt.Sprint("exit status ", g.Status)
}

// Open starts a child and has it make the model and run it once on its example.
func Open(ctx context.Context, c Child, o Opening) (*Bridge, error) {
	b := &Bridge{of: c, reads: map[string]Read{}, readsIn: map[string][]Read{}}
	given, err := b.write(ctx, o.Given, "given")
	if err != nil {
		return nil, err
	}
	otherwise, err := b.write(ctx, o.Otherwise, "otherwise")
	if err != nil {
		return nil, err
	}
	b.open = openQuestion{"open", o.Target, o.Task, given, otherwise, o.InputNames, o.OutputNames, o.Training, o.Fake, json.RawMessage("null")}
	if err := b.make(ctx); err != nil {
		return nil, err
	}
	return b, nil
}

// make starts a child and has it make the model.
func (b *Bridge) make(ctx context.Context) (err error) {
	if b.child, err = b.start(ctx); err != nil {
		return err
	}
	var got opened
	if err = b.tell(ctx, b.open, &got); err != nil {
		b.child.Close()
		return err
	}
	if string(b.open.Known) == "null" { // else the first child has said it, and ran the model
		b.Description, b.spent, b.used, b.written, b.open.Known = got.Description, got.Spent, got.Spent, got.Written, got.Known
	}
	return nil
}

// Fork is the model in a copy that lasts: what is done to it there is seen by what is asked of
// that copy later, and by nobody else. Closing it leaves the first as it is.
func (b *Bridge) Fork(ctx context.Context) (*Bridge, error) {
	b.forks++
	out := *b
	if b.spent {
		err := out.make(ctx)
		out.spent = false // it is asked more than once, and what is changed is to be seen
		return &out, err
	}
	out.fork = fmt.Sprint(b.fork, "/", b.forks)
	return &out, out.tell(ctx, struct {
		Do string `json:"do"`
	}{"fork"}, &struct{}{})
}

func (b *Bridge) start(ctx context.Context) (*python.Asked, error) {
	// The child outlives the question.
	return b.of.Interpreter.Start(context.WithoutCancel(ctx), python.Script{
		Source: script(modelParts...),
		Needed: needed, Ask: map[string]any{"memory": b.of.Memory},
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
	return fmt.Sprintf("the model's Python took more than %s and was stopped; --timeout gives it longer", time.Duration(e))
}

// ask asks about the model as it was made, and reads the result. What went wrong in the child is a
// FailedError.
func (b *Bridge) ask(ctx context.Context, question, result any) error {
	if b.spent {
		if b.used {
			b.child.Close()
			if err := b.make(ctx); err != nil {
				return err
			}
		}
		b.used = true
	}
	return b.tell(ctx, question, result)
}

// tell asks the child that is there, or a fork of it.
func (b *Bridge) tell(ctx context.Context, question, result any) error {
	if b.of.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, b.of.Timeout, errTook(b.of.Timeout))
		defer cancel()
	}
	var a answer
	q := struct {
		Fork     string `json:"fork"`
		Question any    `json:"question"`
	}{b.fork, question}
	if err := b.child.Ask(ctx, q, &a); err != nil {
		return b.broken(ctx, err)
	}
	switch {
	case a.Refused != "":
		return python.RefusedError(text.CleanLine(a.Refused))
	case a.Gone != nil:
		said := &python.EndedError{Needed: needed, Path: b.Python(), Said: a.Gone.Said, Err: a.Gone}
		return &FailedError{Raw: b.raw(failure.Raw{Signal: said.Error(), Said: a.Gone.Said})}
	case a.Failure != nil:
		return &FailedError{Raw: b.raw(*a.Failure)}
	}
	return json.Unmarshal(a.Result, result)
}

// broken is the error of a question that got no answer.
func (b *Bridge) broken(ctx context.Context, err error) error {
	var missing *python.MissingError
	var took errTook
	if errors.As(context.Cause(ctx), &took) {
		return &FailedError{Raw: b.raw(failure.Raw{Signal: took.Error(), Timeout: b.of.Timeout})}
	}
	if ctx.Err() != nil || errors.As(err, &missing) || !b.child.Ended() {
		return err
	}
	raw := failure.Raw{Signal: err.Error()}
	var ended *python.EndedError
	if errors.As(err, &ended) {
		raw.Said = ended.Said
	}
	return &FailedError{Raw: b.raw(raw)}
}

// raw is what is known of a failure, with what is known of this Python.
func (b *Bridge) raw(f failure.Raw) failure.Raw {
	f.Python = b.Python()
	if len(b.Description.Versions) > 0 {
		f.Versions = b.Description.Versions
	}
	return f
}

// needed is what Python is run for, as messages call it.
const needed = "the export from PyTorch"

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
		return tensor.Tensor{}, fmt.Errorf("%s: %s %s needs %d bytes, the child wrote %d", l.Path, dtype, tensor.FormatShape(l.Shape), want, len(data))
	}
	return tensor.Tensor{DType: dtype, Shape: l.Shape, Data: data}, nil
}

// Ended reports whether the child is gone, as after a question that took too long.
func (b *Bridge) Ended() bool { return b.child.Ended() }

// Close ends the child, or the fork.
func (b *Bridge) Close() {
	if b.fork == "" {
		b.child.Close()
		return
	}
	if !b.child.Ended() { // else the fork is gone too
		_ = b.tell(context.Background(), struct {
			Do string `json:"do"`
		}{"leave"}, &struct{}{}) // that a fork cannot be left is of no consequence: the child takes it along
	}
}
