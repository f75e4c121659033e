package simplify

import (
	"math"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// productCase is a graph, the nodes that one pass makes of it, and what a constant
// then holds. Without want nothing is to happen, for the reason why if there is one.
type productCase struct {
	text      string
	want      []string
	constants map[string][]float64
	why       string
	growth    int64 // 0 for the default
}

func testProducts(t *testing.T, pass string, cases map[string]productCase) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			m := graphtest.Model(t, c.text)
			o := onlyPasses(find(pass))
			o.MaxGrowth = c.growth
			out, r := simplified(t, m, o)
			got := graphtest.Nodes(out.Graph())
			want := c.want
			if want == nil {
				want = graphtest.Nodes(m.Graph())
			}
			if !slices.Equal(got, want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
			if why := reasons(r); c.why == "" && c.want == nil && why != "" || !strings.Contains(why, c.why) {
				t.Errorf("refused because %q, want %q", why, c.why)
			}
			for name, want := range c.constants {
				if got := floatsOf(t, out, name); !near(got, want) {
					t.Errorf("%s is %v, want %v", name, got, want)
				}
			}
		})
	}
}

// reasons are those of all refusals.
func reasons(r *Report) string {
	var out []string
	for _, p := range r.Passes {
		for _, x := range p.Refused {
			out = append(out, x.Why)
		}
	}
	return strings.Join(out, "; ")
}

func floatsOf(t *testing.T, m *graphops.Model, name string) []float64 {
	t.Helper()
	for _, i := range m.Graph().Initializers() {
		if i.Name() != name {
			continue
		}
		read, err := i.Read()
		if err != nil {
			t.Fatal(err)
		}
		list, err := read.Float64s()
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	t.Errorf("there is no constant %q", name)
	return nil
}

func near(a, b []float64) bool {
	return slices.EqualFunc(a, b, func(x, y float64) bool { return math.Abs(x-y) <= 1e-6*max(1, math.Abs(y)) })
}
