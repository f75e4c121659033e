package parameters

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"

	"lathe/graphops"
	"lathe/graphops/flatbuffer"
	"lathe/graphops/tensor"
)

// checkpointID is the file identifier of a FlatBuffer with a training checkpoint.
const checkpointID = "ODTC"

// The versions of the format. ONNX Runtime 1.16 writes version 1, which has no nominal checkpoints.
// Later versions write version 2.
const (
	oldestCheckpoint = 1
	newestCheckpoint = 2
)

// Training is the part of a checkpoint other than its parameters.
type Training struct {
	Version    int32
	Nominal    bool // it has names and types of parameters, but no values
	External   bool // some elements are in a separate file
	Groups     []OptimizerGroup
	Properties []Property
}

// OptimizerGroup is the state of an optimizer for a group of parameters.
type OptimizerGroup struct {
	Name         string
	Step         int64
	LearningRate float32 // the initial one
	States       []OptimizerState
}

// OptimizerState is the state of an optimizer for one parameter, such as its momentum.
type OptimizerState struct {
	Parameter string
	Tensors   []Entry
}

// Property is a value that a training script stored under a name.
type Property struct {
	Name  string
	Value any // int64, float32 or string
}

// Positions of fields in the tables of a checkpoint, as in ONNX Runtime's schema.
const (
	rootVersion, rootModule, rootOptimizers, rootProperties      = 0, 1, 2, 3
	moduleTrainable, moduleFrozen, moduleNominal, moduleExternal = 0, 1, 2, 3
	groupName, groupStep, groupRate, groupStates                 = 0, 1, 2, 3
	stateParameter, stateTensors                                 = 0, 1
	bagInts, bagFloats, bagStrings                               = 0, 1, 2
	propertyName, propertyValue                                  = 0, 1
	tensorName, tensorDims, tensorType, tensorRaw, tensorStrings = 0, 2, 3, 4, 5
	tensorExternal                                               = 6
)

// checkpointReader reads one checkpoint.
type checkpointReader struct {
	file    *graphops.File
	data    *graphops.File // the file of external elements, nil before it is needed
	buffer  *flatbuffer.Buffer
	set     *Set
	state   *Training
	names   named
	outside extents // in data
}

// readCheckpoint reads the tables of a checkpoint, but not the elements.
func readCheckpoint(f *graphops.File) (*Set, error) {
	buffer, root, err := flatbuffer.Open(f, f.Size(), checkpointID)
	if err != nil {
		return nil, err
	}
	r := &checkpointReader{file: f, buffer: buffer, names: named{}, state: &Training{Version: root.Int32(rootVersion)}}
	r.set = &Set{Path: f.Path(), Kind: Checkpoint, Files: []*graphops.File{f}, Training: r.state}
	if v := r.state.Version; buffer.Err() == nil && (v < oldestCheckpoint || v > newestCheckpoint) {
		return nil, fmt.Errorf("the format has version %d, only versions %d and %d can be read", v, oldestCheckpoint, newestCheckpoint)
	}
	for _, part := range []func(flatbuffer.Table) error{r.module, r.optimizers, r.properties} {
		if err := part(root); err != nil {
			return nil, err
		}
		if err := buffer.Err(); err != nil {
			return nil, err
		}
	}
	return r.set, r.outside.apart()
}

// module reads the parameters. A checkpoint that contains only properties has no parameters.
func (r *checkpointReader) module(root flatbuffer.Table) error {
	m, ok := root.Table(rootModule)
	if !ok {
		return nil
	}
	r.state.Nominal, r.state.External = m.Bool(moduleNominal), m.Bool(moduleExternal)
	for _, list := range []struct {
		field int
		group Group
	}{{moduleTrainable, Trainable}, {moduleFrozen, Frozen}} {
		v, ok := m.Vector(list.field, 4)
		if !ok && r.buffer.Err() == nil {
			return fmt.Errorf("the list of %s parameters is missing", list.group)
		}
		for t := range v.Tables() {
			e, err := r.parameter(t)
			if err != nil {
				return err
			}
			e.Group = list.group
			r.set.Entries = append(r.set.Entries, e)
		}
	}
	return nil
}

func (r *checkpointReader) parameter(t flatbuffer.Table) (Entry, error) {
	name := t.String(tensorName)
	if err := r.buffer.Err(); err != nil {
		return Entry{}, err
	}
	if err := r.names.add(name); err != nil {
		return Entry{}, err
	}
	return r.entry(t, name, r.state.Nominal)
}

var errNominal = errors.New("the checkpoint is nominal: it has the names and types of parameters but not their values; load the parameters into it and save it again")

// entry reads a tensor. If the checkpoint is nominal, it has only the names and types of
// parameters, so the entry has no shape and no elements.
func (r *checkpointReader) entry(t flatbuffer.Table, name string, nominal bool) (e Entry, err error) {
	e = Entry{Name: name, DType: tensor.DType(t.Int32(tensorType))}
	e.TypeName = e.DType.ONNXName()
	if nominal {
		e.unusable = errNominal
		return e, r.buffer.Err()
	}
	dims, ok := t.Vector(tensorDims, 8)
	if ok && dims.Len > maxRank {
		return e, fmt.Errorf("parameter %q: it has %d dimensions, at most %d are supported", brief(name), dims.Len, maxRank)
	}
	e.Dims = dims.Int64s()
	if err := r.buffer.Err(); err != nil {
		return e, err
	}
	if e.DType == tensor.String {
		err = r.words(t, &e)
	} else if err = e.sized(); err == nil {
		err = r.elements(t, &e)
	}
	if err = cmp.Or(r.buffer.Err(), err); err != nil {
		return e, fmt.Errorf("parameter %q: %w", brief(name), err)
	}
	return e, nil
}

