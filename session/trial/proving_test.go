//go:build cgo

package trial

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/proof"
	"lathe/session/sessiontest"
)

// literal writes a list as graphtest reads it.
func literal(list []float64) string {
	var words []string
	for _, x := range list {
		words = append(words, fmt.Sprint(float32(x)))
	}
	return strings.Join(words, " ")
}

// normalized is a Conv of 8 channels to 4, followed by a BatchNormalization or with that folded
// into it. off is added to the first weight.
func normalized(t *testing.T, folded bool, off float64) *graphops.Model {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	list := func(n int, from func() float64) []float64 {
		out := make([]float64, n)
		for i := range out {
			out[i] = from()
		}
		return out
	}
	positive := func() float64 { return 0.5 + rng.Float64() }
	w, b := list(4*8*9, rng.NormFloat64), list(4, rng.NormFloat64)
	scale, bias, mean, variance := list(4, positive), list(4, rng.NormFloat64), list(4, rng.NormFloat64), list(4, positive)
	w[0] += off
	if !folded {
		return graphtest.Model(t, fmt.Sprintf(`
			input x f32[batch,8,6,6]
			init w f32[4,8,3,3] %s
			init b f32[4] %s
			init s f32[4] %s
			init c f32[4] %s
			init m f32[4] %s
			init v f32[4] %s
			h = Conv(x, w, b)
			y = BatchNormalization(h, s, c, m, v)
			output y f32[batch,4,4,4]
		`, literal(w), literal(b), literal(scale), literal(bias), literal(mean), literal(variance)))
	}
	for i := range 4 {
		by := scale[i] / math.Sqrt(variance[i]+1e-5)
		for j := range 72 {
			w[i*72+j] *= by
		}
		b[i] = (b[i]-mean[i])*by + bias[i]
	}
	return graphtest.Model(t, fmt.Sprintf(`
		input x f32[batch,8,6,6]
		init w f32[4,8,3,3] %s
		init b f32[4] %s
		y = Conv(x, w, b)
		output y f32[batch,4,4,4]
	`, literal(w), literal(b)))
}

