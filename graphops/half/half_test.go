package half

import (
	"context"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

func convertOf(t testing.TB, m *graphops.Model, o Options) (*graphops.Model, *Report) {
	t.Helper()
	q, report, err := Float16(context.Background(), m, o, nil)
	if err != nil {
		t.Fatal(err)
	}
	return q, report
}

// TestModels converts every model with default options. The result must be valid and have the types
// that were planned. Converting it again must remove nothing.
func TestModels(t *testing.T) {
	for _, tt := range models {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, tt.text)
			before := graphtest.Encode(t, m)
			o := DefaultOptions()
			if tt.change != nil {
				tt.change(&o)
			}
			q, _ := convertOf(t, m, o)
			sound(t, q)
			if !slices.Equal(before, graphtest.Encode(t, m)) {
				t.Error("the original is another one")
			}
			again, _, err := Float16(context.Background(), q, o, nil)
			if err == nil && len(graphtest.Nodes(again.Graph())) < len(graphtest.Nodes(q.Graph())) {
				t.Errorf("a second conversion has nodes to remove: %v", graphtest.Nodes(again.Graph()))
			}
			if err != nil && !errors.Is(err, errNothing) {
				t.Error(err)
			}
		})
	}
}

// TestEveryDeparture has a model for each, and an explanation.
func TestEveryDeparture(t *testing.T) {
	var seen []Departure
	for _, m := range models {
		seen = append(seen, m.departures...)
	}
	for d := range departures {
		if !slices.Contains(seen, d) {
			t.Errorf("no model brings up %s", d)
		}
		if departures[d] == "" {
			t.Errorf("%s is not explained", d)
		}
	}
}

// TestKeptCast has a Cast to float16 that stays in float32. Its input is cast to float32, so that the
// Cast still changes the type and must not be removed.
func TestKeptCast(t *testing.T) {
	m := graphtest.Model(t, "input x f32[2]\noutput y f16[2]\na: h = Cast(x) to=10\nb: y = Neg(h)\noutput z f32[2]\nc: z = Abs(x)")
	o := DefaultOptions()
	o.KeptOps = []string{"Cast"}
	q, r := convertOf(t, m, o)
	sound(t, q)
	want := []string{"x_float32_cast: x_float32 = Cast(x) to=1", "a: h = Cast(x_float32) to=10", "b: y = Neg(h)", "c: z = Abs(x)"}
	if got := graphtest.Nodes(q.Graph()); !slices.Equal(got, want) || r.Dropped != 0 {
		t.Errorf("%v, and %d Casts removed", got, r.Dropped)
	}
}

// TestDroppedCast has a Cast to float16 whose input becomes float16. The type that the file declares
// for its output is dropped with it.
func TestDroppedCast(t *testing.T) {
	m := graphtest.Model(t, "input x f32[2]\nvalue h f16[2]\noutput y f16[2]\na: h = Cast(x) to=10\nb: y = Neg(h)")
	q, r := convertOf(t, m, DefaultOptions())
	sound(t, q)
	if got := graphtest.Nodes(q.Graph()); !slices.Equal(got, []string{"b: y = Neg(x)"}) || r.Dropped != 1 || len(q.Graph().ValueInfo()) > 0 {
		t.Errorf("%v with %d types, and %d Casts removed", got, len(q.Graph().ValueInfo()), r.Dropped)
	}
}

// sound looks whether a model is valid and agrees with what it declares.
func sound(t *testing.T, m *graphops.Model) {
	t.Helper()
	for _, p := range graphtest.Problems(m) {
		t.Error(p)
	}
	r, err := shape.Infer(context.Background(), m, shape.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Problems {
		t.Error(p)
	}
	if t.Failed() {
		for _, line := range graphtest.Nodes(m.Graph()) {
			t.Log(line)
		}
	}
}

// TestBfloat16 converts every model to bfloat16.
func TestBfloat16(t *testing.T) {
	for _, tt := range models {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, tt.text)
			q, _, err := Bfloat16(context.Background(), m, DefaultOptions(), nil)
			if errors.Is(err, errNothing) {
				t.Skip(err)
			}
			if err != nil {
				t.Fatal(err)
			}
			sound(t, q)
			for _, x := range q.Graph().Initializers() {
				if x.DType() == tensor.F16 && tt.name != "half already" {
					t.Errorf("weight %q is float16", x.Name())
				}
			}
		})
	}
}

// TestDocument has docs/half.md list all departures.
func TestDocument(t *testing.T) {
	b, err := os.ReadFile("../../docs/half.md")
	if err != nil {
		t.Fatal(err)
	}
	for d := range departures {
		if line := "| " + string(d) + " | " + departures[d] + " |\n"; !strings.Contains(string(b), line) {
			t.Errorf("docs/half.md lacks %s", line)
		}
	}
}
