package look

import (
	"context"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/session"
)

// TestInspectContext says what a cache takes at a length, and refuses a length without a cache.
func TestInspectContext(t *testing.T) {
	for _, c := range []struct {
		model string
		step  Inspect
		bytes int64
		want  string
	}{
		{"decoders/joined", Inspect{Context: 100}, 51_200, ""},
		{"decoders/joined", Inspect{Context: 100, Batch: 3}, 153_600, ""},
		{"decoders/grouped", Inspect{Batch: 2}, 2 * 512 * 64, ""}, // the length of the table of angles
		{"decoders/encoded", Inspect{Batch: 2}, 0, "add --context N"},
		{"digits", Inspect{Context: 100}, 0, "no cache was found"},
		{"digits", Inspect{Batch: 2}, 0, "no cache was found"},
	} {
		m, err := graphops.Open("../../../testdata/"+c.model+".onnx", graphops.OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.step.Run(context.Background(), session.Env{}, m)
		if c.want != "" {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: %v", c.model, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if at := out.Report.(*InspectReport).Summary.Cache.At; at.Bytes == nil || *at.Bytes != c.bytes {
			t.Errorf("%s: got %s", c.model, at)
		}
	}
}
