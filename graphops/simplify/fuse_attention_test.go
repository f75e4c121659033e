package simplify

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
)

// attentionText is attention of two heads of size 4 with lines of its own: what
// stands between the product of queries and keys, s, and the probabilities, p.
type attentionText struct {
	opset          int
	head, q, keys  string // declarations; the queries, qt; keys as the product reads them, kt
	scores, values string // s to p; the values, vt
	end            string // o to y
}

func (a attentionText) String() string {
	or := func(s, otherwise string) string {
		if s == "" {
			return otherwise
		}
		return s
	}
	opset := a.opset
	if opset == 0 {
		opset = 17
	}
	return fmt.Sprintf(`
		opset %d
		input q f32[batch,seq,8]
		input k f32[batch,keys,8]
		input v f32[batch,keys,8]
		init parts i64[4] 0 0 2 4
		init whole i64[3] 0 0 8
		init half f32[] 0.5
		init low f32[] -3.4028234663852886e38
		init inf f32[] -inf
		init zero f32[] 0
		%s
		%s
		%s
		s = MatMul(qt, kt)
		%s
		%s
		o = MatMul(p, vt)
		%s`, opset, a.head,
		or(a.q, "q4 = Reshape(q, parts)\nqt = Transpose(q4) perm=[0,2,1,3]"),
		or(a.keys, "k4 = Reshape(k, parts)\nkt = Transpose(k4) perm=[0,2,3,1]"),
		or(a.scores, "sc = Mul(s, half)\np = Softmax(sc) axis=-1"),
		or(a.values, "v4 = Reshape(v, parts)\nvt = Transpose(v4) perm=[0,2,1,3]"),
		or(a.end, "ot = Transpose(o) perm=[0,2,1,3]\ny = Reshape(ot, whole)\noutput y f32[batch,seq,8]"))
}

// fusedNodes are the nodes of what a text becomes by passes alone, and why it was
// refused.
func fusedNodes(t *testing.T, text string, o Options, with ...string) (nodes, refused []string) {
	t.Helper()
	o.With, o.Without = with, plainPasses()
	out, r := simplified(t, graphtest.Model(t, text), o)
	for _, p := range r.Passes {
		for _, f := range p.Refused {
			refused = append(refused, f.Why)
		}
	}
	return graphtest.Nodes(out.Graph()), refused
}

// plainPasses are the passes that always run, but for the one that removes what
// nothing reads.
func plainPasses() []string {
	var out []string
	for _, p := range passes {
		if !p.optional && p != deadCode {
			out = append(out, p.name)
		}
	}
	return out
}

