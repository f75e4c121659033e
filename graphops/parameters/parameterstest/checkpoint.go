package parameterstest

import (
	"cmp"
	"slices"

	"lathe/graphops/tensor"
)

// Tensor describes a tensor to be written.
type Tensor struct {
	Name    string
	DType   tensor.DType
	Dims    []int64
	Data    []byte
	Strings []string
	// External stores the elements in the data file instead of the checkpoint.
	External bool
}

// Checkpoint is a training checkpoint of ONNX Runtime.
type Checkpoint struct {
	Version   int32 // 0 means the newest
	Nominal   bool
	Trainable []Tensor
	Frozen    []Tensor
	Groups    []Group
	Ints      map[string]int64
	Floats    map[string]float32
	Texts     map[string]string
}

// Group is the state of an optimizer.
type Group struct {
	Name   string
	Step   int64
	Rate   float32
	States []State
}

// State is the state of an optimizer for one parameter.
type State struct {
	Parameter string
	Momenta   []Tensor
}

// Write returns the contents of the checkpoint and of its data file. data is nil if no tensor is
// external.
func (c Checkpoint) Write() (file, data []byte) {
	table, data := c.Table()
	return FlatBuffer("ODTC", table), data
}

// Table returns the checkpoint's root table, so that a test can damage it before it is written.
func (c Checkpoint) Table() (root Table, data []byte) {
	list := func(tensors []Tensor) []Table {
		out := []Table{}
		for _, t := range tensors {
			out = append(out, c.tensor(t, &data))
		}
		return out
	}
	module := Table{0: list(c.Trainable), 1: list(c.Frozen)}
	if c.Nominal {
		module[2] = true
	}
	if data != nil {
		module[3] = true
	}
	groups := []Table{}
	for _, g := range c.Groups {
		states := []Table{}
		for _, s := range g.States {
			states = append(states, Table{0: s.Parameter, 1: list(s.Momenta)})
		}
		groups = append(groups, Table{0: g.Name, 1: g.Step, 2: g.Rate, 3: states})
	}
	root = Table{0: cmp.Or(c.Version, 2), 1: module, 2: groups}
	if len(c.Ints)+len(c.Floats)+len(c.Texts) > 0 {
		root[3] = Table{0: properties(c.Ints), 1: properties(c.Floats), 2: properties(c.Texts)}
	}
	return root, data
}

// tensor returns the table of a tensor. It appends external elements to data, with the alignment
// that ONNX Runtime uses.
func (c Checkpoint) tensor(t Tensor, data *[]byte) Table {
	out := Table{0: t.Name, 3: int32(t.DType)}
	switch {
	case c.Nominal:
		return out
	case t.DType == tensor.String:
		out[5] = t.Strings
	case t.External:
		align := 4
		if t.DType == tensor.I64 || t.DType == tensor.F64 {
			align = 8
		}
		for len(*data)%align != 0 {
			*data = append(*data, 0)
		}
		out[6] = int64(len(*data))
		*data = append(*data, t.Data...)
	default:
		out[4] = t.Data
	}
	out[2] = append([]int64{}, t.Dims...)
	return out
}

func properties[T any](values map[string]T) []Table {
	out := []Table{}
	for name, v := range values {
		out = append(out, Table{0: name, 1: v})
	}
	slices.SortFunc(out, func(a, b Table) int { return cmp.Compare(a[0].(string), b[0].(string)) })
	return out
}

// Safetensors returns a safetensors file with the given header, which need not be valid.
func Safetensors(header string, data []byte) []byte {
	w := writer{}
	w.u32(uint32(len(header)))
	w.u32(0)
	return append(append(w.b, header...), data...)
}
