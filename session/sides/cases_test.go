//go:build cgo

package sides

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session"
	"lathe/session/compare"
	"lathe/session/flags"
	"lathe/session/sessiontest"
)

// planted are pairs of models. The second one has a fault that random numbers at size 1 do not
// show. families are the families of cases that show it.
var planted = []struct {
	name, a, b string
	families   string
}{
	{
		"nothing",
		"input x f32[batch,4]\noutput y f32\ny = Relu(x)",
		"input x f32[batch,4]\noutput y f32\nh = Identity(x)\ny = Relu(h)",
		"",
	},
	{
		"axes exchanged in memory only",
		"input x f32[batch,seq]\noutput y f32\ny = Transpose(x) perm=[1,0]",
		"input x f32[batch,seq]\ninit swap i64[2] 1 0\noutput y f32\ns = Shape(x)\nt = Gather(s, swap)\ny = Reshape(x, t)",
		"large seeds sizes", // the seeds differ too
	},
	{
		"a division by zero",
		"input x f32[3]\ninit eps f32[] 1e-12\noutput y f32\nm = Abs(x)\nd = Add(m, eps)\ny = Div(x, d)",
		"input x f32[3]\noutput y f32\nm = Abs(x)\ny = Div(x, m)",
		"zeros",
	},
	{
		"a mask that is ignored",
		"input x f32[batch,seq]\ninput attention_mask i64[batch,seq]\noutput y f32\nm = Cast(attention_mask) to=1\ny = Mul(x, m)",
		"input x f32[batch,seq]\ninput attention_mask i64[batch,seq]\ninit none f32[] 0\noutput y f32\nm = Cast(attention_mask) to=1\nz = Mul(m, none)\ny = Add(x, z)",
		"masks",
	},
	{
		"a mask of another name that is ignored",
		"input x f32[batch,seq]\ninput keep i64[batch,seq]\ninit one f32[] 1\ninit far f32[] -10000\noutput y f32\nc = Cast(keep) to=1\ni = Sub(one, c)\nm = Mul(i, far)\na = Add(x, m)\ny = Softmax(a)",
		"input x f32[batch,seq]\ninput keep i64[batch,seq]\ninit none f32[] 0\noutput y f32\nc = Cast(keep) to=1\nm = Mul(c, none)\na = Add(x, m)\ny = Softmax(a)",
		"masks",
	},
	{
		"a table that is a row short",
		table(512), table(511), "sizes",
	},
	{
		"whole numbers cut to 32 bits",
		"input x i64[3]\noutput y i64\ny = Abs(x)",
		"input x i64[3]\noutput y i64\nh = Cast(x) to=6\ni = Cast(h) to=7\ny = Abs(i)",
		"integers",
	},
	{
		"exponentials that overflow",
		"input x f32[2,4]\noutput y f32\ny = Softmax(x) axis=1",
		"input x f32[2,4]\ninit last i64[1] 1\noutput y f32\ne = Exp(x)\ns = ReduceSum(e, last)\ny = Div(e, s)",
		"large",
	},
	{
		"the mean of nothing",
		"input past_kv f32[past_len,4]\ninit first i64[1] 0\noutput y f32\ny = ReduceSum(past_kv, first)",
		"input past_kv f32[past_len,4]\noutput y f32\ninit at i64[] 0\ninit first i64[1] 0\nt = ReduceSum(past_kv, first)\ns = Shape(past_kv)\nn = Gather(s, at)\nf = Cast(n) to=1\nm = Div(t, f)\ny = Mul(m, f)",
		"empty",
	},
}

// table is a model that looks up positions in a table of rows.
func table(rows int64) string {
	return strings.ReplaceAll(`
	input ids i64[batch,seq]
	init words f32[7,2] 1 2 3
	init table f32[ROWS,2] 1 2 3 4 5
	init zero i64[] 0
	init one i64[] 1
	output y f32
	w = Gather(words, ids)
	s = Shape(ids)
	n = Gather(s, one)
	r = Range(zero, n, one)
	p = Gather(table, r)
	y = Add(w, p)
	`, "ROWS", strconv.FormatInt(rows, 10))
}

