package simplify

import (
	"slices"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/rewrite"
)

// simplified simplifies a model, has the invariants checked after each pass, and
// looks whether a second run finds nothing.
func simplified(t *testing.T, m *graphops.Model, o Options) (*graphops.Model, *Report) {
	t.Helper()
	o.verify = func(pass string, m *rewrite.Model) {
		if err := m.Check(); err != nil {
			t.Fatalf("after pass %s: %v", pass, err)
		}
	}
	if o.MaxGrowth == 0 {
		o.MaxGrowth = DefaultMaxGrowth
	}
	out, r, err := Simplify(t.Context(), m, o)
	if err != nil {
		t.Fatal(err)
	}
	again, second, err := Simplify(t.Context(), out, o)
	if err != nil {
		t.Fatal(err)
	}
	if second.Changed() || again != out {
		for _, p := range second.Passes {
			for _, c := range p.Changes {
				t.Errorf("a second run: %s: %s", p.Name, c.Text)
			}
		}
	}
	return out, r
}

// onlyPasses are options with which these passes run, optional ones too, and no other.
func onlyPasses(which ...*pass) Options {
	var o Options
	for _, p := range passes {
		switch {
		case !slices.Contains(which, p):
			o.Without = append(o.Without, p.name)
		case p.optional:
			o.With = append(o.With, p.name)
		}
	}
	return o
}

// TestTable looks whether the rows of the table are whole and in an order that they
// allow.
func TestTable(t *testing.T) {
	var seen []string
	for _, p := range passes {
		if p.name == "" || p.title == "" || p.reason == "" {
			t.Errorf("pass %q has no name, title or reason", p.name)
		}
		if slices.Contains(seen, p.name) {
			t.Errorf("pass %s is there twice", p.name)
		}
		for _, a := range p.after {
			if !slices.Contains(seen, a) {
				t.Errorf("pass %s comes after %s, which stands behind it", p.name, a)
			}
		}
		seen = append(seen, p.name)
	}
}

func TestIdentity(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"chain": {`
			input x f32[2]
			a = Identity(x)
			b = Relu(a)
			c = Identity(b)
			y = Identity(c)
			output y f32[2]`, []string{"y = Relu(x)"}},
		"input to output": {`
			input x f32[2]
			y = Identity(x)
			output y f32[2]`, []string{"y = Identity(x)"}},
		"two outputs of one value": {`
			input x f32[2]
			y = Relu(x)
			z = Identity(y)
			output y f32[2]
			output z f32[2]`, []string{"y = Relu(x)", "z = Identity(y)"}},
		"captured": {`
			input x f32[2]
			input c bool[]
			a = Identity(x)
			graph then
			t = Relu(a)
			output t f32[2]
			end
			graph else
			e = Neg(a)
			f = Identity(e)
			output f f32[2]
			end
			y = If(c) then_branch=@then else_branch=@else
			output y f32[2]`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			out, _ := simplified(t, graphtest.Model(t, c.text), Options{})
			got := graphtest.Nodes(out.Graph())
			if c.want == nil {
				t.Log(got)
				return
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
