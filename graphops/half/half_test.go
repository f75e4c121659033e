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

// TestDepartures converts every model as the reference does by default, and tells where
// the result differs from the reference's. What is made must be valid, have the types
// that were planned, and nothing left to do that converting again would do.
func TestDepartures(t *testing.T) {
	for _, tt := range models {
		t.Run(tt.name, func(t *testing.T) {
			m := graphtest.Model(t, tt.text)
			before := graphtest.Encode(t, m)
			o := DefaultOptions()
			if tt.change != nil {
				tt.change(&o)
			}
			q, report := convertOf(t, m, o)
			if !slices.Equal(report.Departures, tt.departures) {
				t.Errorf("departures %v, expected %v", report.Departures, tt.departures)
			}
			sound(t, q)
			if !slices.Equal(before, graphtest.Encode(t, m)) {
				t.Error("the original is another one")
			}
			again, _, err := Float16(context.Background(), q, o, nil)
			if err == nil && len(graphtest.Nodes(again.Graph())) < len(graphtest.Nodes(q.Graph())) {
				t.Errorf("a second conversion has nodes to remove: %v", graphtest.Nodes(again.Graph()))
			}
			if err != nil && !errors.Is(err, ErrNothing) {
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
	for _, d := range Departures.All() {
		if !slices.Contains(seen, d) {
			t.Errorf("no model brings up %s", d)
		}
		if Departures[d] == "" {
			t.Errorf("%s is not explained", d)
		}
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
			if errors.Is(err, ErrNothing) {
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
	for _, d := range Departures.All() {
		if line := "| " + string(d) + " | " + Departures[d] + " |\n"; !strings.Contains(string(b), line) {
			t.Errorf("docs/half.md lacks %s", line)
		}
	}
}