// savedModel writes a model into a folder.
func savedModel(t *testing.T, folder, name, text string) string {
	t.Helper()
	path := filepath.Join(folder, name)
	if _, err := graphops.Save(t.Context(), graphtest.Model(t, text), path, graphops.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestInputsThatCatch checks that each fault is shown by the family of cases made for it and by no
// other, and that saved cases fail again.
func TestInputsThatCatch(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	env := sessiontest.Env(t)
	for _, c := range planted {
		t.Run(c.name, func(t *testing.T) {
			folder := t.TempDir()
			s := &Comparison{A: savedModel(t, folder, "a.onnx", c.a), B: savedModel(t, folder, "b.onnx", c.b)}
			s.SaveFailing = filepath.Join(folder, "failing")
			r := validated(t, env, s)
			failed := map[string]bool{}
			for _, one := range r.Cases {
				if !one.Pass {
					failed[one.Family] = true
				}
			}
			got := strings.Join(slices.Sorted(maps.Keys(failed)), " ")
			if got != c.families || r.Pass != (c.families == "") {
				t.Errorf("families %q, want %q: pass %v, %s; %v", got, c.families, r.Pass, r.Verdict, r.Findings)
			}
			for _, saved := range r.Saved[:min(1, len(r.Saved))] {
				if c.families != "zeros" && c.families != "sizes" {
					continue // starting workers takes time too
				}
				again := validated(t, env, &Comparison{A: s.A, B: s.B, Feeding: flags.Feeding{Data: saved.Folder}})
				if again.Pass || len(again.Cases) != 1 || len(again.Cases[0].Inputs) == 0 {
					t.Errorf("%s: pass %v with %d cases: %s", saved.Again, again.Pass, len(again.Cases), again.Verdict)
				}
			}
			if (len(r.Saved) > 0) != (c.families != "") {
				t.Errorf("%d cases saved", len(r.Saved))
			}
		})
	}
}

func validated(t *testing.T, env session.Env, s *Comparison) *Report {
	t.Helper()
	result, err := s.Run(t.Context(), env)
	if err != nil {
		t.Fatal(err)
	}
	return result.Report.(*Report)
}

// TestCasesAskedFor checks that only the requested families are made, and that a folder that cannot
// be written is an error.
func TestCasesAskedFor(t *testing.T) {
	env := sessiontest.Env(t)
	folder := t.TempDir()
	m := savedModel(t, folder, "a.onnx", planted[0].a)
	s := &Comparison{A: m, B: m}
	s.Cases = []string{"zeros", "sizes", "masks"}
	r := validated(t, env, s)
	var names []string
	for _, one := range r.Cases {
		names = append(names, one.Name)
	}
	slices.Sort(names)
	if got := strings.Join(names, "; "); got != "sizes batch=3; sizes batch=4; sizes batch=5; zeros" {
		t.Errorf("cases %s", got)
	}
	if !slices.Contains(r.Notes, "no cases of masks (no input is named a mask, or masks scores of attention)") {
		t.Errorf("notes %q", r.Notes)
	}
	if err := os.WriteFile(filepath.Join(folder, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.SaveFailing = folder
	if _, err := s.Run(t.Context(), env); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a folder that holds something: %v", err)
	}
}

// TestSavedIsJudgedTheSame checks that a saved case is judged in the same way as before.
func TestSavedIsJudgedTheSame(t *testing.T) {
	env := sessiontest.Env(t)
	folder := t.TempDir()
	const model = "input x f32[2,4]\ninit w f32[4,4] 1 2 3\ninit e f32[] %s\nh = MatMul(x, w)\noutput y f32\ny = Add(h, e)"
	s := &Comparison{
		A: savedModel(t, folder, "it's a.onnx", fmt.Sprintf(model, "0")),
		B: savedModel(t, folder, "b.onnx", fmt.Sprintf(model, "0.1")),
	}
	s.SaveFailing = filepath.Join(folder, "failing")
	r := validated(t, env, s)
	if len(r.Saved) < 2 || r.Cases[len(r.Cases)-1].Family != "large" {
		t.Fatalf("%d cases saved; %+v", len(r.Saved), r.Cases)
	}
	for _, saved := range r.Saved {
		first := r.Cases[slices.IndexFunc(r.Cases, func(c compare.CaseResult) bool { return c.Name == saved.Case })]
		got := validated(t, env, &Comparison{A: s.A, B: s.B, Feeding: flags.Feeding{Data: saved.Folder}}).Cases[0]
		x, y := first.Outputs[0], got.Outputs[0]
		if got.Family != first.Family || x.Tolerance != y.Tolerance || x.Why != y.Why || x.Mismatched != y.Mismatched || x.Pass != y.Pass {
			t.Errorf("case %q: %+v, again %+v", saved.Case, x, y)
		}
	}
}

func TestAgain(t *testing.T) {
	x := 0.25
	s := &Comparison{A: "a b.onnx", B: "it's.onnx", RTol: &x, sides: sideOptions{B: []string{"runtime=my lib.so", "opt=disable"}}}
	s.Cases, s.Seed, s.Tolerance = []string{"zeros"}, 7, []string{"y=1,2"}
	env := session.Env{Flags: []string{"--runtime", "/opt/o n.so"}}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	words := []string{
		"lathe", "validate", dir + "/a b.onnx", dir + "/it's.onnx", "--data", dir + "/f/it's", "--rtol", "0.25", "--tolerance", "y=1,2",
		"--b", "runtime=" + dir + "/my lib.so", "--b", "opt=disable", "--runtime", "/opt/o n.so",
	}
	got, err := exec.CommandContext(t.Context(), "sh", "-c", `printf '%s\n' `+s.again(env, "f/it's")).Output()
	if want := strings.Join(words, "\n") + "\n"; err != nil || string(got) != want {
		t.Errorf("got  %s\nwant %s, %v", got, want, err)
	}
	s.On = []string{"ssh gpu1"}
	if got := s.again(env, "f"); !strings.HasPrefix(got, "lathe validate 'a b.onnx' ") || !strings.Contains(got, "--data "+dir+"/f ") {
		t.Errorf("got %s: paths of the other machine stay, the data is here", got)
	}
}

// TestFixedByB checks that both models run with the sizes that are fixed in B.
func TestFixedByB(t *testing.T) {
	env := sessiontest.Env(t)
	folder := t.TempDir()
	s := &Comparison{
		A: savedModel(t, folder, "a.onnx", "input x f32[n,seq]\noutput y f32\ny = Relu(x)"),
		B: savedModel(t, folder, "b.onnx", "input x f32[4,seq]\noutput y f32\ny = Relu(x)"),
	}
	r := validated(t, env, s)
	if !r.Pass || len(r.Cases) < 6 || len(r.Findings) > 0 || !slices.Contains(r.Notes, "b accepts only these sizes, so both run with them: n=4") {
		t.Errorf("pass %v, %s: %+v, %q", r.Pass, r.Verdict, r.Findings, r.Notes)
	}
	s.Dim = []string{"n=3"}
	if r := validated(t, env, s); r.Pass || !strings.Contains(r.Headline, `input "x" was given 3 on axis 0, expected 4`) {
		t.Errorf("pass %v, %s", r.Pass, r.Verdict)
	}
}

// TestNamedByB checks that --dim may name an axis as only B calls it, and that A's own name counts more.
func TestNamedByB(t *testing.T) {
	env := sessiontest.Env(t)
	folder := t.TempDir()
	s := &Comparison{
		A: savedModel(t, folder, "a.onnx", "input x f32[?,seq]\noutput y f32\ny = Relu(x)"),
		B: savedModel(t, folder, "b.onnx", "input x f32[batch,seq]\noutput y f32\ny = Relu(x)"),
	}
	s.Dim = []string{"batch=4"}
	r := validated(t, env, s)
	if shape := r.Cases[0].Inputs[0].Shape; !r.Pass || shape[0] != 4 || !slices.Contains(r.Notes, `dimension "batch" of b is "x:0" in a: both run with size 4`) {
		t.Errorf("pass %v, inputs of %v, %q", r.Pass, shape, r.Notes)
	}
	s.Dim = []string{"batch=4", "x:0=2"}
	if r := validated(t, env, s); !r.Pass || r.Cases[0].Inputs[0].Shape[0] != 2 {
		t.Errorf("pass %v, inputs of %v", r.Pass, r.Cases[0].Inputs[0].Shape)
	}
	s.Dim = []string{"bacth=4"}
	if _, err := s.Run(t.Context(), env); err == nil || !strings.Contains(err.Error(), `no input has a dimension "bacth"`) {
		t.Errorf("a name that no side has: %v", err)
	}
}

// TestConvertedInputs checks that a model that takes numbers of another width gets the same
// numbers, and is judged with the tolerance of that width.
func TestConvertedInputs(t *testing.T) {
	env := sessiontest.Env(t)
	folder := t.TempDir()
	s := &Comparison{
		A: savedModel(t, folder, "a.onnx", "input x f32[3]\ninput k i64[1]\noutput y f32\noutput l i64\ny = Sigmoid(x)\nl = Abs(k)"),
		B: savedModel(t, folder, "b.onnx", "input x f16[3]\ninput k i32[1]\noutput y f32\noutput l i64\nh = Sigmoid(x)\ny = Cast(h) to=1\nm = Abs(k)\nl = Cast(m) to=7"),
	}
	s.Cases = []string{"seeds"}
	r := validated(t, env, s)
	if !r.Pass || len(r.InputPairs) != 2 || r.InputPairs[0].Converted != "f16" || r.InputPairs[1].Converted != "i32" || !strings.Contains(r.Outputs[0].Why, "f16") {
		t.Errorf("pass %v, %s: %+v, %+v", r.Pass, r.Verdict, r.InputPairs, r.Outputs)
	}
	s.Cases = []string{"seeds", "integers"}
	if r := validated(t, env, s); !r.Pass || !strings.HasSuffix(r.Headline, "; compared in 3 of 5 cases: no integers") || !strings.HasPrefix(r.Findings[0].Reason, `not run: input "k": `) {
		t.Errorf("what i32 does not have is held against nobody: %s, %q, %+v", r.Verdict, r.Headline, r.Findings)
	}
}
