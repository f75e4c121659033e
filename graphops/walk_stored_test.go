package graphops_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// TestStoredTensors finds what Tensors does, and where it stands.
func TestStoredTensors(t *testing.T) {
	m := graphtest.Model(t, `
		init w f32[1] 1
		sparse s f32[8] 3 at 1
		graph inner
		init v f32[1] 1
		k = Constant() value={f32[1] 1}
		output k
		end
		function local F(x) -> (y)
		y = If(x) then_branch=@inner else_branch=@inner
		end
		top = If(c) then_branch=@inner else_branch=@inner
		lit = Constant() value={f32[2] 1 2}`)
	var all []*graphops.Tensor
	for x := range m.Tensors() {
		all = append(all, x)
	}
	var got []string
	for x := range m.StoredTensors() {
		if want := all[len(got)]; x.Name() != want.Name() || !cmp.Equal(x.Dims(), want.Dims()) {
			t.Errorf("tensor %d is %q %v, want %q %v", len(got), x.Name(), x.Dims(), want.Name(), want.Dims())
		}
		got = append(got, fmt.Sprintf("%d %q %d", x.Place.ID, x.Constant, x.Node))
	}
	want := []string{
		`0 "w" -1`, `0 "s" -1`, `0 "s" -1`, `1 "v" -1`, `2 "v" -1`, `4 "v" -1`, `5 "v" -1`,
		`0 "" 1`, `1 "" 0`, `2 "" 0`, `4 "" 0`, `5 "" 0`,
	}
	if diff := cmp.Diff(want, got); diff != "" || len(got) != len(all) {
		t.Errorf("%d of %d (-want +got):\n%s", len(got), len(all), diff)
	}
	for range m.StoredTensors() { // every walk can be left
		break
	}
}
