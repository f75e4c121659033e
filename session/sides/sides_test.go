package sides

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/flags"
)

// Inputs are paired by name, and by type if there is only one way.
func TestPairInputs(t *testing.T) {
	for name, c := range map[string]struct{ a, b, want string }{
		"the same":             {"x f32[2]; y i64[n]", "y i64[n]; x f32[2]", "x=x y=y"},
		"one renamed":          {"x f32[2]; k i64[1]", "data f32[2]; k i64[1]", "x=data k=k"},
		"two, paired by type":  {"x f32[2]; k i64[1]", "n i64[1]; data f32[2]", "x=data k=n"},
		"two, paired by rank":  {"x f32[2]; k f32[2,3]", "p f32[a,b]; q f32[n]", "x=q k=p"},
		"two of one type":      {"x f32[2]; k f32[2]", "p f32[2]; q f32[2]", ""},
		"one of two types":     {"x f32[n]; k f32[3]", "p f32[2]; q f32[3]", ""},
		"another type":         {"x f32[2]", "data f16[2]", ""},
		"another shape":        {"x f32[2]", "data f32[3]", ""},
		"sequences":            {"s seq(f32)", "t seq(f32)", "s=t"},
		"a sequence, a tensor": {"s seq(f32)", "t f32[2]", ""},
		"less in b":            {"x f32[2]; k i64[1]", "x f32[2]", "x=x k="},
		"none in b":            {"x f32[2]", "", "x="},
		"more in b":            {"x f32[2]", "x f32[2]; k i64[1]", ""},
		"less and renamed":     {"x f32[2]; k i64[1]", "data f32[2]", ""},
		"none":                 {"", "", ""},
	} {
		pairs, ok := pairInputs(typesOf(t, c.a), typesOf(t, c.b))
		var words []string
		for _, p := range pairs {
			words = append(words, p.A+"="+p.B)
		}
		if got := strings.Join(words, " "); got != c.want || ok != (c.want != "" || c.a == "") {
			t.Errorf("%s: %q, %v", name, got, ok)
		}
	}
}

// typesOf reads "NAME TYPE; …".
func typesOf(t *testing.T, list string) []graphops.NamedType {
	t.Helper()
	var out []graphops.NamedType
	for one := range strings.SplitSeq(list, "; ") {
		name, typ, ok := strings.Cut(one, " ")
		if !ok {
			continue
		}
		parsed, err := graphops.ParseType(typ)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, graphops.NamedType{Name: name, Type: parsed})
	}
	return out
}

// Options of one side replace those of both sides.
func TestOwnOptions(t *testing.T) {
	both := flags.Execution{EP: "cpu", Running: flags.Running{Threads: 4, Config: []string{"a=1", "b=2"}, Parallel: true}}
	got, err := ownOf(both, []string{"session-config=c=3", "session-config=d=4", "threads=1", "parallel=false", "deterministic", "runtime=/lib.so", "allow-external=/data"})
	if err != nil {
		t.Fatal(err)
	}
	want := own{
		Execution: flags.Execution{EP: "cpu", Running: flags.Running{Threads: 1, Config: []string{"c=3", "d=4"}, Reproducible: true}},
		Runtime:   "/lib.so", AllowExternal: []string{"/data"},
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(own{}, flags.Execution{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"a=1", "b=2"}, both.Config); diff != "" {
		t.Errorf("what both have was changed: %s", diff)
	}
	for said, want := range map[string]string{
		"":             "is not an option of one side",
		"opt":          "expected OPTION=VALUE",
		"opt=":         "expected OPTION=VALUE",
		"opt=fast":     "is not one of",
		"threads=0":    "not an integer of at least 1",
		"parallel=yes": "neither true nor false",
		"therads=1":    `nearest names: "threads"`,
		"--opt=all":    `nearest names: `,
		"input=x=1":    "both are run on the same inputs",
	} {
		if err := checkOwn(said); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", said, err, want)
		}
	}
}

// A recipe and a command line have the same options of both sides.
func TestSideOptionsRoundTrip(t *testing.T) {
	s := &Comparison{A: "m.onnx", sides: sideOptions{B: []string{"opt=disable"}}}
	if got, want := session.CommandOf(s, ""), "lathe validate m.onnx --b=opt=disable"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	again := &Comparison{}
	if err := session.CallOf(s).Apply(again, ""); err != nil || !cmp.Equal(again.sides, s.sides) {
		t.Errorf("got %+v, %v", again.sides, err)
	}
	s = &Comparison{A: "m.onnx", sides: sideOptions{A: []string{"opt=all"}, B: []string{"custom-ops=lib/o=1.so", "runtime=/opt/o.so"}}, Feeding: flags.Feeding{Input: []string{"x=in/1=2.npy", "y=zeros"}}}
	again = &Comparison{}
	if err := session.CallOf(s).Apply(again, "/recipes"); err != nil || !slices.Equal(again.sides.B, []string{"custom-ops=/recipes/lib/o=1.so", "runtime=/opt/o.so"}) ||
		!slices.Equal(again.sides.A, s.sides.A) || !slices.Equal(again.Input, []string{"x=/recipes/in/1=2.npy", "y=zeros"}) {
		t.Errorf("paths are relative to the recipe: got %+v, %v, %v", again.sides, again.Input, err)
	}
	call := session.Call{Step: "validate", Options: []session.Setting{{Name: "a", Values: []string{"m.onnx"}}, {Name: "b-option", Values: []string{"otp=all"}}}}
	if err := call.Apply(&Comparison{}, ""); err == nil || !strings.Contains(err.Error(), `--b: "otp" is not an option`) {
		t.Errorf("got %v", err)
	}
}
