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

// Child configures a child process of the bridge.
type Child struct {
	Interpreter python.Interpreter
	Folder      string        // the user's folder, in which their code runs
	TempDir     string        // for tensors and files that PyTorch writes; the caller removes it
	Timeout     time.Duration // for each question; 0 means no limit
	Memory      int64         // limit for the child, in bytes; 0 means none
	// Phase is called with what the child is about to do, and Event with its progress. Either may
	// be nil.
	Phase func(string)
	Event func(Event)
}

// Event is a step of the exporter, or a warning of PyTorch or the user's code.
type Event struct {
	Kind     string `json:"t"` // "step" or "warning"
	ID       string `json:"id"`
	Detail   string `json:"detail"`
	Status   string `json:"status"`
	Category string `json:"category"`
	Message  string `json:"message"`
	Line            // origin of a warning
}

// Line is a line of Python code.
type Line struct {
	File string `json:"file"` // empty if not known
	Line int    `json:"line"`
	Code string `json:"code"`
	User bool   `json:"user"` // it is the user's own code, not that of a package
	// Ends is set if the other path at this line is an exception, as for an assertion.
	Ends bool `json:"ends"`
}

// At returns the line as FILE:LINE.
func (l Line) At() string { return fmt.Sprintf("%s:%d", l.File, l.Line) }

// Tasks are the tasks of transformers that lathe torch task can export.
var Tasks = []string{
	"default", "pooling", "question-answering", "text-classification", "zero-shot-classification", "cross-encoder", "token-classification", "fill-mask",
	"seq2seq-encoder", "seq2seq-decoder", "image-classification", "audio-classification", TextGeneration, Text2Text,
}

// The tasks of models that generate. A model of Text2Text is exported as several, each with a task
// of its own. A task with NoPast at its end is that model without a cache.
const (
	TextGeneration = "text-generation"
	Text2Text      = "text2text-generation"
	Text2Encoder   = "text2text-encoder"
	Text2Decoder   = "text2text-decoder"
	Text2WithPast  = "text2text-decoder-with-past"
	NoPast         = "-no-past"
)

// FailedError is an exception of the user's code or PyTorch, or an unexpected end of the child.
type FailedError struct{ Raw failure.Raw }

func (e *FailedError) Error() string {
	if len(e.Raw.Chain) == 0 {
		return e.Raw.Signal
	}
	x := e.Raw.Chain[0]
	return text.CleanLine(x.Class + ": " + x.Message)
}

// Bridge is a model in a child process together with its example arguments. It is not safe for
// concurrent use.
//
// The child creates the model once and never runs it itself. Every run and every export gets a
// fresh copy of the model, which is a fork of the child process. Forks cannot compute if the code
// has started PyTorch threads or a device. Then a child answers only one question, and the next
// question gets a new child.
type Bridge struct {
	child *python.Asked
	of    Child
	open  openQuestion
	// fork is the name of the fork that is asked, or "" for the child itself.
	fork string
	// spent is set if forks of the child cannot compute; used is set if the child has answered a
	// question.
	spent, used bool
	written     []string // attributes of the model that a run writes to
	// Description is what is known about the model: its inputs, outputs and parameters.
	Description Description
	// Config is the configuration of a transformer, as JSON, or "".
	Config  string
	dynamic []DynamicAxis
	reads   map[string]Read   // by line
	readsIn map[string][]Read // by case
	cases   int
	forks   int // number of forks started
}

// Leaf is a tensor among the arguments or results of a model, with its path: the parameter of
// forward, then the keys and indices below it, as in "batch.masks.0".
type Leaf struct {
	Path  string  `json:"path"`
	Type  string  `json:"type"`
	Shape []int64 `json:"shape"`
	File  string  `json:"file,omitempty"`
}

// Constant is an argument that is not a tensor and therefore becomes part of the exported model.
type Constant struct {
	Path  string `json:"path"`
	Value string `json:"value"` // as Python prints it
}

// DynamicAxis is an axis that should become dynamic, and the symbol for its size.
type DynamicAxis struct {
	Path   string `json:"path"`
	Axis   int    `json:"axis"`
	Symbol string `json:"symbol"`
}

// Description is what is known about a target before it is exported.
type Description struct {
	Versions map[string]string `json:"versions"`
	// Kind is module, program, script, or exportable. An exportable is an object with forward and
	// example_arguments.
	Kind  string `json:"kind"`
	Class string `json:"class"`
	// NewExporter is set if this PyTorch has the new exporter, which exists since 2.5.
	NewExporter bool `json:"new_exporter"`
	// Trained is set if the model was in training mode.
	Trained      bool       `json:"trained"`
	Inputs       []Leaf     `json:"inputs"`
	Constants    []Constant `json:"constants"`
	Outputs      []Leaf     `json:"outputs"`
	OtherOutputs []string   `json:"other_outputs"` // outputs that are not tensors
	// Changes are attributes of the model, global variables and arguments that forward modifies.
	Changes []string `json:"changes"`
	// Caches are attributes that forward modifies without an effect on a second call with the
	// example.
	Caches      []string      `json:"caches"`
	InputNames  []string      `json:"input_names"` // names that the target itself requests
	OutputNames []string      `json:"output_names"`
	Dynamic     []DynamicAxis `json:"dynamic"` // axes that the target itself requests
	Parameters  int64         `json:"parameters"`
	// Assumed is what is assumed of a model with a cache.
	Assumed []string `json:"assumed"`
	// OneToken is set if a run of the model takes one token, and AtOnce takes several.
	OneToken bool `json:"one_token"`
	// CacheAxes says which axes of a model with a cache are dynamic if nobody asks for others.
	CacheAxes []string `json:"-"`
}

