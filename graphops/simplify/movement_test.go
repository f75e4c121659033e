package simplify

import (
	"slices"
	"strings"
	"testing"

	"lathe/graphops/graphtest"
)

// movements is a model before and after: the nodes that are left.
type movements struct {
	name, text string
	want       []string
}

// checkMovements simplifies models by the passes of this family alone.
func checkMovements(t *testing.T, cases []movements) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			out, _ := simplified(t, graphtest.Model(t, c.text), movementsOnly())
			if got := graphtest.Nodes(out.Graph()); !slices.Equal(got, c.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(c.want, "\n"))
			}
		})
	}
}

func movementsOnly() Options {
	var o Options
	for _, p := range passes {
		if p != deadCode && !slices.Contains(movementPasses, p) {
			o.Without = append(o.Without, p.name)
		}
	}
	return o
}
