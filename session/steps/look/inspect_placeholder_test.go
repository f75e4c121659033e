package look

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
)

// TestInspectPlaceholders sets sizes of axes that a file calls None, all together and one by one.
func TestInspectPlaceholders(t *testing.T) {
	m := graphtest.Model(t, "input x f32[None,4]\ninput z f32[None,4]\ninit w f32[4,1]\nc = Concat(x, z) axis=0\ny = MatMul(c, w)\noutput y f32[None,1]")
	for _, c := range []struct {
		dims         []string
		macs, memory string
	}{
		{nil, "4*x:0+4*z:0", `of activations needs a size of "x:0", "z:0": --dim x:0=N --dim z:0=N`},
		{[]string{"None=3"}, "24", "216 B of activations at node 1, MatMul"},
		{[]string{"x:0=1", "None=3"}, "16", "144 B of activations at node 1, MatMul"},
	} {
		out, err := (&Inspect{Dim: c.dims}).Run(context.Background(), session.Env{}, m)
		if err != nil {
			t.Fatal(err)
		}
		r := out.Report.(*InspectReport)
		if r.macsLine() != c.macs || r.peakLine() != c.memory {
			t.Errorf("%q: MACs %q, memory %q, want %q, %q", c.dims, r.macsLine(), r.peakLine(), c.macs, c.memory)
		}
	}
}

// TestInspectPlaceholderOfImages computes the cost of a Conv on a batch that the file calls None.
func TestInspectPlaceholderOfImages(t *testing.T) {
	m := graphtest.Model(t, "input data f32[None,3,8,8]\ninit w f32[4,3,3,3]\ny = Conv(data, w) pads=[1,1,1,1]\noutput y f32[None,4,8,8]")
	out, err := (&Inspect{}).Run(context.Background(), session.Env{}, m)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := out.Report.(*InspectReport).macsLine(), "6912*data:0"; got != want { // 4×8×8 × 3×3×3
		t.Errorf("MACs %q, want %q", got, want)
	}
}

// TestInspectSqueezenet computes the cost of a model in which the exporter wrote None as a size.
func TestInspectSqueezenet(t *testing.T) {
	m, err := graphops.Open(filepath.Join("..", "..", "..", "..", "shared", "models", "vision", "squeezenet.onnx"), graphops.OpenOptions{})
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip("no shared models: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, err := (&Inspect{}).Run(context.Background(), session.Env{}, m)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := out.Report.(*InspectReport).macsLine(), "287400640*data:0"; got != want {
		t.Errorf("MACs %q, want %q", got, want)
	}
}
