//go:build cgo && soak

package axes_test

import (
	"flag"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest/mutate"
	"lathe/graphops/onnxpb"
	"lathe/graphops/reference"
)

// defaultMutants is the default of -mutants.
const defaultMutants = 3000

var (
	mutantsFrom = flag.Uint64("mutants-from", 1, "the number of the first mutant")
	mutants     = flag.Uint64("mutants", defaultMutants, "how many mutants are tried")
)

// Bounds of what the sweeps try.
const (
	mostAxes  = 16
	mostBytes = 40 << 20
	// wantedMutants is how many of the default number of mutants run and have an axis.
	wantedMutants = 500
)

// TestAnyAxis makes axes of inputs dynamic, one at a time: in models of the corpora, in small models
// of nearly every operator with their constants as initializers and as inputs, and in mutants. The
// result must give the same bits at the old size. At other sizes it must run and give the shapes
// that it declares, unless something was reported.
func TestAnyAxis(t *testing.T) {
	for _, corpus := range []reference.Corpus{reference.Testdata, reference.Shared, reference.Debian} {
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
		for number := *mutantsFrom; number < *mutantsFrom+*mutants; number++ {
			m, did := mutate.Numbered(bases, number)
			s.proto(did, m)
		}
		t.Log(s.judged, "models", s.count)
		if want := wantedMutants * int(*mutants) / defaultMutants; s.judged < want {
			t.Errorf("%d mutants run, want %d", s.judged, want)
		}
	})
}

// proto tries the axes of a model in memory.
func (s *sweep) proto(name string, p *onnxpb.ModelProto) {
	if m := decoded(p); m != nil {
		s.model(name, m, mostAxes)
	}
}

// decoded is the model that a file with this content has, or nil if it cannot be opened.
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

// lifted turns all initializers into inputs.
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
