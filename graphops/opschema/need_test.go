package opschema

import (
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// TestNeed covers each way in which ONNX Runtime 1.30 was seen to run a node on the CPU.
func TestNeed(t *testing.T) {
	const (
		f32, f16, bf16 = tensor.F32, tensor.F16, tensor.BF16
		i64            = tensor.I64
	)
	for _, c := range []struct {
		op      string // with its attributes
		opset   int64
		in, out []tensor.DType
		want    Way
	}{
		{"Relu", 17, list(f32), list(f32), ByKernel},
		{"Softmax", 12, list(f16), list(f16), ByCasts},
		{"Softmax", 12, list(bf16), list(bf16), Undecided}, // the schema does not allow it
		{"Celu", 17, list(f16), list(f16), Undecided},      // likewise, although it has a definition
		{"Clip", 10, list(f32, f32), list(f32), Undecided}, // it has one input
		{"Add", 6, list(f32, f32), list(f32), Missing},
		{"Constant", 17, nil, list(bf16), NotNeeded},
		{"Shape", 17, list(bf16), list(i64), NotNeeded},
		{"CastLike", 19, list(f32, bf16), list(bf16), ByKernel},
		{"NoSuchOperator", 17, nil, nil, Undecided},
		{"Upsample", 10, list(f32), list(f32), Undecided}, // deprecated

		{"Gelu", 20, list(f32), list(f32), ByKernel},
		{"Gelu", 20, list(bf16), list(bf16), Missing}, // neither have Mul and Erf, by which it is defined
		{"Clip", 13, list(bf16), list(bf16), ByDefinition},
		{"Clip", 13, list(bf16, bf16), list(bf16), Missing}, // the bounds need Less
		{"ReduceLogSumExp", 18, list(bf16), list(bf16), ByDefinition},
		{"ReduceLogSumExp", 19, list(bf16), list(bf16), Missing},
		{"MeanVarianceNormalization", 10, list(f16), list(f16), Missing}, // the definition is for float
		{"MeanVarianceNormalization", 11, list(f16), list(f16), ByCasts},
		{"MeanVarianceNormalization", 13, list(f16), list(f16), Missing},
		{"MeanVarianceNormalization", 14, list(f16), list(f16), ByCasts},
		{"MeanVarianceNormalization", 18, list(f16), list(f16), Missing},
		{"MeanVarianceNormalization", 14, list(bf16), list(bf16), Missing},
		{"Bernoulli dtype=10", 21, list(f32), list(f16), ByDefinition},
		{"Bernoulli dtype=10", 22, list(f32), list(f16), Missing},
		{"HannWindow output_datatype=10", 18, list(i64), list(f16), ByDefinition},
		{"HannWindow output_datatype=10", 19, list(i64), list(f16), Missing},
		{"HammingWindow output_datatype=16", 18, list(i64), list(bf16), ByDefinition},
		{"BlackmanWindow output_datatype=16", 19, list(i64), list(bf16), Missing},

		{"EyeLike dtype=10", 17, list(f16), list(f16), ByCasts},
		{"EyeLike dtype=10", 17, list(f32), list(f16), Missing},
		{"RandomNormalLike dtype=10", 20, list(f16), list(f16), ByCasts},
		{"RandomNormalLike dtype=10", 20, list(f32), list(f16), Missing},
		{"MelWeightMatrix output_datatype=10", 17, list(i64, i64, i64, f16, f16), list(f16), Missing}, // the attribute stays float16

		{"ScatterND reduction='none'", 18, list(f16, i64, f16), list(f16), ByKernel},
		{"ScatterND reduction='max'", 18, list(f16, i64, f16), list(f16), Fails},
		{"ScatterND reduction='add'", 18, list(f32, i64, f32), list(f32), ByKernel},
		{"ScatterElements reduction='mul'", 16, list(f16, i64, f16), list(f16), Fails},
		{"ScatterElements reduction='max'", 18, list(f16, i64, f16), list(f16), ByKernel},
		{"ScatterElements", 13, list(f16, i64, f16), list(f16), ByKernel},
	} {
		n := graphtest.Model(t, "opset 17\ny = "+call(c.op)+"\noutput y f32").Graph().Nodes()[0]
		schema, _ := Find("", n.OpType(), c.opset)
		need := Need{Schema: schema, Version: c.opset, Opset: c.opset, Inputs: tensors(c.in), Outputs: tensors(c.out), Node: n}
		if got := need.On(CPU).Way; got != c.want {
			t.Errorf("%s-%d of %v to %v: way %d, expected %d", c.op, c.opset, c.in, c.out, got, c.want)
		}
	}
}

// TestNeedOfMicrosoft covers operators of ONNX Runtime's own domain.
func TestNeedOfMicrosoft(t *testing.T) {
	for _, c := range []struct {
		op   string
		elem tensor.DType
		want Way
	}{
		{"FastGelu", tensor.BF16, NotNeeded},
		{"NhwcConv", tensor.F32, Missing},
		{"UnfoldTensor", tensor.F32, ByKernel},
		{"UnfoldTensor", tensor.F16, Fails},
	} {
		schema, _ := Find(graphops.MicrosoftDomain, c.op, 1)
		types := tensors([]tensor.DType{c.elem})
		need := Need{Schema: schema, Version: 1, Opset: 17, Inputs: types, Outputs: types}
		if got := need.On(CPU).Way; got != c.want {
			t.Errorf("%s of %s: way %d, expected %d", c.op, c.elem, got, c.want)
		}
		if got := need.On("CUDAExecutionProvider").Way; got != Undecided {
			t.Errorf("%s on a provider that the table does not have: way %d", c.op, got)
		}
	}
}

// TestDefinitionsExist looks up every operator that the exceptions name.
func TestDefinitionsExist(t *testing.T) {
	for name, definitions := range definitions {
		for _, d := range definitions {
			schema, ok := Find("", name, d.from)
			if !ok || !schema.Function {
				t.Errorf("%s has no definition in opset %d", name, d.from)
			}
			for _, part := range d.operators {
				if _, ok := Find("", part, d.from); !ok {
					t.Errorf("%s: there is no %s in opset %d", name, part, d.from)
				}
			}
		}
	}
	for name := range inlined {
		if s := append(Versions("", name), Versions(graphops.MicrosoftDomain, name)...); len(s) == 0 {
			t.Errorf("there is no %s", name)
		}
	}
}

func TestKernelVersions(t *testing.T) {
	if got := KernelVersions("", CPU, "", "Add"); len(got) != 3 || got[0] != 7 {
		t.Errorf("Add has kernels for %v, expected 7, 13, 14", got)
	}
	if got := KernelVersions("", "CUDAExecutionProvider", "", "Add"); len(got) != 0 {
		t.Errorf("the table has no kernels of CUDA: %v", got)
	}
}

func list(types ...tensor.DType) []tensor.DType { return types }

func tensors(list []tensor.DType) []graphops.Type {
	types := make([]graphops.Type, len(list))
	for i, e := range list {
		types[i] = graphops.Type{Kind: graphops.TypeTensor, Elem: e}
	}
	return types
}

// call writes an operator that is followed by its attributes as a node without inputs.
func call(op string) string {
	name, attributes, _ := strings.Cut(op, " ")
	return name + "() " + attributes
}
