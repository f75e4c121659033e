package dim_test

import (
	"encoding/json"
	"slices"
	"testing"

	"lathe/graphops/dim"
)

func TestSizes(t *testing.T) {
	many := dim.Sizes{}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h"} {
		many = append(many, dim.Size{Name: name, N: 1})
	}
	for _, c := range []struct {
		sizes dim.Sizes
		want  string
	}{
		{nil, ""},
		{dim.Sizes{{Name: "sequence", N: 8}, {Name: "batch", N: 1}}, " at sequence=8, batch=1"},
		{dim.Sizes{{Name: "h", N: 8, Chosen: true}}, " at h=8 (chosen automatically; set it with --dim h=N)"},
		{dim.Sizes{{Name: "batch", N: 1}, {Name: "h", N: 8, Chosen: true}}, " at batch=1, h=8 (h chosen automatically; set it with --dim h=N)"},
		{dim.Sizes{{Name: "b", N: 1}, {Name: "h", N: 8, Chosen: true}, {Name: "w", N: 9, Chosen: true}}, " at b=1, h=8, w=9 (h and w chosen automatically; set them with --dim h=N)"},
		{dim.Sizes{{Name: "n", N: 4}, {Name: "x:1", N: 3}, {Name: "n", N: 1}}, " at n=1,4, x:1=3"},
		{many, " at a=1, b=1, c=1, d=1, e=1, f=1 and 2 more"},
	} {
		if got := c.sizes.At(); got != c.want {
			t.Errorf("%v: %q, want %q", c.sizes, got, c.want)
		}
	}
}

func TestSizesJSON(t *testing.T) {
	want := dim.Sizes{{Name: "z", N: 2}, {Name: `a"`, N: 1}}
	text, err := json.Marshal(want)
	if err != nil || string(text) != `{"z":2,"a\"":1}` {
		t.Fatalf("%s, %v", text, err)
	}
	var got dim.Sizes
	if err := json.Unmarshal(text, &got); err != nil || !slices.Equal(got, want) {
		t.Errorf("%v, %v", got, err)
	}
	for _, wrong := range []string{`[1]`, `{"n":"many"}`, `{"n":1.5}`, `7`} {
		_ = json.Unmarshal([]byte(wrong), &got)
	}
	if err := json.Unmarshal([]byte("null"), &got); err != nil || got != nil {
		t.Errorf("null is %v, %v", got, err)
	}
}