func TestFuseAttention(t *testing.T) {
	const multi = "com.microsoft::MultiHeadAttention"
	for name, c := range map[string]struct {
		text attentionText
		want []string // parts of nodes, in their order
	}{
		"plain":      {attentionText{}, []string{"y = " + multi + "(q, k, v) num_heads=2 scale=0.5"}},
		"standard":   {attentionText{opset: 23}, []string{"y = Attention(q, k, v) scale=0.5 q_num_heads=2 kv_num_heads=2"}},
		"divided":    {attentionText{scores: "sc = Div(s, half)\np = Softmax(sc)"}, []string{multi + "(q, k, v) num_heads=2 scale=2"}},
		"keys twice": {attentionText{keys: "k4 = Reshape(k, parts)\nk5 = Transpose(k4) perm=[0,2,1,3]\nkt = Transpose(k5) perm=[0,1,3,2]"}, []string{multi + "(q, k, v)"}},
		"scaled before": {attentionText{
			q:      "q4 = Reshape(q, parts)\nqu = Transpose(q4) perm=[0,2,1,3]\nqt = Mul(half, qu)",
			keys:   "k4 = Reshape(k, parts)\nku = Transpose(k4) perm=[0,2,3,1]\nkt = Mul(ku, half)",
			scores: "p = Softmax(s)",
		}, []string{multi + "(q, k, v) num_heads=2 scale=0.25"}},
		"mask of rows": {
			attentionText{head: "input m f32[batch,1,seq,keys]", scores: "sc = Mul(s, half)\nsm = Add(m, sc)\np = Softmax(sm)"},
			[]string{multi + "(q, k, v, , , m)"},
		},
		"mask of columns": {
			attentionText{head: "input m f32[batch,1,1,keys]", scores: "sc = Mul(s, half)\nsm = Add(sc, m)\np = Softmax(sm)"},
			[]string{"Shape(q) start=1 end=2", "Concat(", "Expand(m, ", multi + "(q, k, v, , , "},
		},
		"two masks": {
			attentionText{head: "input m f32[seq,keys]\ninput b f32[1,2,seq,keys]", scores: "sb = Add(s, b)\nsm = Add(sb, m)\np = Softmax(sm)"},
			[]string{"Add(b, m)", multi + "(q, k, v, , , "},
		},
		"replaced": {
			attentionText{head: "input c bool[1,1,seq,keys]", scores: "sm = Where(c, s, low)\np = Softmax(sm)"},
			[]string{"Where(c, ", multi + "(q, k, v, , , "},
		},
		"replaced where it is so": {
			attentionText{head: "input c bool[1,1,seq,keys]", scores: "sm = Where(c, inf, s)\np = Softmax(sm)"},
			[]string{"Where(c, ", multi + "(q, k, v, , , "},
		},
		"a row of zeros, standard": {
			attentionText{
				opset: 23, head: "input c bool[1,1,seq,keys]\nw = Where(c, zero, inf)",
				scores: "sm = Add(s, w)\np1 = Softmax(sm)\nn = IsNaN(p1)\np = Where(n, zero, p1)",
			},
			[]string{"Where(c, zero, inf)", "Attention(q, k, v, w)"},
		},
		"a row of zeros": {
			attentionText{
				head:   "input c bool[1,1,seq,keys]\nw = Where(c, zero, inf)",
				scores: "sm = Add(s, w)\np1 = Softmax(sm)\nn = IsNaN(p1)\np = Where(n, zero, p1)",
			},
			[]string{"Where(c, zero, inf)", multi + "(q, k, v, , , w)", "IsNaN(", "Where("},
		},
		"a row of NaN": {
			attentionText{opset: 23, head: "input c bool[1,1,seq,keys]\nw = Where(c, zero, inf)", scores: "sm = Add(s, w)\np = Softmax(sm)"},
			[]string{"Where(c, zero, inf)", multi + "(q, k, v, , , w)"},
		},
		"an even row": {
			attentionText{opset: 23, head: "input c bool[1,1,seq,keys]\nw = Where(c, zero, low)", scores: "sm = Add(s, w)\np = Softmax(sm)"},
			[]string{"Where(c, zero, low)", "Max(w, ", "Attention(q, k, v, "},
		},
		"a mask that is fed, standard": {
			attentionText{opset: 23, head: "input m f32[1,1,seq,keys]", scores: "sm = Add(s, m)\np = Softmax(sm)"},
			[]string{multi + "(q, k, v, , , m)"},
		},
		"cache": {attentionText{
			head:   "input pk f32[batch,2,past,4]\ninput pv f32[batch,2,past,4]",
			keys:   "k4 = Reshape(k, parts)\nk5 = Transpose(k4) perm=[0,2,1,3]\nnk = Concat(pk, k5) axis=2\nkt = Transpose(nk) perm=[0,1,3,2]\noutput nk f32[batch,2,past+keys,4]",
			values: "v4 = Reshape(v, parts)\nv5 = Transpose(v4) perm=[0,2,1,3]\nvt = Concat(pv, v5) axis=-2\noutput vt f32[batch,2,past+keys,4]",
		}, []string{"y, nk, vt = " + multi + "(q, k, v, , , , pk, pv)"}},
		"a cache that others read": {attentionText{
			head:   "input pk f32[batch,2,past,4]\ninput pv f32[batch,2,past,4]",
			keys:   "k4 = Reshape(k, parts)\nk5 = Transpose(k4) perm=[0,2,1,3]\nnk = Concat(pk, k5) axis=2\nkt = Transpose(nk) perm=[0,1,3,2]\nz = Neg(nk)\noutput z f32[batch,2,past+keys,4]",
			values: "v4 = Reshape(v, parts)\nv5 = Transpose(v4) perm=[0,2,1,3]\nvt = Concat(pv, v5) axis=-2",
		}, []string{"Reshape(k", "Transpose(", "Concat(pk", "Neg(nk)", "Reshape(v", "Transpose(", "Concat(pv", multi + "(q, nk, vt)"}},
		"groups": {attentionText{
			opset:  23,
			head:   "input gk f32[batch,1,keys,4]\ninput gv f32[batch,1,keys,4]\ninit two i64[1] 2\ninit five i64[5] 1 1 2 1 1\ninit merged i64[4] 0 2 -1 4",
			keys:   "ku = Unsqueeze(gk, two)\nke = Expand(ku, five)\nkm = Reshape(ke, merged)\nkt = Transpose(km) perm=[0,1,3,2]",
			values: "vu = Unsqueeze(gv, two)\nve = Expand(vu, five)\nvt = Reshape(ve, merged)",
		}, []string{"Reshape(q", "Transpose(", "Attention(qt, gk, gv)", "Transpose(", "Reshape("}},
		"the size of rows is read": {
			attentionText{end: "ot = Transpose(o) perm=[0,2,1,3]\nsh = Shape(ot)\ny = Reshape(ot, whole)\noutput y f32[batch,seq,8]\noutput sh i64[4]"},
			[]string{"Reshape(q", multi + "(q, k, v)", "sh = Shape(q4)"},
		},
		"result in rows": {
			attentionText{head: "init rows i64[2] -1 8", end: "ot = Transpose(o) perm=[0,2,1,3]\ny = Reshape(ot, rows)\noutput y f32[?,8]"},
			[]string{multi + "(q, k, v)", "y = Reshape("},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, refused := fusedNodes(t, c.text.String(), Options{}, "fuse-attention")
			ok := len(got) == len(c.want)
			for i := range c.want {
				ok = ok && strings.Contains(got[i], c.want[i])
			}
			if !ok {
				t.Errorf("got %s, refused for %q; want %q", strings.Join(got, "\n"), refused, c.want)
			}
		})
	}
}

