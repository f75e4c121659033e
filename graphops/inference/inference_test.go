package inference

import (
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/graphtest/mutate"
	"lathe/graphops/onnxpb"
)

// head begins each of the models in training mode.
const head = "input x f32[2,3]\ninit s f32[3] 1\ninit r f32[] 0.5\ninit on bool[] 1\ninit off bool[] 0\n"

// training are models in training mode, and their inference graphs.
var training = []struct {
	name, text string
	trains     int
	want       string // "!" begins an error
	warning    string
}{
	{"dropout", "h = Dropout(x, r, on)\ny = Relu(h)\noutput y f32[2,3]", 1, "y = Relu(x)", ""},
	{"dropout that drops nothing", "h = Dropout(x, r, off)\ny = Relu(h)\noutput y f32[2,3]", 0, "y = Relu(x)", ""},
	{"one behind the other", "g = Dropout(x, r, on)\nh = Dropout(g, r, on)\ny = Relu(h)\noutput y f32[2,3]", 2, "y = Relu(x)", ""},
	{"in another order", "y = Relu(h)\nh = Dropout(g, r, on)\ng = Dropout(x, r, on)\noutput y f32[2,3]", 2, "y = Relu(x)", ""},
	{"at the end", "h = Relu(x)\ny = Dropout(h, r, on)\noutput y f32[2,3]", 1, "h = Relu(x)\ny_Identity: y = Identity(h)", ""},
	{
		"a mask that is read", "h, mask = Dropout(x, r, on)\nm = Cast(mask) to=1\ny = Mul(h, m)\noutput y f32[2,3]", 1,
		"mask_Shape: mask_shape = Shape(x)\nmask_ConstantOfShape: mask = ConstantOfShape(mask_shape) value=kind(4)\nm = Cast(mask) to=1\ny = Mul(x, m)", "",
	},
	{"a mask of numbers", "opset 7\nh, mask = Dropout(x)\ny = Mul(h, mask)\noutput y f32[2,3]", 0, "!mask \"mask\" that is read", ""},
	{"told by an input", "input mode bool[]\nh = Dropout(x, r, mode)\ny = Relu(h)\noutput y f32[2,3]", 1, "y = Relu(x)", `input "mode" is dropped`},
	{"batch", "y, _, _ = BatchNormalization(x, s, s, s, s) training_mode=1\noutput y f32[2,3]", 1, "y = BatchNormalization(x, s, s, s, s)", ""},
	{"statistics as outputs", "y, m, v = BatchNormalization(x, s, s, s, s) training_mode=1\noutput y f32[2,3]\noutput m f32[3]", 1, "y = BatchNormalization(x, s, s, s, s)", `output "m" is dropped`},
	{"statistics that are read", "h, m, v = BatchNormalization(x, s, s, s, s) training_mode=1\ny = Sub(h, m)\noutput y f32[2,3]", 1, "h = BatchNormalization(x, s, s, s, s)\ny = Sub(h, s)", ""},
	{"nothing but statistics", "h, y, v = BatchNormalization(x, s, s, s, s) training_mode=1\noutput y f32[3]", 1, "!all outputs are statistics", ""},
	{"five outputs", "opset 9\ny, a, b, c, d = BatchNormalization(x, s, s, s, s)\noutput y f32[2,3]", 1, "y = BatchNormalization(x, s, s, s, s)", ""},
	{"the batch's own statistics", "opset 9\nh, _, _, c, _ = BatchNormalization(x, s, s, s, s)\ny = Sub(h, c)\noutput y f32[2,3]", 1, "!makes \"c\"", ""},
	{"early", "opset 6\nir 3\nh = Dropout(x)\ny = BatchNormalization(h, s, s, s, s)\noutput y f32[2,3]", 2, "y = BatchNormalization(x, s, s, s, s) is_test=1", ""},
	{"a branch", "input c bool[]\ngraph then\nd = Dropout(x, r, on)\nz = Neg(d)\noutput z f32[2,3]\nend\ngraph else\nz2 = Dropout(x, r, on)\noutput z2 f32[2,3]\nend\ny = If(c) then_branch=@then else_branch=@else\noutput y f32[2,3]", 2, "", ""},
	{"captured", "input c bool[]\nh = Dropout(x, r, on)\ngraph then\nz = Neg(h)\noutput z f32[2,3]\nend\ny = If(c) then_branch=@then else_branch=@then\noutput y f32[2,3]", 1, "", ""},
	{"a mask of a third output", "h, m, z = Dropout(x, r, on)\ny = Add(h, z)\noutput y f32[2,3]", 1, "!has 3 outputs", ""},
	{"no mean", "y, m, v = BatchNormalization(x, s, s, , s) training_mode=1\nz = Neg(m)\noutput y f32[2,3]\noutput z f32[3]", 1, "!omits one of its inputs", ""},
	{"its own result", "h = Dropout(h, r, on)\ny = Add(h, x)\noutput y f32[2,3]", 1, "!needs its own result", ""},
}

