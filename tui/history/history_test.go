package history

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"lathe/bench/store"
	"lathe/session/timing"
)

// TestSettingsOf: a measurement against an earlier result has the settings of that result. Those
// that every result has are left out, and files whose folder is not known are reported.
func TestSettingsOf(t *testing.T) {
	e := store.Earlier{Entry: store.Entry{Settings: store.Settings{
		"ep": "cpu", "provider": "cpu", "runtime": "1.30.0", "batch": "8", "threads": "1", "dim": "sequence=64, width=32", "data": "samples.npz",
	}}}
	values, left := settingsOf(e, (&timing.Benchmark{}).Options())
	want := map[string][]string{"batch": {"8"}, "threads": {"1"}, "dim": {"sequence=64", "width=32"}}
	if diff := cmp.Diff(want, values); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"data samples.npz"}, left); diff != "" {
		t.Errorf("left out (-want +got):\n%s", diff)
	}
	e.Settings = store.Settings{"ep": "cuda,cpu", "batch": "1"}
	values, left = settingsOf(e, (&timing.Benchmark{}).Options())
	if diff := cmp.Diff(map[string][]string{"ep": {"cuda,cpu"}}, values); diff != "" || left != nil {
		t.Errorf("%v (-want +got):\n%s", left, diff)
	}
}
