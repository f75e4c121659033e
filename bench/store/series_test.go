package store_test

import (
	"strings"
	"testing"
	"time"

	"lathe/bench/store"
)

// TestSeriesAreOfOneMeasurement: results that differ in anything that decides what is measured are
// never drawn as one trend, and the titles say in what they differ.
func TestSeriesAreOfOneMeasurement(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*store.Subject)
		title  string
	}{
		"the same":         {func(*store.Subject) {}, ""},
		"size":             {func(s *store.Subject) { s.Settings["dim"] = "sequence=32" }, "dim sequence=32"},
		"data":             {func(s *store.Subject) { s.Settings["data"] = "x.npz" }, "data x.npz"},
		"input":            {func(s *store.Subject) { s.Settings["input"] = "x=zeros" }, "input x=zeros"},
		"level":            {func(s *store.Subject) { s.Settings["opt"] = "disable" }, "opt disable"},
		"threads":          {func(s *store.Subject) { s.Settings["threads"] = "1" }, "threads 1"},
		"provider option":  {func(s *store.Subject) { s.Settings["ep-option"] = "cpu.x=1" }, "ep-option cpu.x=1"},
		"config":           {func(s *store.Subject) { s.Settings["session-config"] = "a=1" }, "session-config a=1"},
		"concurrency":      {func(s *store.Subject) { s.Settings["concurrency"] = "4" }, "concurrency 4"},
		"rate":             {func(s *store.Subject) { s.Settings["rate"] = "10" }, "rate 10"},
		"runtime":          {func(s *store.Subject) { s.Settings["runtime"] = "1.31.0" }, "runtime 1.31.0"},
		"shape":            {func(s *store.Subject) { s.Shapes = store.Shapes{"x": {1, 128}, "y": {2}} }, "x 1×128"},
		"a scalar":         {func(s *store.Subject) { s.Shapes = store.Shapes{"x": {}, "y": {2}} }, "x scalar"},
		"an older version": {func(s *store.Subject) { s.Shapes = nil }, ""},
		"batch":            {func(s *store.Subject) { s.Settings["batch"] = "8" }, "batch 8"},
	} {
		f := folder(t)
		for i := range 4 {
			r := measured(t, 4, "a.onnx 1 2")
			r.Time = noon.Add(time.Duration(i) * time.Hour)
			r.Subjects[0].Shapes = store.Shapes{"x": {1, 64}, "y": {2}}
			if i%2 == 1 {
				c.change(&r.Subjects[0])
			}
			if _, err := f.Keep(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		h, err := f.History(t.Context(), store.Query{Here: machine(4)})
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := h.WriteText(&out); err != nil {
			t.Fatal(err)
		}
		charts, want := strings.Count(out.String(), "\nlatency "), 2
		if name == "the same" {
			want = 1
		}
		if charts != want {
			t.Errorf("%s: %d charts in\n%s", name, charts, out.String())
		}
		if first, _, _ := strings.Cut(out.String(), "\n"); !strings.Contains(first, c.title) {
			t.Errorf("%s: the title is %q, not about %q", name, first, c.title)
		}
	}
}

// TestShapesOfBaseline: other shapes are not compared unasked; where one side does not know its
// shapes, they are no difference.
func TestShapesOfBaseline(t *testing.T) {
	was, is := measured(t, 4, "a.onnx 1 2"), measured(t, 4, "a.onnx 1 2")
	is.Subjects[0].Shapes = store.Shapes{"x": {1, 64}}
	if problem := store.PairUp(was, is).Problem(false); problem != "" {
		t.Errorf("a baseline without shapes: %s", problem)
	}
	was.Subjects[0].Shapes = store.Shapes{"x": {1, 128}}
	if problem := store.PairUp(was, is).Problem(false); problem != `shape of x: "1×128" in the baseline, "1×64" here` {
		t.Errorf("other shapes: %s", problem)
	}
}
