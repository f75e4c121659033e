package graphops

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Data files are begun where one would grow too large, tensors stay in their order, and what is
// larger by itself has a file of its own. Replaced files go, whichever of both is split.
func TestSaveSplit(t *testing.T) {
	path := filepath.Join(t.TempDir(), "m.onnx")
	m := partsModel(t, 'a', 3000, 4096, 5000, 1100, 9000, 1050)
	for _, c := range []struct {
		split  int64
		sizes  []int64
		larger []string
		names  []string
	}{
		{0, nil, nil, []string{"m.onnx.data"}},
		{8192, []int64{8192, 5000, 1100, 9000, 1050}, []string{"w4"}, []string{"m.onnx.data-2", "m.onnx.data-3", "m.onnx.data-4", "m.onnx.data-5", "m.onnx.data-6"}},
		{100, []int64{3000, 4096, 5000, 1100, 9000, 1050}, []string{"w0", "w1", "w2", "w3", "w4", "w5"}, []string{"m.onnx.data", "m.onnx.data-7", "m.onnx.data-8", "m.onnx.data-9", "m.onnx.data-10", "m.onnx.data-11"}},
		{1 << 40, nil, nil, []string{"m.onnx.data-2"}},
	} {
		o := pairOptions(true)
		o.Split = c.split
		plan, err := PlanSave(m, o)
		if err != nil || c.split > 0 && c.sizes != nil && !slices.Equal(plan.DataBytes, c.sizes) || !slices.Equal(plan.Larger, c.larger) {
			t.Errorf("split %d: planned %+v, %v; want %v, %v", c.split, plan, err, c.sizes, c.larger)
		}
		saved, err := Save(t.Context(), m, path, o)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		var sizes []int64
		for _, d := range saved.Data {
			names, sizes = append(names, filepath.Base(d.Path)), append(sizes, d.Bytes)
		}
		if d := cmp.Diff(c.names, names); d != "" || !slices.Equal(sizes, plan.DataBytes) {
			t.Errorf("split %d: wrote %v, planned %v; names %s", c.split, sizes, plan.DataBytes, d)
		}
		checkTarget(t, path, strings.Repeat("a", 3000+4096+5000+1100+9000+1050))
		checkTidy(t, path)
	}
}

// Where nothing may be replaced, a name that is taken by any data file is an error, and nothing
// is written.
func TestSaveSplitOverNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.onnx")
	saveOld(t, filepath.Join(dir, "m.onnx.data-2"), "one file", pairModel(t, 'x', 10))
	o := pairStored("several", false)
	if _, err := Save(t.Context(), partsModel(t, 'a', 2000, 2000, 2000), path, o); err == nil || !strings.Contains(err.Error(), "m.onnx.data-2: exists already") {
		t.Errorf("says %v", err)
	}
	if names := namesIn(t, dir); !slices.Equal(names, []string{"m.onnx.data-2"}) {
		t.Errorf("the folder holds %q", names)
	}
}

// Cancelled after each part of the output in turn, over a model that is split too, it leaves
// that as it was.
func TestSaveSplitCancelledUnderway(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "m.onnx")
	saveOld(t, path, "several", partsModel(t, 'a', 2000, 2000))
	before := namesIn(t, dir)
	for stop := 1; ; stop++ {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		o := pairStored("several", true)
		o.Progress = func(int64) {
			if calls++; calls == stop {
				cancel()
			}
		}
		_, err := Save(ctx, partsModel(t, 'b', 2000, 2000, 2000), path, o)
		cancel()
		if calls < stop {
			if err != nil || calls < 4 {
				t.Errorf("not cancelled: error %v after %d parts", err, calls)
			}
			checkTarget(t, path, strings.Repeat("b", 6000))
			checkTidy(t, path)
			return
		}
		if after := namesIn(t, dir); !errors.Is(err, context.Canceled) || !slices.Equal(before, after) {
			t.Errorf("cancelled at part %d: error %v, the folder holds %q", stop, err, after)
		}
		checkTarget(t, path, strings.Repeat("a", 4000))
	}
}

// Through a symbolic link beside the model both names lead to all of the data.
func TestSaveSplitThroughLink(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "m.onnx"), filepath.Join(dir, "link.onnx")
	saveOld(t, path, "several", partsModel(t, 'a', 2000, 2000))
	if err := os.Symlink("m.onnx", link); err != nil {
		t.Fatal(err)
	}
	saved, err := Save(t.Context(), partsModel(t, 'b', 2000, 2000), link, pairStored("several", true))
	if err != nil || len(saved.Data) != 2 || len(saved.Removed) != 2 {
		t.Errorf("saved %+v, %v", saved, err)
	}
	checkTarget(t, path, strings.Repeat("b", 4000))
	checkTarget(t, link, strings.Repeat("b", 4000))
	want := []string{"link.onnx", "m.onnx", "m.onnx.data-3", "m.onnx.data-4"}
	if got := namesIn(t, dir); !slices.Equal(got, want) {
		t.Errorf("the folder holds %q, want %q", got, want)
	}
}