func TestOf(t *testing.T) {
	for _, tt := range training {
		m := graphtest.Model(t, head+tt.text)
		next, r, err := Of(m)
		if want, refused := strings.CutPrefix(tt.want, "!"); refused {
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: error %v, expected %q", tt.name, err, want)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if got := strings.Join(graphtest.Nodes(next.Graph()), "\n"); tt.want != "" && got != tt.want {
			t.Errorf("%s:\n%s\nexpected\n%s", tt.name, got, tt.want)
		}
		if problems := graphtest.Problems(next); len(problems) > 0 {
			t.Errorf("%s: %v", tt.name, problems)
		}
		if warnings := strings.Join(r.Warnings, "\n"); r.Trains() != tt.trains || !strings.Contains(warnings, tt.warning) || tt.warning == "" && warnings != "" {
			t.Errorf("%s: %d nodes train, warnings %q", tt.name, r.Trains(), warnings)
		}
		for n := range next.AllNodes() {
			if n.OpType() == "Dropout" {
				t.Errorf("%s: a Dropout is left", tt.name)
			}
		}
		if again, r, err := Of(next); err != nil || again != next || len(r.Changes) > 0 {
			t.Errorf("%s: a second time changes %d nodes, error %v", tt.name, len(r.Changes), err)
		}
	}
}

func TestKeepsParameters(t *testing.T) {
	for text, want := range map[string]bool{
		"input x f32[2,3]\ninit w f32[3,4] 1\ninit b f32[4]\ny = Gemm(x, w, b)\noutput y f32[2,4]":                   true,
		"input x f32[2,3]\ninit w f32[4,3] 1\nt = Transpose(w)\ny = Gemm(x, t)\noutput y f32[2,4]":                   true,
		"input x f32[2,3]\ninit w f32[3,4] 1\nb = Constant() value={f32[4] 1}\ny = Gemm(x, w, b)\noutput y f32[2,4]": false,
		"input x f32[2,3]\ninit w f32[3,4] 1\nb = Mul(w, w)\ny = Gemm(x, b)\noutput y f32[2,4]":                      false,
		"input x f32[2,3]\nt = Transpose(t)\ny = Gemm(x, t)\noutput y f32[2,4]":                                      false,
		"input x f32[2,3]\ny = Relu(x)\noutput y f32[2,3]":                                                           false,
	} {
		if got := KeepsParameters(graphtest.Model(t, text)); got != want {
			t.Errorf("%s: %t", text, got)
		}
	}
}

// TestDevices removes a Dropout before a node that says on which device its input is.
func TestDevices(t *testing.T) {
	p := graphtest.Proto(t, "ir 11\ninput x f32[2]\nh = Dropout(x)\ny = Relu(h)\noutput y f32[2]")
	spec := &onnxpb.ShardingSpecProto{TensorName: proto.String("h")}
	p.Graph.Node[1].DeviceConfigurations = []*onnxpb.NodeDeviceConfigurationProto{{ShardingSpec: []*onnxpb.ShardingSpecProto{spec}}}
	next, _, err := Of(graphtest.Decode(t, p))
	if err != nil {
		t.Fatal(err)
	}
	relu := graphtest.Message(t, next).Graph.Node[0]
	if got := relu.DeviceConfigurations[0].ShardingSpec[0].GetTensorName(); got != "x" {
		t.Errorf("the node reads %q, but says where %q is", relu.Input[0], got)
	}
}

// TestMutants converts damaged models, which must not cause a panic.
func TestMutants(t *testing.T) {
	var bases []mutate.Base
	for _, tt := range training {
		bases = append(bases, mutate.Base{Name: tt.name, Model: graphtest.Proto(t, head+tt.text)})
	}
	changed := 0
	for n := range uint64(4000) {
		p, changes := mutate.New(bases[n%uint64(len(bases))], bases, n)
		if p.Graph != nil && isChanged(t, graphtest.Decode(t, p), changes) {
			changed++
		}
	}
	if changed < 1000 {
		t.Errorf("only %d mutants were converted", changed)
	}
}

func isChanged(t *testing.T, m *graphops.Model, changes string) bool {
	defer func() {
		if broken := recover(); broken != nil {
			t.Errorf("mutant: %s", changes)
			panic(broken)
		}
	}()
	KeepsParameters(m)
	next, _, err := Of(m)
	return err == nil && next != m
}
