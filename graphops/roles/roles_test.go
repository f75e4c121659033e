package roles_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/roles"
	"lathe/graphops/shape"
)

// of finds the roles of a model with its shapes.
func of(t testing.TB, m *graphops.Model, given ...roles.Given) *roles.Roles {
	t.Helper()
	shapes, err := shape.Infer(context.Background(), m, shape.Options{NameAxes: true})
	if err != nil {
		shapes = nil
	}
	r, err := roles.Find(context.Background(), m, roles.Options{Shapes: shapes, Given: given})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// lines writes the roles of a model, one port a line.
func lines(r *roles.Roles) string {
	var b strings.Builder
	for i := range r.Inputs {
		line(&b, "in ", r, &r.Inputs[i])
	}
	for i := range r.Outputs {
		line(&b, "out", r, &r.Outputs[i])
	}
	return b.String()
}

func line(b *strings.Builder, side string, r *roles.Roles, p *roles.Port) {
	fmt.Fprintf(b, "%s %s: %s", side, p.Name, p.Kind)
	if p.Cross && p.Pair < 0 {
		b.WriteString(" cross")
	}
	if p.Content != roles.NoContent {
		fmt.Fprintf(b, " %s", p.Content)
	}
	if p.Pair >= 0 {
		pair := r.Pairs[p.Pair]
		other := pair.Present
		if p.Kind == roles.Present {
			other = pair.Past
		}
		fmt.Fprintf(b, " %d %s", pair.Layer, pair.Form.Name)
		if pair.Cross {
			b.WriteString(" cross")
		}
		fmt.Fprintf(b, " %q", pair.Growth)
		if pair.Axis >= 0 {
			fmt.Fprintf(b, " axis=%d", pair.Axis)
		}
		if pair.Window > 0 {
			fmt.Fprintf(b, " window=%d", pair.Window)
		}
		if other != "" {
			fmt.Fprintf(b, " ~ %s", other)
		}
	}
	fmt.Fprintf(b, " by %s", p.Source())
	for _, a := range p.Assumed {
		fmt.Fprintf(b, " [%s]", a)
	}
	b.WriteByte('\n')
}

// TestProductWithoutResult has a product of two inputs whose result has no name.
func TestProductWithoutResult(t *testing.T) {
	m := graphtest.Model(t, "input a f32[2,2]\ninput b f32[2,2]\n_ = MatMul(a, b)\ny = Relu(a)\noutput y f32[2,2]")
	if r := of(t, m); r.Speaks() {
		t.Errorf("%+v", r.Inputs)
	}
}
