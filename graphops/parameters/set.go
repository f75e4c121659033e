package parameters

import (
	"errors"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Kind is a format for stored tensors.
type Kind string

// The formats.
const (
	Checkpoint  Kind = "checkpoint"
	Safetensors Kind = "safetensors"
	NPZ         Kind = "npz"
	Model       Kind = "model"
)

// String returns the kind as used in a sentence.
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

// maxEntries is the maximum number of listed tensors of a file. The largest models have about
// 100,000.
const maxEntries = 1 << 20

// maxRank is numpy's limit; no other format has one.
const maxRank = 64

// Set is the content of a file of stored tensors, or of several files that belong together.
type Set struct {
	Path     string
	Kind     Kind
	Files    []*graphops.File // the opened files; empty for a model
	Entries  []Entry          // in the order of the file
	Training *Training        // for a checkpoint
	Metadata []graphops.Entry // metadata of a safetensors file
	Warnings []string         // what was left out, and why

	model *graphops.Model
}

// Group says whether training changes a parameter.
type Group string

// The groups; only a checkpoint states them.
const (
	Unknown   Group = ""
	Trainable Group = "trainable"
	Frozen    Group = "frozen"
)

// Entry is one stored tensor.
type Entry struct {
	Name     string
	DType    tensor.DType // Undefined for a type that ONNX does not have
	TypeName string       // in the file's words
	Dims     []int64
	Bytes    int64 // size of the elements in a model; for strings, their total length
	Group    Group

	payload  graphops.Payload         // the elements, unless they are strings
	strings  func() ([]string, error) // the elements of strings
	tensor   *graphops.Tensor         // for an entry of a model
	unusable error                    // why the entry cannot go into a model
}

// Unusable returns why the entry cannot go into a model, nil if it can.
func (e *Entry) Unusable() error { return e.unusable }

// Location returns the file that contains the elements in the form of a model, and the offset of
// the first; ok is false if they must be converted.
func (e *Entry) Location() (path string, offset int64, ok bool) {
	if e.tensor != nil {
		return e.tensor.Stored()
	}
	return e.payload.Location()
}

// Tensor returns the entry as a tensor of a model. The elements stay in the file until they are
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

// sized computes Bytes from type and shape.
func (e *Entry) sized() error {
	if len(e.Dims) > maxRank {
		return fmt.Errorf("it has %d dimensions, at most %d are supported", len(e.Dims), maxRank)
	}
	n, err := tensor.Elements(e.Dims)
	if err != nil {
		return err
	}
	e.Bytes, err = e.DType.ByteLen(n)
	return err
}

// Bytes returns the total size of the files.
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

// ReadBy returns m with the files of s added to those that it is read from. It must be called when
// a tensor of s goes into m, so that saving notices changes of the files.
func (s *Set) ReadBy(m *graphops.Model) *graphops.Model {
	if s.model != nil {
		return m.AlsoFrom(s.model)
	}
	return m.AlsoFromFiles(s.Files...)
}

// Unchanged returns an error if a file changed since it was opened.
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

// Close closes the files. A set whose tensors went into a model must stay open; its files are
// closed with the model.
func (s *Set) Close() error {
	var errs []error
	for _, f := range s.Files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// named detects two entries with the same name.
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

// brief shortens a text from a file for a message.
func brief(s string) string {
	if len(s) <= 100 {
		return s
	}
	return s[:100] + "…"
}
