//go:build soak

package main

import (
	"flag"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest/mutate"
	"lathe/graphops/onnxpb"
	"lathe/graphops/reference"
)

// defaultAxesMutants are drawn if -axes-mutants says no other number.
const defaultAxesMutants = 3000

var axesMutants = flag.Uint64("axes-mutants", defaultAxesMutants, "axes: how many mutants are drawn, from -hunt-from on")

// What is tried of a model in the sweeps.
const (
	mostAxes  = 16
	mostBytes = 40 << 20
	// wantedAxesMutants is how many mutants of the default number run and have an axis.
	wantedAxesMutants = 500
)

// TestAnyAxis frees axes of inputs of models that others made, of small ones of nearly
// every operator, with their constants as they are and as inputs, and of mutants. What
// comes of it gives the same bits at the old size, and at other sizes it runs, gives the
// shapes that it declares, or something was reported.
func TestAnyAxis(t *testing.T) {
	for _, corpus := range []reference.Corpus{{Name: "testdata", Folder: "testdata"}, reference.Shared, reference.Debian} {
		t.Run(corpus.Name, func(t *testing.T) {
			s := newSweep(t)
			for _, path := range corpus.Models(t) {
				if m := openedAt(path); m != nil {
					s.model(modelName(path), m, mostAxes)
				}
			}
			t.Log(s.judged, "models", s.count)
		})
	}
	bases := mutate.Bases(t)
	t.Run("operators", func(t *testing.T) {
		s := newSweep(t)
		for _, b := range bases {
			s.proto(b.Name, b.Model)
			s.proto(b.Name+" with its constants as inputs", lifted(b.Model))
		}
		t.Log(s.judged, "models", s.count)
	})
	t.Run("mutants", func(t *testing.T) {
		s := newSweep(t)
		for number := *huntFrom; number < *huntFrom+*axesMutants; number++ {
			m, did := drawn(bases, number)
			s.proto(did, m)
		}
		t.Log(s.judged, "models", s.count)
		if want := wantedAxesMutants * int(*axesMutants) / defaultAxesMutants; s.judged < want {
			t.Errorf("%d mutants run, want %d", s.judged, want)
		}
	})
}

// proto tries all axes of a model in memory.
func (s *sweep) proto(name string, p *onnxpb.ModelProto) {
	if m := decoded(p); m != nil {
		s.model(name, m, mostAxes)
	}
}

// decoded is a model in memory as it is read from a file; nil if it cannot be.
func decoded(p *onnxpb.ModelProto) *graphops.Model {
	content, err := proto.Marshal(p)
	if err != nil {
		return nil
	}
	m, err := graphops.Decode(content)
	if err != nil {
		return nil
	}
	return m
}

// lifted is a model whose initializers are inputs.
func lifted(p *onnxpb.ModelProto) *onnxpb.ModelProto {
	out := proto.CloneOf(p)
	for _, t := range out.GetGraph().GetInitializer() {
		var sizes []*onnxpb.TensorShapeProto_Dimension
		for _, n := range t.GetDims() {
			sizes = append(sizes, &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: n}})
		}
		out.Graph.Input = append(out.Graph.Input, &onnxpb.ValueInfoProto{Name: t.Name, Type: &onnxpb.TypeProto{
			Value: &onnxpb.TypeProto_TensorType{TensorType: &onnxpb.TypeProto_Tensor{
				ElemType: t.DataType, Shape: &onnxpb.TensorShapeProto{Dim: sizes},
			}},
		}})
	}
	out.Graph.Initializer = nil
	return out
}