// Opening says what to open.
type Opening struct {
	Target string // FILE.py:CALLABLE, module:callable, or a saved program
	// Task is one of Tasks. Then the target is the folder of a transformer, or returns a model and
	// its tokenizer.
	Task string
	// Given are tensors, by path, that replace those of the example, or all arguments of the model.
	Given graphops.Feeds
	// Otherwise are tensors that are used like Given, but only if the target has no example and
	// Given is empty.
	Otherwise               graphops.Feeds
	InputNames, OutputNames []string
	// Training leaves the model in training mode. By default it is switched to evaluation mode.
	Training bool
	// Fake creates the parameters of a module without elements. Such a model can be exported, with
	// inputs in place of its parameters. It can be run after Weigh has given it elements.
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
	// Known is the field Known of an earlier child's answer. A child that replaces another need not
	// run the example again.
	Known json.RawMessage `json:"known"`
}

// opened is the answer to an openQuestion.
type opened struct {
	Description
	Spent bool            `json:"spent"` // forks of the child cannot compute
	Known json.RawMessage `json:"known"` // what a run on the example has shown
	// Written are the attributes that a run has written to, including those whose changes later
	// runs do not see.
	Written []string `json:"written"`
	Axes    []string `json:"cache_axes"`
	Config  string   `json:"config"` // the configuration of a transformer, as JSON
}

// answer is the answer to a question; one of the fields is set.
type answer struct {
	Result  json.RawMessage `json:"result"`
	Refused string          `json:"refused"`
	Failure *failure.Raw    `json:"failure"`
	Gone    *gone           `json:"gone"`
}

// gone is how a fork ended that gave no answer: its signal, or its exit status.
type gone struct {
	Signal int    `json:"signal"` // 0 if none
	Status int    `json:"status"`
	Said   string `json:"said"`
}

func (g *gone) Error() string {
	if g.Signal > 0 {
		return "signal: " + syscall.Signal(g.Signal).String()
	}
	return fmt.Sprint("exit status ", g.Status)
}

// Open starts a child that creates the model and runs it once on its example.
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

// make starts a child process that creates the model. A child that replaces another one does the
// same again.
func (b *Bridge) make(ctx context.Context) (err error) {
	if b.child, err = b.start(ctx); err != nil {
		return err
	}
	var got opened
	if err = b.tell(ctx, b.open, &got); err != nil {
		b.child.Close()
		return err
	}
	if string(b.open.Known) == "null" { // a replacement does not report again what the first child did
		b.Description, b.spent, b.used, b.written, b.open.Known, b.Config = got.Description, got.Spent, got.Spent, got.Written, got.Known, got.Config
		b.Description.CacheAxes = got.Axes
	}
	return nil
}

// Fork returns the model in a copy that lasts. Later questions to that copy see what earlier ones
// did to the model there. Closing it does not affect the original.
func (b *Bridge) Fork(ctx context.Context) (*Bridge, error) {
	b.forks++
	out := *b
	if b.spent {
		err := out.make(ctx)
		out.spent = false // it must answer several questions that see each other's changes
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

// errTook is the error of a question that took longer than the limit.
type errTook time.Duration

func (e errTook) Error() string {
	return fmt.Sprintf("the model's Python took more than %s and was stopped; --timeout gives it longer", time.Duration(e))
}

// ask asks a question about a fresh copy of the model and decodes the result. Errors in the child
// are FailedErrors.
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

// tell sends a question to the child, or to a fork of it that goes on running.
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

// broken returns the error for a question that got no answer, because it took too long or because
// the child ended.
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

// raw adds the facts about this Python to a failure.
func (b *Bridge) raw(f failure.Raw) failure.Raw {
	f.Python = b.Python()
	if len(b.Description.Versions) > 0 {
		f.Versions = b.Description.Versions
	}
	return f
}

// needed names the purpose for which Python is run, for messages.
const needed = "the export from PyTorch"

// write writes tensors to files for the child.
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

// read reads a tensor that the child wrote and checks its description against the file.
func (l Leaf) read() (tensor.Tensor, error) {
	dtype, err := tensor.ParseDType(l.Type)
	if err != nil {
		return tensor.Tensor{}, fmt.Errorf("%s: element type %q is not supported", l.Path, text.CleanLine(l.Type))
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

// Ended reports whether the child is gone, for example because a question took too long.
func (b *Bridge) Ended() bool { return b.child.Ended() }

// Close ends the child, or the fork.
func (b *Bridge) Close() {
	if b.fork == "" {
		b.child.Close()
		return
	}
	if !b.child.Ended() { // otherwise the fork is gone too
		_ = b.tell(context.Background(), struct {
			Do string `json:"do"`
		}{"leave"}, &struct{}{}) // if this fails, the fork ends together with the child
	}
}
