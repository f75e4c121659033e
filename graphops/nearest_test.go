package graphops_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
)

func TestNearestNames(t *testing.T) {
	layers := []string{"", "conv", "/layer1/MatMul", "/layer2/MatMul", "/layer10/MatMul_output_0"}
	tests := []struct {
		name       string
		candidates []string
		want       []string
	}{
		{"/layer1/MatMull", layers, []string{"/layer1/MatMul", "/layer2/MatMul"}},
		{"/LAYER2/matmul", layers, []string{"/layer2/MatMul"}},
		{"layer10", layers, []string{"/layer10/MatMul_output_0"}},
		{"conv1", layers, []string{"conv"}},
		{"Y", []string{"x", "w", "y", "v"}, []string{"y"}},
		{"b", []string{"x", "w"}, nil},
		{"zzzzzzzz", layers, nil},
		{"Frobnicate", []string{"Concat", "Reciprocal"}, nil},
		{"", layers, nil},
		{"same", []string{"same", "sane", "sane"}, []string{"sane"}},
	}
	for _, tt := range tests {
		got := graphops.NearestNames(tt.name, slices.Values(tt.candidates))
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.name, diff)
		}
	}
}

// TestNearestOfMany keeps the closest of more names than are held at a time.
func TestNearestOfMany(t *testing.T) {
	var names []string
	for i := range 500 {
		names = append(names, fmt.Sprintf("node_%03d_abc", i))
	}
	names = append(names, "node_x_abc")
	got := graphops.NearestNames("node_y_abc", slices.Values(names))
	if len(got) != 3 || got[0] != "node_x_abc" {
		t.Errorf("%q", got)
	}
}

func TestQuoteNames(t *testing.T) {
	for want, names := range map[string][]string{
		"none":                               nil,
		`"a\n", "b"`:                         {"a\n", "b"},
		`"1", "2", "3", "4", "5" and 2 more`: {"1", "2", "3", "4", "5", "6", "7"},
	} {
		if got := graphops.QuoteNames(names); got != want {
			t.Errorf("%q: got %s, want %s", names, got, want)
		}
	}
}