// TestProve compares originals with changed models in the runtime.
func TestProve(t *testing.T) {
	env := sessiontest.Env(t)
	scores := func(names, inner string) string {
		return `
			input x f32[batch,4]
			init w f32[4,3] 0.1 -0.2 0.3 0.4 0.5 -0.6 0.7 0.8 -0.9 1 1.1 1.2
			` + inner + `
			` + names
	}
	both := "output p f32[batch,3]\noutput q f32[batch,3]"
	for name, c := range map[string]struct {
		original, changed *graphops.Model
		differs           string // "" if the results must be close
		text              string
	}{
		"folded":     {normalized(t, false, 0), normalized(t, true, 0), "", "proved: within rounding on 3 generated inputs at batch=2 and at batch=3: largest difference"},
		"weight off": {normalized(t, false, 0), normalized(t, true, 1e-3), `value "y" is`, ""},
		"the same":   {normalized(t, false, 0), normalized(t, false, 0), "", "proved: the same bits on 3 generated inputs at batch=2 and at batch=3\n"},
		"outputs exchanged": {
			graphtest.Model(t, scores(both, "q = MatMul(x, w)\np = Softmax(q)")),
			graphtest.Model(t, scores("output q f32[batch,3]\noutput p f32[batch,3]", "q = MatMul(x, w)\np = Softmax(q)")),
			`has the output "q" where the original has "p"`, "",
		},
		"names exchanged": {
			graphtest.Model(t, scores(both, "q = MatMul(x, w)\np = Softmax(q)")),
			graphtest.Model(t, scores(both, "p = MatMul(x, w)\nq = Softmax(p)")),
			`value "p" is`, "",
		},
		"softmax by hand": {
			graphtest.Model(t, scores("output p f32[batch,3]", "q = MatMul(x, w)\np = Softmax(q)")),
			graphtest.Model(t, scores("output p f32[batch,3]", "q = MatMul(x, w)\ne = Exp(q)\na = Constant() value_ints=[-1]\ns = ReduceSum(e, a)\np = Div(e, s)")),
			"", "proved: within rounding",
		},
		"half precision": {
			graphtest.Model(t, "input x f16[batch,4]\ninit c f16[4] 0.1 0.2 0.3 0.4\ninit d f16[4] 3 5 7 9\na = Mul(x, c)\ny = Mul(a, d)\noutput y f16[batch,4]"),
			graphtest.Model(t, "input x f16[batch,4]\ninit c f16[4] 0.3 1 2.1 3.6\ny = Mul(x, c)\noutput y f16[batch,4]"),
			"", "proved: within rounding",
		},
		"half precision off": {
			graphtest.Model(t, "input x f16[batch,4]\ninit c f16[4] 0.1 0.2 0.3 0.4\ny = Mul(x, c)\noutput y f16[batch,4]"),
			graphtest.Model(t, "input x f16[batch,4]\ninit c f16[4] 0.1 0.2 0.3 0.405\ny = Mul(x, c)\noutput y f16[batch,4]"),
			`value "y" is`, "",
		},
		"random": {
			graphtest.Model(t, "input x f32[2]\nz = RandomNormalLike(x)\ny = Abs(x)\noutput z f32[2]\noutput y f32[2]"),
			graphtest.Model(t, "input x f32[2]\nz = RandomNormalLike(x)\nn = Neg(x)\ny = Max(x, n)\noutput z f32[2]\noutput y f32[2]"),
			"", "proved for 1 of 2 outputs: the same bits on 2 generated inputs\noutput \"z\": not compared: the original gives another result in every run\n",
		},
		"silent": {
			graphtest.Model(t, "input x f32[2]\nm = Abs(x)\nn = Neg(m)\ny = Sqrt(n)\noutput y f32[2]"),
			graphtest.Model(t, "input x f32[2]\nm = Abs(x)\nn = Neg(m)\ny = Log(n)\noutput y f32[2]"),
			"", "not proved: output \"y\": shows little: every element is NaN on all inputs\n",
		},
		"no inputs": {
			graphtest.Model(t, "init a f32[2] 1 2\ny = Add(a, a)\noutput y f32[2]"),
			graphtest.Model(t, "init y f32[2] 2 4\noutput y f32[2]"),
			"", "proved: the same bits on 1 generated input\n",
		},
		"a sequence": {
			graphtest.Text(t, `<ir_version: 8, opset_import: ["": 17]> g (float[4] x) => (seq(float[N]) s) { s = SplitToSequence(x) }`),
			graphtest.Text(t, `<ir_version: 8, opset_import: ["": 17]> g (float[4] x) => (seq(float[N]) s) { n = Neg(x) m = Neg(n) s = SplitToSequence(m) }`),
			"", "proved: the same bits",
		},
		"refused": {
			graphtest.Model(t, "input x f32[4]\ny = Abs(x)\noutput y f32[4]"),
			graphtest.Model(t, "input x f32[4]\ny = Abs(x)\noutput y i64[4]"),
			"does not run", "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := NewProver(env, Inputs{})
			defer p.Close()
			n, err := p.NearAt(t.Context(), c.original, c.changed, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.differs != "" {
				if n.Difference == nil || !strings.Contains(n.Difference.String(), c.differs) {
					t.Errorf("got %v of %+v, want %q", n.Difference, n.Outputs, c.differs)
				}
				return
			}
			if n.Difference != nil {
				t.Fatalf("got %s", n.Difference)
			}
			var out strings.Builder
			newProofReport(&proof.Sound{Near: n}, Inputs{}).WriteText(&out)
			if !strings.HasPrefix(out.String(), c.text) {
				t.Errorf("got %q, want %q", out.String(), c.text)
			}
		})
	}
}

// TestSoundLeavesOut checks that a pass that breaks a model is found, reported and left out.
func TestSoundLeavesOut(t *testing.T) {
	env := sessiontest.Env(t)
	original, folded, spoilt := normalized(t, false, 0), normalized(t, true, 0), normalized(t, true, 1e-2)
	broken := graphtest.Model(t, "input x f32[batch,8,6,6]\ny = Unheard(x)\noutput y f32[batch,4,4,4]")
	for name, c := range map[string]struct {
		guilty string
		bad    *graphops.Model
		why    string
	}{
		"a weight":    {"round", spoilt, `with it the model differs at batch=2: value "y" is`},
		"an operator": {"fold", broken, "with it the model has an error that the original does not have"},
	} {
		t.Run(name, func(t *testing.T) {
			m, r, err := Sound(t.Context(), env, Inputs{}, proof.Pipeline{
				Original: original, Passes: []string{"dead", "fold", "round", "names"},
				Make: func(_ context.Context, without []string) (*graphops.Model, error) {
					if !slices.Contains(without, c.guilty) {
						return c.bad, nil
					}
					return folded, nil
				},
			})
			if err != nil || m != folded || len(r.LeftOut) != 1 || r.LeftOut[0].Pass != c.guilty || !strings.Contains(r.LeftOut[0].Why, c.why) {
				t.Fatalf("got %+v, %v", r, err)
			}
			js, err := json.Marshal(r)
			if err != nil || !strings.Contains(string(js), `"bits_equal":false,"left_out":[{"pass":`) {
				t.Errorf("got %s, %v", js, err)
			}
		})
	}
}
