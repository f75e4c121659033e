package graphops

import (
	"errors"
	"fmt"
	"iter"
	"strings"

	"lathe/graphops/tensor"
)

// fewFaults is the maximum number of tensors that are listed for one data file.
const fewFaults = 10

// ExternalFaultKind is a reason why external data cannot be read.
type ExternalFaultKind string

// The reasons why external data cannot be read.
const (
	// the tensor's type or shape is invalid, so the size of its data is unknown
	FaultShape ExternalFaultKind = "shape"
	// the external_data entries are missing or invalid
	FaultEntries ExternalFaultKind = "entries"
	FaultFile    ExternalFaultKind = "file"    // the file cannot be opened
	FaultOutside ExternalFaultKind = "outside" // the file is in another folder, which is not allowed
	FaultRange   ExternalFaultKind = "range"   // the file ends before the data does
)

// ExternalFault says why the data of an external tensor cannot be read.
type ExternalFault struct {
	StoredTensor
	Kind     ExternalFaultKind
	Location string // as the model gives it
	Err      error
	Text     string // the problem, without the tensor's name and without advice
	Advice   string // what to do about it; may be empty
}

// ExternalFaults yields the external tensors whose data cannot be read. It opens the files but
// reads no data.
func (m *Model) ExternalFaults() iter.Seq[ExternalFault] {
	return func(yield func(ExternalFault) bool) {
		for t := range m.StoredTensors() {
			if !t.IsExternal() {
				continue
			}
			if _, err := t.Data(); err != nil && !yield(externalFault(t, err)) {
				return
			}
		}
	}
}

// ExternalError returns the error of the first external tensor whose data cannot be read, or nil. It
// leaves out tensors with an invalid type or shape. Whoever hands the model's path to another program
// has to ask before, because that program opens any file, and says less about what is wrong.
func ExternalError(m *Model) error {
	for f := range m.ExternalFaults() {
		if f.Kind != FaultShape {
			return f.Err
		}
	}
	return nil
}

func externalFault(t StoredTensor, err error) ExternalFault {
	f := ExternalFault{StoredTensor: t, Kind: FaultRange, Err: err}
	f.Text, f.Advice = faultParts(t, err)
	var file *externalFileError
	var outside *outsideError
	r, entries := t.ExternalRange()
	_, size := t.ByteLen()
	switch f.Location = r.Location; {
	case size != nil || t.dtype == tensor.String:
		f.Kind = FaultShape
	case entries != nil:
		f.Kind = FaultEntries
	case errors.As(err, &outside):
		f.Kind = FaultOutside
	case errors.As(err, &file):
		f.Kind = FaultFile
	}
	return f
}

// faultParts splits an error about an external tensor into the problem and the advice. The advice
// may be empty.
func faultParts(t StoredTensor, err error) (text, advice string) {
	var file *externalFileError
	var advised *advisedError
	if errors.As(err, &file) && errors.As(file, &advised) {
		return file.saying(advised.problem), advised.advice
	}
	return strings.TrimPrefix(err.Error(), fmt.Sprintf("tensor %q: ", t.name)), ""
}

// MissingExternal returns the results of ExternalFaults as errors. There is one error for each file
// that cannot be opened, and one for each tensor whose range is not in its file. If a file has many
// such tensors, only the first are listed and the others are counted.
func (m *Model) MissingExternal() []error {
	var groups []*faults
	known := map[faultKey]*faults{}
	for f := range m.ExternalFaults() {
		key := faultKey{f.Location, f.Kind == FaultFile || f.Kind == FaultOutside}
		g := known[key]
		if g == nil {
			g = &faults{faultKey: key}
			known[key] = g
			groups = append(groups, g)
		}
		g.add(f.Err)
	}
	var out []error
	for _, g := range groups {
		out = append(out, g.list()...)
	}
	return out
}

// faultKey identifies faults that are reported together: those of one data file.
type faultKey struct {
	location string
	file     bool // the file itself is the problem, for all of its tensors
}

// faults are the faults with the same key.
type faults struct {
	faultKey
	first []error
	more  int
}

func (f *faults) add(err error) {
	if len(f.first) == fewFaults || f.file && len(f.first) == 1 {
		f.more++
		return
	}
	f.first = append(f.first, err)
}

func (f *faults) list() []error {
	switch {
	case f.more == 0:
		return f.first
	case f.file:
		return append(f.first, fmt.Errorf("external data %q: %s", f.location, counted(f.more, "more tensor needs it", "more tensors need it")))
	}
	return append(f.first, fmt.Errorf("external data %q: %s", f.location, counted(f.more, "more tensor cannot be read from it", "more tensors cannot be read from it")))
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