// elements finds the elements of a tensor, which are in the checkpoint or in its data file.
func (r *checkpointReader) elements(t flatbuffer.Table, e *Entry) (err error) {
	const inline = -1
	raw, _ := t.Vector(tensorRaw, 1)
	at := t.Int64(tensorExternal, inline)
	switch {
	case r.buffer.Err() != nil:
		return nil
	case at == inline && raw.Len != e.Bytes:
		return fmt.Errorf("%s %s needs %d bytes, the checkpoint has %d", e.DType, tensor.FormatShape(e.Dims), e.Bytes, raw.Len)
	case at == inline:
		e.payload, err = r.file.Range(raw.Offset, e.Bytes)
		if e.Bytes == 0 {
			e.payload, err = graphops.BytesPayload(nil), nil
		}
		return err
	case raw.Len > 0:
		return errors.New("its elements are both in the checkpoint and in the data file")
	case !r.state.External:
		return errors.New("its elements are in a data file, but the checkpoint says that it has none")
	}
	return r.externalElements(e, at)
}

// externalElements finds the elements of a tensor in the data file. The name of that file is the
// name of the checkpoint with ".data" appended.
func (r *checkpointReader) externalElements(e *Entry, at int64) (err error) {
	if r.data == nil {
		if r.data, err = r.file.Beside(filepath.Base(r.file.Path()) + ".data"); err != nil {
			return err
		}
		r.set.Files = append(r.set.Files, r.data)
	}
	if e.payload, err = r.data.Range(at, e.Bytes); err != nil {
		return err
	}
	r.outside = append(r.outside, extent{e.Name, at, at + e.Bytes})
	return nil
}

// words reads the strings of a tensor and checks their number.
func (r *checkpointReader) words(t flatbuffer.Table, e *Entry) error {
	list, _ := t.Vector(tensorStrings, 4)
	n, err := tensor.Elements(e.Dims)
	if err != nil {
		return err
	}
	if list.Len > maxEntries {
		return fmt.Errorf("it has %d strings, at most %d are supported", list.Len, maxEntries)
	}
	var words []string // the buffer keeps them in memory anyway
	for s := range list.Strings() {
		words = append(words, s)
		if e.Bytes += int64(len(s)); e.Bytes > flatbuffer.MaxText {
			return fmt.Errorf("strings of more than %d bytes", flatbuffer.MaxText)
		}
	}
	if r.buffer.Err() == nil && n != int64(len(words)) {
		return fmt.Errorf("str %s needs %d strings, the checkpoint has %d", tensor.FormatShape(e.Dims), n, len(words))
	}
	e.strings = func() ([]string, error) { return words, nil }
	return nil
}

// optimizers reads the states of optimizers. Their elements are always in the checkpoint itself.
func (r *checkpointReader) optimizers(root flatbuffer.Table) error {
	groups, _ := root.Vector(rootOptimizers, 4)
	names := named{}
	for t := range groups.Tables() {
		g := OptimizerGroup{Name: t.String(groupName), Step: t.Int64(groupStep, 0), LearningRate: t.Float32(groupRate)}
		if err := r.buffer.Err(); err != nil {
			return err
		}
		if err := names.add(g.Name); err != nil {
			return fmt.Errorf("optimizer groups: %w", err)
		}
		states, _ := t.Vector(groupStates, 4)
		for t := range states.Tables() {
			s, err := r.optimizerState(t)
			if err != nil {
				return fmt.Errorf("optimizer group %q: %w", brief(g.Name), err)
			}
			g.States = append(g.States, s)
		}
		r.state.Groups = append(r.state.Groups, g)
	}
	return nil
}

func (r *checkpointReader) optimizerState(t flatbuffer.Table) (s OptimizerState, err error) {
	s.Parameter = t.String(stateParameter)
	list, _ := t.Vector(stateTensors, 4)
	names := named{}
	for t := range list.Tables() {
		name := t.String(tensorName)
		if err := r.buffer.Err(); err != nil {
			return s, err
		}
		if err := names.add(name); err != nil {
			return s, fmt.Errorf("state of %q: %w", brief(s.Parameter), err)
		}
		e, err := r.entry(t, name, r.state.Nominal)
		if err != nil {
			return s, fmt.Errorf("state of %q: %w", brief(s.Parameter), err)
		}
		s.Tensors = append(s.Tensors, e)
	}
	return s, r.buffer.Err()
}

// properties reads the values that a training script stored. Each has a name and a value of one of
// several types.
func (r *checkpointReader) properties(root flatbuffer.Table) error {
	bag, ok := root.Table(rootProperties)
	if !ok {
		return nil
	}
	names := named{}
	for field, value := range []func(flatbuffer.Table) any{
		bagInts:    func(t flatbuffer.Table) any { return t.Int64(propertyValue, 0) },
		bagFloats:  func(t flatbuffer.Table) any { return t.Float32(propertyValue) },
		bagStrings: func(t flatbuffer.Table) any { return t.String(propertyValue) },
	} {
		list, _ := bag.Vector(field, 4)
		for t := range list.Tables() {
			p := Property{t.String(propertyName), value(t)}
			if err := r.buffer.Err(); err != nil {
				return err
			}
			if err := names.add(p.Name); err != nil {
				return fmt.Errorf("properties: %w", err)
			}
			r.state.Properties = append(r.state.Properties, p)
		}
	}
	return nil
}
