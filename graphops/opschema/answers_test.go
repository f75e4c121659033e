package opschema

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// TestAnswers asks about every operator, with few and with many types, twice in a row: Answers must
// say what Need.On says.
func TestAnswers(t *testing.T) {
	var answers Answers
	asked := map[Way]int{}
	elems := []tensor.DType{tensor.F32, tensor.F16, tensor.I64, tensor.Bool, tensor.Undefined}
	for _, op := range []string{"Add", "MatMul", "Relu", "Where", "ScatterND", "ScatterElements", "CastLike", "Cast", "Clip", "HardSwish", "Mod", "Sum", "Shape"} {
		for _, version := range []int64{7, 13, 18, 23} {
			schema, ok := Find(graphops.DefaultDomain, op, version)
			if !ok {
				continue
			}
			for _, elem := range elems {
				for _, count := range []int{1, 2, 3, 7} {
					types := make([]graphops.Type, count)
					for i := range types {
						types[i] = graphops.Type{Kind: graphops.TypeTensor, Elem: elem}
					}
					for _, outputs := range [][]graphops.Type{types[:1], nil} {
						need := Need{Schema: schema, Version: version, Opset: version, Inputs: types, Outputs: outputs}
						want := need.On(CPU)
						for range 2 {
							if diff := cmp.Diff(want, answers.OnCPU(need), cmpopts.IgnoreFields(Answer{}, "Schema", "Refused"), cmpopts.EquateEmpty()); diff != "" {
								t.Errorf("%s-%d of %d × %s (-want +got):\n%s", op, version, count, elem, diff)
							}
						}
						asked[want.Way]++
					}
				}
			}
		}
	}
	if asked[Missing] == 0 || asked[ByKernel] == 0 || asked[ByCasts] == 0 || asked[ByDefinition] == 0 {
		t.Errorf("asked %v; expected each of the ways to occur", asked)
	}
}
