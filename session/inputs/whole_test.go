package inputs

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
)

// TestWhole checks which array each input gets if arrays are not split by rows.
func TestWhole(t *testing.T) {
	x := numbered("x", tensor.F64, 5, 2)
	got, notes, err := Whole([]npz.Entry{x, numbered("data", tensor.I64), numbered("y", tensor.I64, 5)}, []Spec{
		{"x", tensor.BF16, shapeOf(1, 2)}, {"y", tensor.I64, nil},
	})
	if err != nil {
		t.Fatal(err)
	}
	if v := got["x"]; v.DType != tensor.BF16 || !slices.Equal(v.Shape, []int64{5, 2}) || len(got) != 2 {
		t.Errorf("got %v", got)
	}
	want := []string{`array "data" is used by no input`, `converted from f64 to bf16: "x"`}
	if diff := cmp.Diff(want, notes); diff != "" {
		t.Errorf("notes (-want +got):\n%s", diff)
	}
	if got, _, err := Whole([]npz.Entry{x}, []Spec{{"other", tensor.F64, nil}}); err != nil || got["other"].DType != tensor.F64 {
		t.Errorf("the only array is not taken for the only input: %v, %v", got, err)
	}
	for _, c := range []struct {
		specs []Spec
		text  string
	}{
		{[]Spec{{"a", tensor.F32, nil}, {"b", tensor.F32, nil}}, `no array for input "a"`},
		{[]Spec{{"x", tensor.I64, nil}}, `array "x" for input "x": type f64, expected i64`},
	} {
		if _, _, err := Whole([]npz.Entry{x}, c.specs); err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("got %v, want %q", err, c.text)
		}
	}
}
