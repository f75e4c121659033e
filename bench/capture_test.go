package bench

import "testing"

func TestGraphCaptureText(t *testing.T) {
	for want, g := range map[string]GraphCapture{
		"every timed run replays a graph that was captured in the first run; the result of a replay is that of a run without capture":             {},
		"every timed run replays a graph that was captured after 2 runs; the result of a replay is within 0.001 of that of a run without capture": {RunsBefore: 2, MaxAbs: 0.001},
	} {
		if got := g.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