// What looks like attention and is something else stays as it is, and is told why.
func TestFuseAttentionNearMisses(t *testing.T) {
	for name, c := range map[string]struct {
		text attentionText
		o    Options
		why  string // "" where nothing is said
	}{
		"softmax of another axis":  {attentionText{scores: "p = Softmax(s) axis=2"}, Options{}, ""},
		"probabilities read twice": {attentionText{scores: "p = Softmax(s)\noutput p f32[batch,2,seq,keys]"}, Options{}, ""},
		"scores read twice":        {attentionText{scores: "sc = Mul(s, half)\np = Softmax(sc)\nz = Neg(sc)\noutput z f32[batch,2,seq,keys]"}, Options{}, "another node also reads the scores"},
		"scaled by what is fed":    {attentionText{head: "input f f32[]", scores: "sc = Mul(s, f)\np = Softmax(sc)"}, Options{}, "is not a known number"},
		"scaled behind the mask": {
			attentionText{head: "input m f32[1,1,seq,keys]", scores: "sm = Add(s, m)\nsc = Mul(sm, half)\np = Softmax(sc)"},
			Options{},
			"before the scores are scaled",
		},
		"a mask of more items": {attentionText{head: "input m f32[other,1,seq,keys]", scores: "sm = Add(s, m)\np = Softmax(sm)"}, Options{}, "not certain that the mask"},
		"a mask of more rows":  {attentionText{head: "input m f32[1,1,rows,keys]", scores: "sm = Add(s, m)\np = Softmax(sm)"}, Options{}, "not certain that the mask"},
		"replaced by a number that shows": {
			attentionText{head: "input c bool[1,1,seq,keys]\ninit little f32[] -10000", scores: "sm = Where(c, s, little)\np = Softmax(sm)"},
			Options{},
			"not small enough",
		},
		"keys of another batch": {
			attentionText{head: "input k2 f32[more,keys,8]", keys: "k4 = Reshape(k2, parts)\nkt = Transpose(k4) perm=[0,2,3,1]"},
			Options{},
			"the same batch",
		},
		"heads of keys repeated": {attentionText{head: "input k2 f32[batch,1,4,keys]", keys: "kt = Identity(k2)"}, Options{}, "the same number of heads"},
		"given another number":   {attentionText{}, Options{Heads: 4}, "2 heads"},
		"given another size":     {attentionText{}, Options{Hidden: 16}, "hidden size is 8"},
		"heads that are not split": {attentionText{
			head: "input qh f32[batch,2,seq,4]\ninput kh f32[batch,2,4,keys]\ninput vh f32[batch,2,keys,4]",
			q:    "qt = Identity(qh)", keys: "kt = Identity(kh)", values: "vt = Identity(vh)", scores: "p = Softmax(s)", end: "y = Neg(o)\noutput y f32[batch,2,seq,4]",
		}, Options{}, "as many nodes"},
	} {
		t.Run(name, func(t *testing.T) {
			got, refused := fusedNodes(t, c.text.String(), c.o, "fuse-attention")
			if slices.ContainsFunc(got, func(n string) bool { return strings.Contains(n, "Attention") }) {
				t.Errorf("it was fused: %q", got)
			}
			if said := strings.Join(refused, "; "); !strings.Contains(said, c.why) || c.why == "" && said != "" {
				t.Errorf("refused for %q, want %q", said, c.why)
			}
		})
	}
}

