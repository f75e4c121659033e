package simplify

import (
	"fmt"
	"strings"
	"testing"
)

// rotaryText is the rotation of queries and keys, as PyTorch's exporters write it.
type rotaryText struct {
	opset              int
	angles             string // cos and sin, of batch × 1 × steps × 4
	halves, turn, join string // of %[1]s, which is q or k
}

func (r rotaryText) String() string {
	if r.opset == 0 {
		r.opset = 17
	}
	if r.angles == "" {
		r.angles = "input f f32[batch,seq,2]\nff = Concat(f, f) axis=-1\nc3 = Cos(ff)\ns3 = Sin(ff)\ncos = Unsqueeze(c3, one)\nsin = Unsqueeze(s3, one)"
	}
	if r.halves == "" {
		r.halves = "%[1]s1 = Slice(%[1]s, zero, two, last)\n%[1]s2 = Slice(%[1]s, two, end, last)"
	}
	if r.turn == "" {
		r.turn = "%[1]sn = Neg(%[1]s2)\n%[1]st = Concat(%[1]sn, %[1]s1) axis=-1"
	}
	if r.join == "" {
		r.join = "%[1]sa = Mul(%[1]s, cos)\n%[1]sb = Mul(%[1]st, sin)\n%[1]sy = Add(%[1]sa, %[1]sb)"
	}
	rotation := r.halves + "\n" + r.turn + "\n" + r.join + "\noutput %[1]sy f32[batch,2,seq,4]\n"
	return fmt.Sprintf("opset %d\ninput q f32[batch,2,seq,4]\ninput k f32[batch,2,seq,4]\ninit one i64[1] 1\ninit zero i64[1] 0\ninit two i64[1] 2\ninit last i64[1] 3\ninit end i64[1] 9223372036854775807\n",
		r.opset) + r.angles + "\n" + fmt.Sprintf(rotation, "q") + fmt.Sprintf(rotation, "k")
}

func TestFuseRotary(t *testing.T) {
	const rotary = "com.microsoft::RotaryEmbedding"
	shared := []string{"Cos(f)", "Sin(f)", "Shape(", "Gather(", "ReduceProd(", "Range(", "Reshape(", "Reshape(", "Reshape(", rotary + "(q, ", rotary + "(k, "}
	for name, c := range map[string]struct {
		text rotaryText
		want []string
	}{
		"batched":  {rotaryText{}, shared},
		"standard": {rotaryText{opset: 23}, []string{"Cos(f)", "Sin(f)", "RotaryEmbedding(q, ", "RotaryEmbedding(k, "}},
		"the same for all items": {
			rotaryText{angles: "input f f32[1,seq,2]\nff = Concat(f, f) axis=-1\nc3 = Cos(ff)\ns3 = Sin(ff)\ncos = Unsqueeze(c3, one)\nsin = Unsqueeze(s3, one)"},
			[]string{"Cos(f)", "Reshape(", "Sin(f)", "Reshape(", rotary + "(q, ", rotary + "(k, "},
		},
		"the same for all items, standard": {
			rotaryText{opset: 23, angles: "input f f32[1,seq,2]\nff = Concat(f, f) axis=-1\nc3 = Cos(ff)\ns3 = Sin(ff)\ncos = Unsqueeze(c3, one)\nsin = Unsqueeze(s3, one)"},
			[]string{"Cos(f)", "Shape(q)", "Concat(", "Expand(", "Sin(f)", "Shape(q)", "Concat(", "Expand(", "RotaryEmbedding(q, ", "RotaryEmbedding(k, "},
		},
		"split":               {rotaryText{halves: "%[1]s1, %[1]s2 = Split(%[1]s) axis=-1"}, shared},
		"the other way round": {rotaryText{join: "%[1]sa = Mul(cos, %[1]s)\n%[1]sb = Mul(sin, %[1]st)\n%[1]sy = Add(%[1]sb, %[1]sa)"}, shared},
	} {
		t.Run(name, func(t *testing.T) {
			got, refused := fusedNodes(t, c.text.String(), Options{}, "fuse-rotary")
			ok := len(got) == len(c.want)
			for _, part := range c.want { // in any order: the halves are made where they are first read
				ok = ok && strings.Contains(strings.Join(got, "\n"), part)
			}
			if !ok {
				t.Errorf("got %s\nrefused for %q; want %q", strings.Join(got, "\n"), refused, c.want)
			}
		})
	}
}

func TestFuseRotaryNearMisses(t *testing.T) {
	for name, c := range map[string]struct {
		text rotaryText
		why  string
	}{
		"the other half negated":   {rotaryText{turn: "%[1]sn = Neg(%[1]s1)\n%[1]st = Concat(%[1]s2, %[1]sn) axis=-1"}, ""},
		"halves in their order":    {rotaryText{turn: "%[1]sn = Neg(%[1]s1)\n%[1]st = Concat(%[1]sn, %[1]s2) axis=-1"}, ""},
		"unequal parts":            {rotaryText{halves: "%[1]s1 = Slice(%[1]s, zero, one, last)\n%[1]s2 = Slice(%[1]s, one, end, last)"}, ""},
		"halves along steps":       {rotaryText{turn: "%[1]sn = Neg(%[1]s2)\n%[1]sx = Concat(%[1]sn, %[1]s1) axis=2\n%[1]st = Identity(%[1]s)"}, ""},
		"a difference":             {rotaryText{join: "%[1]sa = Mul(%[1]s, cos)\n%[1]sb = Mul(%[1]st, sin)\n%[1]sy = Sub(%[1]sa, %[1]sb)"}, ""},
		"angles that are fed":      {rotaryText{angles: "input cos f32[batch,1,seq,4]\ninput sin f32[batch,1,seq,4]"}, "both halves have the same angles"},
		"angles that differ":       {rotaryText{angles: "input f f32[batch,seq,2]\ninput g f32[batch,seq,2]\nff = Concat(f, g) axis=-1\nc3 = Cos(ff)\ns3 = Sin(ff)\ncos = Unsqueeze(c3, one)\nsin = Unsqueeze(s3, one)"}, "both halves"},
		"angles for other batches": {rotaryText{angles: "input f f32[other,seq,2]\nff = Concat(f, f) axis=-1\nc3 = Cos(ff)\ns3 = Sin(ff)\ncos = Unsqueeze(c3, one)\nsin = Unsqueeze(s3, one)"}, "not certain"},
	} {
		t.Run(name, func(t *testing.T) {
			got, refused := fusedNodes(t, c.text.String(), Options{}, "fuse-rotary")
			if strings.Contains(strings.Join(got, "\n"), "RotaryEmbedding") {
				t.Errorf("it was fused: %q", got)
			}
			if said := strings.Join(refused, "; "); !strings.Contains(said, c.why) || c.why == "" && said != "" {
				t.Errorf("refused for %q, want %q", said, c.why)
			}
		})
	}
}

// Two rotations one behind the other: the second one reads what the first one gives.
func TestRotaryTwice(t *testing.T) {
	text := rotaryText{}.String()
	at := strings.Index(text, "q1 = ")
	again := strings.NewReplacer("q1", "r1", "q2", "r2", "(q,", "(qy,", "qn", "rn", "qt", "rt", "qa", "ra", "qb", "rb", "qy", "ry").Replace(text[at:strings.Index(text, "k1 = ")])
	got, _ := fusedNodes(t, text+again, Options{}, "fuse-rotary")
	if n := strings.Count(strings.Join(got, "\n"), "RotaryEmbedding("); n != 3 {
		t.Errorf("%d of 3: %s", n, strings.Join(got, "\n"))
	}
}
