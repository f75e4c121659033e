package edit_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
)

// TestUnlisted covers initializers that nothing reads after an edit of a model whose
// version of the file format cannot hold them.
func TestUnlisted(t *testing.T) {
	const (
		dense = "opset 8\ninput x f32[2]\ninit c f32[2] 1 2\na: h = Mul(x, c)\nb: y = Relu(h)\noutput y f32[2]"
		body  = "opset 8\ninput k bool[]\ninput x f32[2]\ninit c f32[2] 1 2\ngraph t\na: h = Mul(x, c)\nb: r = Relu(h)\noutput r f32[2]\nend\ngraph e\ns = Neg(x)\noutput s f32[2]\nend\ny = If(k) then_branch=@t else_branch=@e\noutput y f32[2]"
	)
	for _, tt := range []struct {
		name, text   string
		initializers []string
		unused       bool
	}{
		{name: "unlisted", text: "ir 3\n" + dense},
		{name: "unlisted and asked for", text: "ir 3\n" + dense, unused: true},
		{name: "listed", text: "ir 3\ninput c f32[2]\n" + dense, initializers: []string{"c f32[2]"}},
		{name: "a version that holds it", text: "ir 4\n" + dense, initializers: []string{"c f32[2]"}},
		{name: "read elsewhere", text: "ir 3\n" + dense + "\nz = Neg(c)\noutput z f32[2]", initializers: []string{"c f32[2]"}},
		{name: "around the body that read it", text: "ir 3\n" + body},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, tt.text)
			p := m.Places()[0]
			if len(p.Bodies) > 0 {
				p = p.Bodies[0]
			}
			next, report := apply(t, m, func() (*graphops.Model, *edit.Report, error) {
				return edit.Bypass(context.Background(), m, p, edit.BypassOptions{Nodes: []string{"a"}, Unused: tt.unused})
			})
			if diff := cmp.Diff(tt.initializers, graphtest.Initializers(next.Graph())); diff != "" {
				t.Errorf("initializers (-want +got):\n%s", diff)
			}
			gone := 0
			for _, c := range report.Changes {
				if c.What == "initializer" {
					gone++
				}
			}
			if want := 1 - len(tt.initializers); gone != want {
				t.Errorf("%d initializers reported as gone, expected %d: %q", gone, want, report.Changes)
			}
		})
	}
}
