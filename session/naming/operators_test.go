package naming

import (
	"slices"
	"testing"

	"lathe/graphops/graphtest"
	"lathe/session"
)

// TestOperators lists what a form offers for a new node: operators of the opset, and what the chosen
// one takes.
func TestOperators(t *testing.T) {
	m := graphtest.Model(t, "opset 17\nopset local 1\nfunction local Twice(a) -> (b)\nopset 17\nb = Add(a, a)\nend\ninput x f32[2]\noutput y f32[2]\ny = local::Twice(x)")
	for _, tt := range []struct {
		subject      session.Subject
		offered, not []string
		known        []string
	}{
		{session.NamesOperator, []string{"LeakyRelu", "local::Twice", "com.microsoft::FastGelu"}, []string{"Gelu", "Upsample"}, []string{"cast", "identity", "FastGelu"}},
		{session.NamesAttribute, []string{"alpha"}, nil, nil},
		{session.NamesOperand, []string{"X"}, nil, []string{"0"}},
	} {
		q, err := QueryOf(m, session.Option{Names: tt.subject}, func(option string) ([]string, bool) {
			return []string{"LeakyRelu"}, option == "op"
		})
		if err != nil {
			t.Fatal(err)
		}
		l := Collect(q)
		var names []string
		for _, o := range l.Offered {
			names = append(names, o.Name)
		}
		for _, name := range tt.offered {
			if !slices.Contains(names, name) {
				t.Errorf("%d: %s is not offered", tt.subject, name)
			}
		}
		for _, name := range tt.not {
			if slices.Contains(names, name) {
				t.Errorf("%d: %s is offered", tt.subject, name)
			}
		}
		for _, name := range tt.known {
			if !l.Known[name] {
				t.Errorf("%d: %s is not known", tt.subject, name)
			}
		}
	}
}
