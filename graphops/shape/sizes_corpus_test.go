package shape_test

import (
	"fmt"
	"os"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/onnxpb"
	"lathe/graphops/reference"
	"lathe/graphops/shape"
)

// TestDemandsHoldWhereModelsRun gives every axis of the inputs of models a symbol. At the sizes that
// the models are made for, at which they run, each demand must hold.
func TestDemandsHoldWhereModelsRun(t *testing.T) {
	for corpus, least := range map[reference.Corpus]int{reference.Testdata: 50, reference.Debian: 1000} {
		t.Run(corpus.Name, func(t *testing.T) {
			demands := 0
			for _, path := range corpus.SoundModels(t) {
				m, sizes := freed(t, path)
				r, err := shape.Infer(t.Context(), m, shape.Options{Fresh: true, Unmet: true})
				if err != nil {
					t.Errorf("%s: %v", path, err)
					continue
				}
				demands += len(r.Demands)
				broken, refused := unmet(r, sizes)
				if refused {
					t.Errorf("%s: %v", path, broken)
				}
			}
			if demands < least {
				t.Errorf("%d demands, which is too few", demands)
			}
		})
	}
}

// freed is a model with symbols in the place of the sizes of its inputs.
func freed(t *testing.T, path string) (*graphops.Model, map[string]int64) {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	p, sizes := &onnxpb.ModelProto{}, map[string]int64{}
	if err := proto.Unmarshal(raw, p); err != nil {
		t.Fatal(err)
	}
	stored := map[string]bool{}
	for _, w := range p.GetGraph().GetInitializer() {
		stored[w.GetName()] = true
	}
	for _, in := range p.GetGraph().GetInput() {
		for axis, d := range in.GetType().GetTensorType().GetShape().GetDim() {
			if n := d.GetDimValue(); n > 0 && !stored[in.GetName()] {
				name := fmt.Sprintf("%s_%d", in.GetName(), axis)
				sizes[name], d.Value = n, &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: name}
			}
		}
	}
	b, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	m, err := graphops.Decode(b)
	if err != nil {
		t.Fatal(err)
	}
	return m, sizes
}
