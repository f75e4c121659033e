package half

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// TestNothing has a clear answer for models of which nothing can be converted.
func TestNothing(t *testing.T) {
	for name, tt := range map[string]struct {
		text string
		bf16 bool
		want string
	}{
		"integers": {"input x i64[2]\noutput y i64[2]\ny = Add(x, x)", false, "nothing to convert: the model has no float32 values"},
		"half":     {"input x f16[2]\noutput y f16[2]\ny = Add(x, x)", false, "nothing to convert: the model is already in f16"},
		"other half": {
			"input x f16[2]\noutput y f16[2]\ny = Add(x, x)", true,
			"nothing to convert: the model is already in another 16-bit type; start from the float32 model",
		},
		"one kept": {
			"input x f32[2]\ninput z i64[]\noutput y f32[2]\ntop: y = CumSum(x, z)", false,
			`nothing to convert: the only float32 node stays in float32: node "top" (CumSum) has an operator that is kept in float32`,
		},
		"all kept": {
			"input x f32[2]\noutput y f32[2]\na: h = Max(x, x)\nb: y = Min(h, h)", false,
			`nothing to convert: all 2 float32 nodes stay in float32; the first one: node "a" (Max) has an operator that is kept in float32`,
		},
		"old opset": {
			"opset 9\ninput x f32[2]\noutput y f32[2]\na: y = Relu(x)", true,
			`nothing to convert: the only float32 node stays in float32: node "a" (Relu) has opset 9, but Cast supports bf16 only from opset 13 on; convert the model with lathe export --opset 13`,
		},
		"empty": {"opset 17", false, "nothing to convert: the model has no float32 values"},
	} {
		t.Run(name, func(t *testing.T) {
			convert := Float16
			if tt.bf16 {
				convert = Bfloat16
			}
			m, r, err := convert(context.Background(), graphtest.Model(t, tt.text), DefaultOptions(), nil)
			if !errors.Is(err, errNothing) || err.Error() != tt.want || m != nil || r == nil {
				t.Errorf("%v, expected %s", err, tt.want)
			}
		})
	}
}

// TestOptionsRefused has an error for options that mean nothing.
func TestOptionsRefused(t *testing.T) {
	m := graphtest.Model(t, modelText("kept between"))
	for want, change := range map[string]func(*Options){
		`node "fx"`:                  func(o *Options) { o.Exclude = []string{"fx"} },
		`node "nobody"`:              func(o *Options) { o.Include = []string{"nobody"} },
		`input or output "h"`:        func(o *Options) { o.KeptIO = []string{"h"} },
		"the smallest magnitude is":  func(o *Options) { o.MinPositive = 1e-9 },
		"the largest magnitude is 7": func(o *Options) { o.MaxFinite = 70000 },
		"the largest magnitude is N": func(o *Options) { o.MaxFinite = float32(math.NaN()) },
		"the largest magnitude is 1": func(o *Options) { o.MinPositive, o.MaxFinite = 2, 1 },
	} {
		o := DefaultOptions()
		change(&o)
		if _, _, err := Float16(context.Background(), m, o, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, expected %s", err, want)
		}
	}
}

// TestOddWeights converts what is no ordinary number.
func TestOddWeights(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	m := graphtest.Model(t, "input x f32[6]\noutput y f32[6]\ninit w f32[6] 0\ny = Mul(x, w)")
	e := graphops.Edit(m)
	e.Initializers[0] = graphops.NewTensorOf("w", tensor.FromSlice([]float32{nan, inf, -inf, math.SmallestNonzeroFloat32, math.MaxFloat32, -1e-40}, 6))
	m = e.Model()
	q, report := convertOf(t, m, DefaultOptions())
	got, err := q.Graph().Initializers()[0].Read()
	if err != nil {
		t.Fatal(err)
	}
	if want := []byte{0, 0x7e, 0, 0x7c, 0, 0xfc, 1, 0, 0xff, 0x7b, 1, 0x80}; !slices.Equal(got.Data, want) {
		t.Errorf("% x, expected % x", got.Data, want)
	}
	if w := report.Truncated(); len(w) != 1 || w[0].Raised != 2 || w[0].Lowered != 1 || w[0].Elements != 6 {
		t.Errorf("truncated %+v", w)
	}
	q, report, err = Bfloat16(context.Background(), m, DefaultOptions(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err = q.Graph().Initializers()[0].Read(); err != nil {
		t.Fatal(err)
	}
	if want := []byte{0xc0, 0x7f, 0x80, 0x7f, 0x80, 0xff, 0, 0, 0x80, 0x7f, 1, 0x80}; !slices.Equal(got.Data, want) {
		t.Errorf("% x, expected % x", got.Data, want)
	}
	if w := report.Truncated(); len(w) != 1 || w[0].Vanished != 1 || w[0].Infinite != 1 {
		t.Errorf("truncated %+v", w)
	}
}

// TestInvalid has an error, and no panic, for graphs that no runtime takes.
func TestInvalid(t *testing.T) {
	for name, text := range map[string]string{
		"made twice": "input x f32[2]\noutput y f32[2]\ny = Relu(x)\ny = Neg(x)",
		"in a cycle": "input x f32[2]\noutput y f32[2]\na = Add(x, b)\nb = Neg(a)\ny = Neg(b)",
	} {
		if _, _, err := Float16(context.Background(), graphtest.Model(t, text), DefaultOptions(), nil); err == nil || errors.Is(err, errNothing) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, text := range map[string]string{
		"undefined":  "input x f32[2]\noutput y f32[2]\ny = Add(x, nothing)",
		"no outputs": "input x f32[2]\ny = Neg(x)",
		"short":      "input x f32[2]\noutput y f32[2]\ny = Add(x)",
		"long":       "input x f32[2]\noutput y f32[2]\ny, z, a = Neg(x, x, x, x)",
	} {
		if _, _, err := Float16(context.Background(), graphtest.Model(t, text), DefaultOptions(), nil); err != nil && !errors.Is(err, errNothing) {
			t.Logf("%s: %v", name, err)
		}
	}
}

// TestCancelled ends with the context's error.
func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := Float16(ctx, graphtest.Model(t, modelText("matmul")), DefaultOptions(), nil); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
