package torch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/torch/failure"
)

// Strategy is a way to export a PyTorch model to ONNX.
type Strategy string

// The strategies, in the order in which they are tried.
const (
	NonStrict Strategy = "non-strict" // torch.export traces what Python runs
	Strict    Strategy = "strict"     // torch.export analyzes the code with TorchDynamo
	Legacy    Strategy = "legacy"     // TorchScript, by tracing
)

// Strategies lists all strategies, in the order in which they are tried.
var Strategies = []Strategy{NonStrict, Strict, Legacy}

// Export says how to export the model of a Bridge.
type Export struct {
	Strategy Strategy `json:"strategy"`
	Path     string   `json:"path"` // of the model; weights may be beside it
	// Artifacts is a folder for the exporter's reports.
	Artifacts string `json:"artifacts"`
	// Dynamic are axes of inputs, by path. If it is empty, the axes that the target requests are
	// used. DynamicOutputs are axes of outputs, by name, for the old exporter.
	Dynamic        []DynamicAxis `json:"dynamic"`
	DynamicOutputs []DynamicAxis `json:"dynamic_outputs"`
	InputNames     []string      `json:"input_names"`
	OutputNames    []string      `json:"output_names"`
	// Options are further arguments of torch.onnx.export, by the names of its parameters.
	Options map[string]any `json:"options"`
	// Translations and Symbolic have the form FILE.py:NAME. Translations is a
	// custom_translation_table. Symbolic is a function that registers symbolic functions of the old
	// exporter and may return its custom_opsets.
	Translations string `json:"translations"`
	Symbolic     string `json:"symbolic"`
	Training     bool   `json:"training"`
	// KeepWeights keeps everything in the state_dict as separate initializers, without folding.
	KeepWeights bool `json:"keep_weights"`
}

// Exported is the result of an export.
type Exported struct {
	// Without are options that the installed exporter does not have.
	Without   []string `json:"without"`
	Report    string   `json:"report"` // of the exporter; empty if there is none
	PeakBytes int64    `json:"peak_bytes"`
	// Ranges are the dynamic axes that do not allow every size, according to the exporter.
	Ranges []Range `json:"ranges"`
	// Beyond are sizes of dynamic axes for which the code may take another path than for the
	// example.
	Beyond []Beyond `json:"beyond"`
	// Fakes are the inputs in place of parameters without elements.
	Fakes []Fake `json:"fakes"`
	// Weights are the names in the model's state_dict.
	Weights []string `json:"weights"`
}

// Range is the range of sizes that a dynamic axis allows, and the line of the user's code that
// limits them, if known.
type Range struct {
	Path  string `json:"path"`
	Axis  int    `json:"axis"`
	Least int64  `json:"least"`
	Most  int64  `json:"most"` // 0 if there is no limit
	File  string `json:"file"`
	Line  int    `json:"line"`
	Code  string `json:"code"`
}

// Fake is an input in place of a parameter without elements. Aliases are further names of that
// parameter, if modules share it.
type Fake struct {
	Name    string   `json:"name"`
	Aliases []string `json:"aliases"`
}

// Export exports the model. If the error is a FailedError, the result still has what is known about
// the attempt.
func (b *Bridge) Export(ctx context.Context, e Export) (Exported, error) {
	b.dynamic = e.Dynamic
	if len(b.dynamic) == 0 {
		b.dynamic = b.Description.Dynamic
	}
	if e.Options == nil {
		e.Options = map[string]any{}
	}
	e.Dynamic, e.DynamicOutputs = orEmpty(e.Dynamic), orEmpty(e.DynamicOutputs)
	e.InputNames, e.OutputNames = orEmpty(e.InputNames), orEmpty(e.OutputNames)
	q := struct {
		Do string `json:"do"`
		Export
	}{"export", e}
	var out struct {
		Exported
		Failure *failure.Raw `json:"failure"`
	}
	err := b.ask(ctx, q, &out)
	if out.Failure != nil {
		out.Failure.Report = out.Report
		err = &FailedError{Raw: b.raw(*out.Failure)}
	}
	var failed *FailedError
	if errors.As(err, &failed) {
		failed.Raw.Strategy = string(e.Strategy)
	}
	return out.Exported, err
}

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

