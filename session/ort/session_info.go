package ort

import (
	"lathe/graphops/tensor"
	"lathe/session/ort/wire"
)

// ValueInfo describes an input or output of a loaded model.
type ValueInfo struct {
	Name string
	Kind string // KindTensor, or the complete type of any other value
	// DType is the element type of a tensor.
	DType tensor.DType
	// HasShape is false for a tensor of unknown rank. A scalar has a shape without dimensions.
	HasShape bool
	Dims     []Dim
}

// Dim is one dimension of a shape.
type Dim struct {
	Value  int64  // -1 if the size is not fixed
	Symbol string // its name, or empty
}

func valueInfos(ports []wire.Port) []ValueInfo {
	infos := make([]ValueInfo, len(ports))
	for i, p := range ports {
		infos[i] = ValueInfo{
			Name: p.Name, Kind: p.Kind,
			DType: p.DType, HasShape: p.HasShape,
		}
		for _, d := range p.Dims {
			infos[i].Dims = append(infos[i].Dims, Dim{Value: d.Value, Symbol: d.Symbol})
		}
	}
	return infos
}

func refusals(sent []wire.Refusal) []Refusal {
	var out []Refusal
	for _, r := range sent {
		out = append(out, Refusal{Provider: shown(r.Provider), Reason: cut(r.Reason, maxWords), Plugin: r.Plugin})
	}
	return out
}
