package session_test

import (
	"testing"
	"time"

	"lathe/session"
)

func TestDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"30s": 30 * time.Second, "2m": 2 * time.Minute, "5": 5 * time.Second, "0.25": 250 * time.Millisecond,
		"": 0, "0": 0, "-1s": 0, "soon": 0, "NaN": 0, "Inf": 0, "1e300": 0,
	} {
		var got time.Duration
		o := session.Duration(&got, "timeout", "")
		if err := o.Set(text); (err == nil) != (want > 0) || got != want {
			t.Errorf("%q: %v, %v; want %v", text, got, err, want)
		}
		if want == 0 {
			continue
		}
		var again time.Duration
		if err := session.Duration(&again, "timeout", "").Set(o.Values()[0]); err != nil || again != got {
			t.Errorf("%q is written as %q, which reads as %v, %v", text, o.Values()[0], again, err)
		}
	}
}

func TestSize(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "500M": 500 << 20, "1.5GiB": 3 << 29, "2GB": 2e9, "2 gb": 2e9, "2e9": 2e9, "10k": 10 << 10,
		"": 0, "0": 0, "-1": 0, "G": 0, "1X": 0, "1e30": 0, "NaN": 0, "0.5": 0,
	} {
		var got int64
		o := session.Size(&got, "memory-limit", "")
		if err := o.Set(text); (err == nil) != (want > 0) || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
}