type runQuestion struct {
	Do      string        `json:"do"`
	Folder  string        `json:"folder"`
	Feeds   []Leaf        `json:"feeds"`
	Dynamic []DynamicAxis `json:"dynamic"`
}

// Run calls the model with tensors, given by path, and returns the tensors of its result in order,
// with their paths. Arguments that are not given are those of the example, in sizes that match the
// rest.
func (b *Bridge) Run(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error) {
	return b.RunIn(ctx, "", in)
}

// RunIn is Run for a case with a name. ReadsIn returns which values lines of code read in that
// case.
func (b *Bridge) RunIn(ctx context.Context, name string, in graphops.Feeds) ([]graphops.Got, error) {
	out, reads, err := b.call(ctx, "run", in)
	b.note(name, reads)
	return out, err
}

// Precisely is Run with a copy of the model that computes in float64. It needs twice the memory of
// a float32 model. It fails for code that requests a type by name.
func (b *Bridge) Precisely(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error) {
	out, _, err := b.call(ctx, "precisely", in)
	return out, err
}

// AtOnce is Run with all tokens in one run and without a cache, for a model whose runs take one token
// (Description.OneToken). Caches among the inputs are not used.
func (b *Bridge) AtOnce(ctx context.Context, in graphops.Feeds) ([]graphops.Got, error) {
	out, _, err := b.call(ctx, "whole", in)
	return out, err
}

func (b *Bridge) call(ctx context.Context, how string, in graphops.Feeds) ([]graphops.Got, []Read, error) {
	b.cases++
	name := fmt.Sprint("run_", b.cases)
	feeds, err := b.write(ctx, in, name)
	folder := filepath.Join(b.of.TempDir, name)
	defer func() { _ = os.RemoveAll(folder) }() // it is in the system's folder for temporary files
	if err != nil {
		return nil, nil, err
	}
	var got struct {
		Outputs []Leaf `json:"outputs"`
		Reads   []Read `json:"reads"`
	}
	if err := b.ask(ctx, runQuestion{how, folder, feeds, orEmpty(b.dynamic)}, &got); err != nil {
		return nil, nil, err
	}
	var out []graphops.Got
	for _, l := range got.Outputs {
		l.File = filepath.Join(folder, filepath.Base(l.File))
		t, err := l.read()
		if err != nil {
			return nil, nil, fmt.Errorf("the results of the PyTorch model: %w", err)
		}
		out = append(out, graphops.Got{Name: l.Path, Value: graphops.TensorValue(t)})
	}
	return out, got.Reads, nil
}

// Example returns the tensors of the example, by path.
func (b *Bridge) Example(ctx context.Context) (map[string]tensor.Tensor, error) {
	folder := filepath.Join(b.of.TempDir, "example")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(folder) }() // it is in the system's folder for temporary files
	var got struct {
		Inputs []Leaf `json:"inputs"`
	}
	if err := b.ask(ctx, runQuestion{Do: "example", Folder: folder}, &got); err != nil {
		return nil, err
	}
	out := map[string]tensor.Tensor{}
	for _, l := range got.Inputs {
		l.File = filepath.Join(folder, filepath.Base(l.File))
		t, err := l.read()
		if err != nil {
			return nil, fmt.Errorf("the example: %w", err)
		}
		out[l.Path] = t
	}
	return out, nil
}

// Python returns the path of the interpreter.
func (b *Bridge) Python() string { return b.of.Interpreter.Path }

// Held is a parameter or buffer of the model, as in named_parameters or named_buffers.
type Held struct {
	Name   string  `json:"name"`
	Type   string  `json:"type"`
	Shape  []int64 `json:"shape"`
	SHA256 string  `json:"sha256"` // of the elements in little-endian order
	Buffer bool    `json:"buffer"`
}

// State returns the parameters and buffers of the model as it was created.
func (b *Bridge) State(ctx context.Context) ([]Held, error) {
	var got struct {
		State []Held `json:"state"`
	}
	err := b.ask(ctx, runQuestion{Do: "state", Folder: b.of.TempDir}, &got)
	return got.State, err
}
