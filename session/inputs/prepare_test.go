package inputs

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
)

// TestPrepare checks that what the user gave for one input applies to every case, generated or read
// from data.
func TestPrepare(t *testing.T) {
	types := declared(t, "x f32[batch,2]; k i64[1]; y f32[batch]")
	dir := folder(t, map[string][]byte{
		"both.json": []byte(`[{"x":[[1,2]],"k":[1],"y":[5]},{"x":[[3,4]],"k":[2],"y":[6]}]`),
		"rest.json": []byte(`[{"x":[[1,2]],"y":[5]},{"x":[[3,4]],"y":[6]}]`),
		"x.json":    []byte(`[[7,8],[9,10],[11,12]]`),
	})
	data := func(name string) string { return filepath.Join(dir, name) }
	tests := []struct {
		name string
		r    Request
		want []string // the cases' names with the shapes of y, then what was fed
	}{
		{"seeds", Request{Seeds: 2}, []string{"seed 0 y=2", "seed 1 y=2", "x normal", "k integers 0 to 9", "y normal"}},
		{"data", Request{Data: data("both.json"), Seeds: 3}, []string{"both.json[0] y=1", "both.json[1] y=1", "x as in the file", "k as in the file", "y as in the file"}},
		{
			"data beside a value",
			Request{Data: data("rest.json"), Said: []string{"k=i64[1]{3}"}},
			[]string{"rest.json[0] y=1", "rest.json[1] y=1", "x as in the file", "k as written", "y as in the file"},
		},
		{
			"a value and a rule",
			Request{Said: []string{"k=full(3)", "x=" + data("x.json")}, Seeds: 1},
			[]string{"seed 0 y=3", "x as in the file", "k full(3)", "y normal"},
		},
		{
			"all said",
			Request{Said: []string{"k=i64[1]{3}", "x=f32[1,2]{1,2}", "y=f32[1]{1}"}, Seeds: 3},
			[]string{"inputs as given y=1", "x as written", "k as written", "y as written"},
		},
	}
	for _, c := range tests {
		got, err := Prepare(types, c.r)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		var lines []string
		for _, one := range got.Cases {
			lines = append(lines, one.Name+" y="+one.Feeds["y"].Type.Shape.String())
			if len(one.Feeds) != 3 {
				t.Errorf("%s: %d values", c.name, len(one.Feeds))
			}
		}
		for _, f := range got.Cases[0].Fed {
			lines = append(lines, f.Name+" "+f.What)
		}
		if diff := cmp.Diff(c.want, lines); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
	for text, r := range map[string]Request{
		"full(3) is a rule for generated values": {Data: data("both.json"), Said: []string{"k=full(3)"}},
		`no input is called "z"`:                 {Said: []string{"z=zeros"}},
		`no input has a dimension "seq"`:         {Options: Options{Dims: map[string]int64{"seq": 2}}},
		"no such file":                           {Data: data("none.json")},
	} {
		if _, err := Prepare(types, r); err == nil || !strings.Contains(err.Error(), text) {
			t.Errorf("got %v, want %q", err, text)
		}
	}
}

// TestDimsOfGiven compares requested sizes with those of given values. An equal size is fine. A
// different size is a note if other inputs have the requested one, and otherwise an error.
func TestDimsOfGiven(t *testing.T) {
	types := declared(t, "x f32[batch]; y f32[2]; old f32[?]; z f32[seq]; w f32[seq,2]")
	types[2].Type.Shape = graphops.Shape{{Value: -1}}
	said := []string{"x=f32[3]{1,2,3}", "old=f32[1]{1}", "z=f32[3]{1,2,3}"}
	all := append(slices.Clone(said), "y=f32[2]{1,2}", "w=f32[3,2]{1,2,3,4,5,6}")
	dir := folder(t, map[string][]byte{"all.json": []byte(`{"x":[1,2,3],"old":[1],"z":[1,2,3],"y":[1,2],"w":[[1,2],[3,4],[5,6]]}`)})
	data := filepath.Join(dir, "all.json")
	for _, c := range []struct {
		name     string
		said     []string
		data     string
		dims     map[string]int64
		note, no string
	}{
		{"the same size", said, "", map[string]int64{"batch": 3, "old:0": 1}, "", ""},
		{"another size", said, "", map[string]int64{"batch": 4}, "", `dimension "batch" is 4 by --dim, but 3 in the value of input "x"`},
		{"another size of an axis without symbol", said, "", map[string]int64{"old:0": 4}, "", `dimension "old:0" is 4 by --dim, but 1 in the value of input "old"`},
		{"another size that an input takes", said, "", map[string]int64{"seq": 5}, `dimension "seq" is 5 by --dim, but 3 in the value of input "z"`, ""},
		{"no such dimension, all given", all, "", map[string]int64{"bacth": 3}, "", `no input has a dimension "bacth"`},
		{"the size of the data", nil, data, map[string]int64{"batch": 3}, "", ""},
		{"not that of the data", nil, data, map[string]int64{"batch": 4}, "", `dimension "batch" is 4 by --dim, but 3 in the value of`},
		{"no such dimension beside data", nil, data, map[string]int64{"bacth": 3}, "", `no input has a dimension "bacth"`},
	} {
		got, err := Prepare(types, Request{Said: c.said, Data: c.data, Options: Options{Dims: c.dims}})
		if (err == nil) != (c.no == "") || err != nil && !strings.Contains(err.Error(), c.no) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.no)
		}
		if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, c.note) || c.note == "" && strings.Contains(notes, "by --dim") {
			t.Errorf("%s: notes %q, want %q", c.name, notes, c.note)
		}
	}
}

func TestWriteFed(t *testing.T) {
	fed := []Fed{
		{"ids", "i64", graphops.FixedShape([]int64{1, 4}), "generated", "integers 0 to 9", `index into 10 rows of "w` + "\x1b" + `" at Gather "g"`},
		{"img", "f32", graphops.FixedShape([]int64{1, 3, 2, 2}), "cat.png", "cat.png 4×4 → 2×2 bilinear, RGB, /255, NCHW", "as asked"},
		{"s", "seq(f32)", nil, "set", "as in the file", ""},
	}
	var b bytes.Buffer
	if err := WriteFed(&b, fed); err != nil {
		t.Fatal(err)
	}
	want := `  input  type      shape    given                                        why
  ids    i64       1×4      integers 0 to 9                              index into 10 rows of "w\x1b" at Gather "g"
  img    f32       1×3×2×2  cat.png 4×4 → 2×2 bilinear, RGB, /255, NCHW  as asked
  s      seq(f32)           set, as in the file
`
	if diff := cmp.Diff(want, b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	b.Reset()
	if err := WriteFed(&b, fed[2:]); err != nil || strings.Contains(b.String(), "why") {
		t.Errorf("without a reason: %v\n%s", err, &b)
	}
}