// oneStep is attention of one step that reads so many of the first keys as a table
// says, which hides the others by a number that weighs nothing: TABLE, SCORES.
func oneStep(table, scores string) string {
	return attentionText{
		opset: 13,
		head: `init table ` + table + `
			input one f32[batch,1,8]
			init little f32[] -10000
			init step i64[4] 0 2 1 4
			init rows i64[2] -1 8
			init single i64[1] 1
			init from i64[1] 0
			init to i64[1] 9223372036854775807
			init second i64[1] 2
			init third i64[1] 3
			ks = Shape(k)
			sk = Gather(ks, single)
			d = Sub(sk, single)
			r = Slice(table, d, sk, second)
			c = Slice(r, from, sk, third)`,
		q:      "qt = Reshape(one, step)",
		scores: scores,
		end:    "y = Reshape(o, rows)\noutput y f32[?,8]",
	}.String()
}

const lowerTriangle = "bool[1,1,4,4] 1 0 0 0 1 1 0 0 1 1 1 0 1 1 1 1"

// TestHiddenScores puts -10000 in the place of scores, which is fused where each row
// has a score that stays.
func TestHiddenScores(t *testing.T) {
	const where = "sm = Where(c, s, little)\np = Softmax(sm)"
	fused := []string{"MultiHeadAttention(one, k, v, , , ", "y = Reshape("}
	for name, c := range map[string]struct {
		text string
		want []string
		why  string
	}{
		"as GPT-2 has it":        {oneStep(lowerTriangle, where), fused, ""},
		"a table of numbers":     {oneStep(strings.Replace(lowerTriangle, "bool", "u8", 1), "cb = Cast(c) to=9\nsm = Where(cb, s, little)\np = Softmax(sm)"), fused, ""},
		"hidden where it is one": {oneStep("bool[1,1,4,4] 0 1 1 1 0 0 1 1 0 0 0 1 0 0 0 0", "sm = Where(c, little, s)\np = Softmax(sm)"), fused, ""},
		"the number of keys is that of the scores": {
			oneStep(lowerTriangle, "ss = Shape(s)\nsl = Slice(ss, third, to)\nc2 = Slice(r, from, sl, third)\nsm = Where(c2, s, little)\np = Softmax(sm)"),
			[]string{"ss = Shape(kt)", "MultiHeadAttention(one, k, v, , , ", "y = Reshape("},
			"",
		},

		"a row of nothing":       {oneStep("bool[1,1,4,4] 1 0 0 0 0 0 0 0 1 1 1 0 1 1 1 1", where), nil, "not small enough"},
		"the other way round":    {oneStep(lowerTriangle, "sm = Where(c, little, s)\np = Softmax(sm)"), nil, "not small enough"},
		"a number that shows":    {strings.Replace(oneStep(lowerTriangle, where), "-10000", "-100", 1), nil, "not small enough"},
		"not from the first on":  {strings.Replace(oneStep(lowerTriangle, where), "c = Slice(r, from, sk", "c = Slice(r, single, sk", 1), nil, "not small enough"},
		"backwards":              {strings.Replace(oneStep(lowerTriangle, where), "c = Slice(r, from, sk, third)", "init back i64[1] -1\nc = Slice(r, sk, from, third, back)", 1), nil, "not small enough"},
		"a table that is fed":    {strings.Replace(oneStep("bool[1]", where), "init table bool[1]", "input table bool[1,1,4,4]", 1), nil, "not small enough"},
		"with another mask":      {oneStep(lowerTriangle, "input m f32[batch,1,1,keys]\nsw = Where(c, s, little)\nsm = Add(sw, m)\np = Softmax(sm)"), nil, "hides the rest"},
		"half precision":         {strings.ReplaceAll(oneStep(lowerTriangle, where), "f32", "f16"), nil, "not small enough"},
		"both sizes of scores":   {oneStep(lowerTriangle, "ss = Shape(s)\nsl = Slice(ss, second, to)\nz = Neg(sl)\noutput z i64[2]\n"+where), nil, "another node also reads"},
		"all sizes of scores":    {oneStep(lowerTriangle, "ss = Shape(s)\noutput ss i64[4]\n"+where), nil, "another node also reads"},
		"a size, chosen in runs": {oneStep(lowerTriangle, "input i i64[]\nss = Shape(s)\nsl = Gather(ss, i)\noutput sl i64[]\n"+where), nil, "another node also reads"},
	} {
		t.Run(name, func(t *testing.T) {
			got, refused := fusedNodes(t, c.text, Options{}, "fuse-attention")
			text := strings.Join(got, "\n")
			for _, part := range c.want {
				if !strings.Contains(text, part) {
					t.Errorf("there is no %q, refused for %q", part, refused)
				}
			}
			if said := strings.Join(refused, "; "); !strings.Contains(said, c.why) || c.want == nil && strings.Contains(text, "Attention") {
				t.Errorf("refused for %q, want %q", said, c.why)
			}
			if t.Failed() {
				t.Log(text)
			}
		})
	}
}

