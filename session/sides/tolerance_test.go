package sides

import (
	"strconv"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
)

func TestParseTolerances(t *testing.T) {
	m := graphtest.Model(t, "input x f32[2]\noutput logits f32\nlogits = Relu(x)")
	for _, c := range []struct {
		said []string
		want string // RTol and ATol, "-" for none
		err  string
	}{
		{[]string{"logits=1e-3,1e-2"}, "0.001 0.01", ""},
		{[]string{"logits=1e-3"}, "0.001 -", ""},
		{[]string{"logits=,0"}, "- 0", ""},
		{[]string{"c=1"}, "", `no output is called "c"; outputs are "logits"`},
		{[]string{"logits=1", "logits=2"}, "", "given twice"},
		{[]string{"logits=-1"}, "", "not a number of at least 0"},
		{[]string{"logits=nan"}, "", "not a number of at least 0"},
		{[]string{"logits=1,2,3"}, "", "is not RTOL,ATOL"},
		{[]string{"logits="}, "", "is not RTOL,ATOL"},
		{[]string{"x"}, "", "expected NAME=RTOL,ATOL"},
	} {
		of, err := parseTolerances(c.said, m)
		if c.err != "" {
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%q: %v", c.said, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", c.said, err)
			continue
		}
		word := func(x *float64) string {
			if x == nil {
				return "-"
			}
			return strconv.FormatFloat(*x, 'g', -1, 64)
		}
		if got := word(of["logits"].RTol) + " " + word(of["logits"].ATol); got != c.want {
			t.Errorf("%q: %s, want %s", c.said, got, c.want)
		}
	}
}
