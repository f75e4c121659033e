package store

import (
	"encoding/json"
	"strings"
	"testing"

	"lathe/bench"
)

// TestFiguresThatCannotBe: numbers that no measurement gives are refused, so that nobody who
// draws them meets one.
func TestFiguresThatCannotBe(t *testing.T) {
	for name, spoil := range map[string]func(*bench.Run){
		"":                  func(*bench.Run) {},
		"a median of none":  func(r *bench.Run) { r.P50 = 0 },
		"a warm-up before":  func(r *bench.Run) { r.Phases.WarmUp = -1 },
		"a rate below none": func(r *bench.Run) { r.Rate = -5 },
		"endless outputs":   func(r *bench.Run) { r.Phases.Device = &bench.DevicePhases{ToHost: 1e300} },
		"a device before":   func(r *bench.Run) { r.Phases.Device = &bench.DevicePhases{Enqueue: -1} },
		"a queue before":    func(r *bench.Run) { r.Queue = &bench.Queue{WaitMS: -1} },
		"counts below none": func(r *bench.Run) { r.Histogram.Counts = []int{-1} },
		"less than nothing": func(r *bench.Run) { n := int64(-1); r.PeakRSS = &n },
	} {
		run := bench.Run{Name: "m", P50: 1}
		spoil(&run)
		content, err := json.Marshal(map[string]any{"schema": "lathe.bench/1", "runs": []bench.Run{run}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := Decode(content)
		if err == nil {
			_, err = r.Bench()
		}
		if (err == nil) != (name == "") || err != nil && !strings.Contains(err.Error(), `run "m"`) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
