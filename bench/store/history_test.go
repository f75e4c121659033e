package store_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"lathe/bench/store"
	"lathe/graphops"
)

// TestHistory keeps results of two models on two machines over days, and asks for parts.
func TestHistory(t *testing.T) {
	f := folder(t)
	for day := range 6 {
		for _, cores := range []int{4, 8} {
			r := measured(t, cores, fmt.Sprintf("a.onnx 1 %d", 10-day), "b\x1b[31m.onnx 8 3")
			r.Time = noon.AddDate(0, 0, day)
			if _, err := f.Keep(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
	}
	numbers := &store.Result{
		Kind: store.KindValidate, Time: noon, Machine: machine(4), Models: []store.Model{{Path: "a.onnx", Absolute: "/models/a.onnx"}},
		Document: json.RawMessage(`{"pass":false,"outputs":[{"name":"x","snr_db":30,"max_abs":1},{"name":"y","snr_db":12.5,"max_abs":2}]}`),
	}
	if _, err := f.Keep(t.Context(), numbers); err != nil {
		t.Fatal(err)
	}
	a := &store.Model{Path: "moved.onnx", Absolute: "/else/moved.onnx", Digest: graphops.Digest{Content: "ca.onnx00000000"}}
	past := &store.Model{Path: "a.onnx", Absolute: "/models/a.onnx", Digest: graphops.Digest{Content: "ffff"}}
	for _, c := range []struct {
		name      string
		q         store.Query
		results   int
		older     int
		elsewhere int
	}{
		{"here", store.Query{Here: machine(4)}, 13, 0, 12},
		{"all", store.Query{Here: machine(4), All: true}, 25, 0, 0},
		{"a machine", store.Query{Here: machine(4), Machine: "BOX8"}, 12, 0, 13},
		{"by ID", store.Query{Machine: machine(8).ID[:6]}, 12, 0, 13},
		{"by content", store.Query{Here: machine(4), Model: a}, 6, 0, 6},
		{"by path", store.Query{Here: machine(4), Model: past}, 7, 0, 6},
		{"limit", store.Query{Here: machine(4), Model: past, Limit: 3}, 3, 4, 6},
	} {
		h, err := f.History(t.Context(), c.q)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for _, k := range h.Elsewhere {
			n += k
		}
		if len(h.Results) != c.results || h.Older != c.older || n != c.elsewhere {
			t.Errorf("%s: %d results, %d older, %d elsewhere", c.name, len(h.Results), h.Older, n)
		}
		for i, e := range h.Results {
			if i > 0 && e.Time.After(h.Results[i-1].Time) {
				t.Errorf("%s: not the newest first", c.name)
			}
		}
	}
	h, err := f.History(t.Context(), store.Query{Here: machine(4), Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	if err := h.WriteWrapped(&out, 60); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"latency █▇▅▄▂▁  10.00 ms → 5.000 ms (-50.0 %)", "▁▁▁▁▁▁  3.000 ms → 3.000 ms (+0.0 %)", `b\x1b[31m.onnx`, "10 more are older: --limit 13", "box8 12"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "\x1b") {
		t.Errorf("an escape sequence comes through: %q", out.String())
	}
	if h, err = f.History(t.Context(), store.Query{Here: machine(4), Model: past}); err != nil {
		t.Fatal(err)
	}
	if e := h.Results[len(h.Results)-1]; e.Kind != store.KindValidate && h.Results[len(h.Results)-2].Kind != store.KindValidate {
		t.Errorf("the comparison is not the oldest: %+v", e)
	}
}

// TestSparkline has more results than columns.
func TestSparkline(t *testing.T) {
	f := folder(t)
	for i := range 300 {
		r := measured(t, 4, fmt.Sprintf("a 1 %d", 1+i/100))
		r.Time = noon.Add(time.Duration(i) * time.Hour)
		if _, err := f.Keep(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	h, err := f.History(t.Context(), store.Query{Here: machine(4), Limit: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, width := range []int{20, 60, 200} {
		var out strings.Builder
		if err := h.WriteWrapped(&out, width); err != nil {
			t.Fatal(err)
		}
		line := strings.Split(out.String(), "\n")[1]
		if n := len([]rune(line)); n > max(width, 60) || !strings.Contains(line, "▁▁▅▅") && !strings.Contains(line, "▁▅") || !strings.Contains(line, "█  1.000 ms → 3.000 ms") {
			t.Errorf("width %d: %d columns: %s", width, n, line)
		}
	}
}
