package graphops

import (
	"slices"
	"testing"
)

func TestParseOperators(t *testing.T) {
	names := []string{"com.microsoft.Gelu", "Gelu", "com.microsoft::Gelu", "ai.onnx.ml::Scaler", "ai.onnx::Add"}
	want := []Op{{"", "Add"}, {"", "Gelu"}, {"ai.onnx.ml", "Scaler"}, {MicrosoftDomain, "Gelu"}}
	if got := ParseOps(slices.Values(names)); !slices.Equal(got, want) {
		t.Errorf("got %v, expected %v", got, want)
	}
}
