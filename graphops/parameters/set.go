package parameters

import (
	"errors"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// Kind is a format of a file with tensors.
type Kind string

// The formats.
const (
	Checkpoint  Kind = "checkpoint"
	Safetensors Kind = "safetensors"
	NPZ         Kind = "npz"
	Model       Kind = "model"
)

// String returns a description of the kind for use in a sentence.
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

// maxEntries is the maximum number of tensors in a file. The largest models have about 100,000.
const maxEntries = 1 << 20

// maxRank is the maximum number of dimensions of a tensor. It is numpy's limit; the other formats
// have none.
const maxRank = 64

// Set lists the tensors in a file, or in several files that belong together.
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

// Group says whether training changes a parameter or keeps it unchanged.
type Group string

// The groups. Only training checkpoints distinguish them.
const (
	Unknown   Group = ""
	Trainable Group = "trainable"
	Frozen    Group = "frozen"
)

// Entry is one tensor of a set.
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

// Unusable says why the entry cannot become a tensor of a model. It returns nil if it can.
func (e *Entry) Unusable() error { return e.unusable }

// Location returns the file with the elements and the offset of the first one. ok is false if the
// elements do not have the form that they have in a model, so that they must be converted.
func (e *Entry) Location() (path string, offset int64, ok bool) {
	if e.tensor != nil {
		return e.tensor.Stored()
	}
	return e.payload.Location()
}

// Tensor returns the entry as a tensor of a model. Numbers stay in the file until they are saved;
// strings are read into memory.
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

// sized sets Bytes to the size that type and shape require.
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

// ReadBy returns the model with the files of s added to those that it is read from. It must be
// called for a model that gets a tensor of s, so that saving checks whether these files have
// changed.
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

// Close closes the files. It must not be called if a model has tensors of the set. In that case the
// files are closed when the model is freed.
func (s *Set) Close() error {
	var errs []error
	for _, f := range s.Files {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// named is a set of names. Adding a name twice is an error.
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
