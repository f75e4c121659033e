package look

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
)

// TestInspectLargeModels has functions that call the previous one twice, so that few nodes expand
// to many. Their cost is computed only if it is asked for.
func TestInspectLargeModels(t *testing.T) {
	model := func(levels int) *graphops.Model {
		b := strings.Builder{}
		b.WriteString("function f F0(x) -> (y)\ny = MatMul(x, x)\nend\n")
		for i := 1; i <= levels; i++ {
			fmt.Fprintf(&b, "function f F%d(x) -> (y)\nh = f::F%d(x)\ny = f::F%d(h)\nend\n", i, i-1, i-1)
		}
		fmt.Fprintf(&b, "input x f32[2,2]\ny = f::F%d(x)\noutput y f32[2,2]", levels)
		return graphtest.Model(t, b.String())
	}
	for _, c := range []struct {
		levels      int
		step        Inspect
		macs, warns string
	}{
		{4, Inspect{}, "128", ""},
		{15, Inspect{}, "null", "macs and activation_peak_bytes are not computed without --cost: functions and bodies expand to more than 50000 nodes, which is the limit of shape inference"},
		{15, Inspect{Cost: true}, "262144", ""},
	} {
		out, err := c.step.Run(context.Background(), session.Env{}, model(c.levels))
		if err != nil {
			t.Fatal(err)
		}
		r := out.Report.(*InspectReport)
		b, err := r.MACs.MarshalJSON()
		if err != nil || string(b) != c.macs {
			t.Errorf("%d levels, --cost %v: macs %s %v, want %s", c.levels, c.step.Cost, b, err, c.macs)
		}
		if got := strings.Join(r.Warnings, "; "); got != c.warns {
			t.Errorf("%d levels, --cost %v: warnings %q, want %q", c.levels, c.step.Cost, got, c.warns)
		}
		if (r.Cost == nil) != (c.macs == "null") {
			t.Errorf("%d levels, --cost %v: cost is %v", c.levels, c.step.Cost, r.Cost)
		}
	}
}

// TestInspectCostText checks what the summary says about unknown costs.
func TestInspectCostText(t *testing.T) {
	for _, c := range []struct{ model, macs, memory string }{
		{"input x f32[2,2]\ny = MatMul(x, x)\noutput y f32[2,2]", "8", "32 B of activations at node 0, MatMul"},
		{"input x f32[2,2]\ny = nobody::Op(x)\noutput y f32", "not known of 1 node (node 0, Op: what this operator multiplies is not counted)", "at least 16 B of activations at node 0, Op; the size of 1 value is not known"},
		{"input x f32[2,2]\ny = nobody::Op(x)\nz = MatMul(x, x)\noutput y f32[2]\noutput z f32[2,2]", "at least 8; not known of 1 node (node 0, Op: what this operator multiplies is not counted)", "40 B of activations at node 1, MatMul"},
		{"input w f32[2,2]\ninput x f32[2,\x1b]\ny = MatMul(w, x)\noutput y f32", "4*{\x1b}", "of activations needs a size of \"\\x1b\": --dim $'\\033=N'"},
		{
			"graph yes\nn: t = Neg(x)\noutput t f32[2]\nend\ngraph no\nu = Neg(x)\nt = Neg(u)\noutput t f32[2]\nend\ninput c bool[]\ninput x f32[2]\nif: y = If(c) then_branch=@yes else_branch=@no\noutput y f32[2]",
			"0", "25 B of activations at node 1, Neg in if:else_branch",
		},
		{"input x f32[b,4]\ninput w f32[4,batch-size]\ny = MatMul(x, w)\noutput y f32", "4*b*{batch-size}", "of activations needs a size of \"b\", \"batch-size\": --dim b=N --dim batch-size=N"},
		{"input x f32[3037000500,3037000500]\ny = MatMul(x, x)\noutput y f32", "not known of 1 node (node 0, MatMul: a size does not fit into 64 bits)", ""},
		{"input x f32[1500000,1500000]\nm = MatMul(x, x)\nn = MatMul(m, x)\no = MatMul(n, x)\noutput o f32", "not known: a size does not fit into 64 bits", "24.6 TiB of activations at node 1, MatMul"},
		{"input x f32[2]\noutput x f32[2]", "0", "8 B of activations"},
	} {
		out, err := (&Inspect{}).Run(context.Background(), session.Env{}, graphtest.Model(t, c.model))
		if err != nil {
			t.Fatal(err)
		}
		r := out.Report.(*InspectReport)
		if got := r.macsLine(); got != c.macs {
			t.Errorf("%s\nMACs %q, want %q", c.model, got, c.macs)
		}
		if got := r.peakLine(); got != c.memory {
			t.Errorf("%s\nmemory %q, want %q", c.model, got, c.memory)
		}
	}
}
