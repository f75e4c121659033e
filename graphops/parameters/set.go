package parameters

import (
	"errors"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Kind is a format that tensors are stored in.
type Kind string

// The formats.
const (
	Checkpoint  Kind = "checkpoint"
	Safetensors Kind = "safetensors"
	NPZ         Kind = "npz"
	Model       Kind = "model"
)

// String is the kind as a sentence has it.
func (k Kind) String() string {
	switch k {
	case Checkpoint:
		return "a training checkpoint of ONNX Runtime"
	case Safetensors:
		return "a safetensors file"
	case NPZ:
		return "a file of NumPy arrays"
	default:
		return "an ONNX model"
	}
}

// maxEntries is how many tensors of a file are listed. The largest models have some
// 100,000.
const maxEntries = 1 << 20

// maxRank is numpy's limit; no other format names one.
const maxRank = 64

// Set is what a file of stored tensors holds, or several files that belong together.
type Set struct {
	Path     string
	Kind     Kind
	Files    []*graphops.File // that were opened; empty for a model
	Entries  []Entry          // in the order of the file
	Training *Training        // of a checkpoint
	Metadata []graphops.Entry // what a safetensors file says of itself
	Warnings []string         // what was left out, and why

	model *graphops.Model
}

// Group is what training does to a parameter.
type Group string

// The groups; only a checkpoint tells.
const (
	Unknown   Group = ""
	Trainable Group = "trainable"
	Frozen    Group = "frozen"
)

// Entry is one stored tensor.
type Entry struct {
	Name     string
	DType    tensor.DType // Undefined for a type that ONNX does not have
	TypeName string       // as the file has it
	Dims     []int64
	Bytes    int64 // of the elements as a model holds them; of strings, their lengths
	Group    Group

	payload  graphops.Payload         // the elements, if they have a byte form
	strings  func() ([]string, error) // the elements of strings
	tensor   *graphops.Tensor         // that of a model
	unusable error                    // why the entry cannot go into a model
}

// Unusable is why the entry cannot go into a model, nil where it can.
func (e *Entry) Unusable() error { return e.unusable }

// Location tells the file that the elements lie in as a model holds them, and the offset
// of the first; ok is false for those that are made of what the file holds.
func (e *Entry) Location() (path string, offset int64, ok bool) {
	if e.tensor != nil {
		return e.tensor.Stored()
	}
	return e.payload.Location()
}

// Tensor is the entry as a model holds it. The elements stay in the file until they are
// saved; only strings are read.
func (e *Entry) Tensor() (*graphops.Tensor, error) {
	switch {
	case e.unusable != nil:
		return nil, fmt.Errorf("tensor %q: %w", e.Name, e.unusable)
	case e.tensor != nil:
		return e.tensor, nil
	case e.strings == nil:
		return graphops.NewTensor(e.Name, e.DType, e.Dims, e.payload), nil
	}
	words, err := e.strings()
	if err != nil {
		return nil, fmt.Errorf("tensor %q: %w", e.Name, err)
	}
	return graphops.NewTensorOf(e.Name, tensor.Tensor{DType: tensor.String, Shape: e.Dims, Strings: words}), nil
}

// sized works out Bytes from type and shape.
func (e *Entry) sized() error {
	if len(e.Dims) > maxRank {
		return fmt.Errorf("%d dimensions, at most %d are read", len(e.Dims), maxRank)
	}
	n, err := tensor.Elements(e.Dims)
	if err != nil {
		return err
	}
	e.Bytes, err = e.DType.ByteLen(n)
	return err
}

// Bytes is the size of the files together.
func (s *Set) Bytes() int64 {
	if s.model != nil {
		return s.model.FileBytes()
	}
	n := int64(0)
	for _, f := range s.Files {
		n += f.Size()
	}
	return n
}

// ReadBy is m with the files of s among those that it is read from. It is asked for
// when a tensor of s goes into m, so that saving finds what changed meanwhile.
func (s *Set) ReadBy(m *graphops.Model) *graphops.Model {
	if s.model != nil {
		return m.AlsoFrom(s.model)
	}
	return m.AlsoFromFiles(s.Files...)
}

// Unchanged is an error if a file is not as it was when it was opened.
func (s *Set) Unchanged() error {
	if s.model != nil {
		return graphops.InPlace(s.model)
	}
	var errs []error
	for _, f := range s.Files {
		errs = append(errs, f.Unchanged())
	}
	return errors.Join(errs...)
}

// Close closes the files. A set whose tensors have gone into a model is left open: its
// files close when the model is gone.
func (s *Set) Close() error {
	var errs []error
	for _, f := range s.Files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// named finds two entries of one name.
type named map[string]bool

func (n named) add(name string) error {
	switch {
	case name == "":
		return errors.New("a name is missing")
	case n[name]:
		return fmt.Errorf("the name %q occurs twice", brief(name))
	case len(n) == maxEntries:
		return fmt.Errorf("more than %d names", maxEntries)
	}
	n[name] = true
	return nil
}

// brief shortens what a file says for a message.
func brief(s string) string {
	if len(s) <= 100 {
		return s
	}
	return s[:100] + "…"
}