// A softmax whose axes are one from its own on is no softmax over the last axis.
func TestOldSoftmax(t *testing.T) {
	for axis, want := range map[int]bool{1: false, 3: true, -1: true} {
		text := attentionText{opset: 12, scores: fmt.Sprintf("p = Softmax(s) axis=%d", axis)}
		got, _ := fusedNodes(t, text.String(), Options{}, "fuse-attention")
		if has := len(got) == 1; has != want {
			t.Errorf("axis %d: %q", axis, got)
		}
	}
}

// Layers share what is made of their mask.
func TestMaskOfTwoLayers(t *testing.T) {
	one := attentionText{head: "input m f32[batch,1,1,keys]", scores: "sm = Add(s, m)\np = Softmax(sm)"}.String()
	second := strings.NewReplacer("q4 = Reshape(q,", "Q4 = Reshape(y,", "qt", "Qt", "q4", "Q4", "k4", "K4", "kt", "Kt", "v4", "V4", "vt", "Vt", "s =", "S =", "(s,", "(S,", "sm", "Sm", "p =", "P =",
		"(p,", "(P,", "o =", "O =", "(o)", "(O)", "ot", "Ot", "y =", "Y =", "output y", "output Y")
	lines := strings.Split(one, "\n")
	at := slices.IndexFunc(lines, func(l string) bool { return strings.Contains(l, "q4 = ") })
	got, _ := fusedNodes(t, one+"\n"+second.Replace(strings.Join(lines[at:], "\n")), Options{}, "fuse-attention")
	if len(got) != 5 || !strings.HasPrefix(got[2], "m_") && !strings.Contains(got[2], "Expand") {
		t.Errorf("got %s", strings.Join(got, "\n"))
	}
}

// A function reads operators of the domains that it imports itself.
func TestFuseAttentionInFunction(t *testing.T) {
	var inside []string
	for _, line := range strings.Split(attentionText{scores: "p = Softmax(s)"}.String(), "\n") {
		if l := strings.TrimSpace(line); l != "" && !strings.HasPrefix(l, "input") && !strings.HasPrefix(l, "output") && !strings.HasPrefix(l, "init") && !strings.HasPrefix(l, "opset") {
			inside = append(inside, l)
		}
	}
	text := "opset 17\nopset local 1\ninput q f32[2,3,8]\ninput k f32[2,3,8]\ninput v f32[2,3,8]\nfunction local Attend(q, k, v) -> (y)\n" +
		"parts = Constant() value={i64[4] 0 0 2 4}\nwhole = Constant() value={i64[3] 0 0 8}\n" + strings.Join(inside, "\n") + "\nend\nz = local::Attend(q, k, v)\noutput z f32[2,3,8]"
	m := graphtest.Model(t, text)
	_, r := simplified(t, m, Options{With: []string{"fuse-attention"}})
	if r.Changed() {
		t.Error("it was fused")
	}
}
