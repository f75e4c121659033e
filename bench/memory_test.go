package bench

import (
	"strings"
	"testing"
)

func looksAt(resident ...int64) []MemoryUse {
	var out []MemoryUse
	for _, n := range resident {
		out = append(out, MemoryUse{Resident: ref(n << 10)})
	}
	return out
}

func TestGrows(t *testing.T) {
	steps := func(n int, by int64) []int64 {
		out := make([]int64, n)
		for i := range out {
			out[i] = 1000 + int64(i)*by
		}
		return out
	}
	for _, c := range []struct {
		name  string
		looks []MemoryUse
		want  Number
	}{
		{"none", nil, 0},
		{"at rest", looksAt(steps(12, 0)...), 0},
		{"grows", looksAt(steps(12, 100)...), 1024}, // 100 KiB in 100 runs
		{"grows by crumbs", looksAt(steps(12, 63)...), 0},
		{"rests once", looksAt(append(steps(6, 100), 1500, 1600, 1700)...), 0},
		{"begins to rest", looksAt(append(steps(11, 100), 2000)...), 0},
		{"too few looks", looksAt(steps(GrowthLooks, 100)...), 0},
		{"just enough looks", looksAt(steps(GrowthLooks+1, 100)...), 1024},
		{"not told", make([]MemoryUse, 12), 0},
	} {
		if got := Grows(c.looks, 100); got != c.want {
			t.Errorf("%s: %v bytes a run, expected %v", c.name, got, c.want)
		}
	}
}

func TestAddMemory(t *testing.T) {
	r := Report{Runs: []Run{{Verdict: "steady"}, {Verdict: "steady"}}}
	use := MemoryUse{Resident: ref(int64(60 << 20)), Peak: ref(int64(70 << 20)), Arena: ref(int64(1 << 20)), Device: ref(int64(2 << 30)), DevicePeak: ref(int64(1 << 30)), Driver: ref(int64(3 << 30))}
	r.AddMemory(0, &Memory{Steady: use})
	if got, want := (&Memory{Steady: MemoryUse{Resident: ref(int64(1 << 20))}, Silent: "webgpu"}).String(), "memory: 1.0 MiB resident, webgpu does not report the device's memory"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
	r.AddMemory(1, &Memory{Steady: MemoryUse{}, Growth: 4096})
	if *r.Runs[0].PeakRSS != 70<<20 || *r.Runs[0].DeviceBytes != 2<<30 || r.Runs[0].Verdict != "steady" {
		t.Errorf("%+v", r.Runs[0])
	}
	if w := r.Runs[1].Warnings; len(w) != 1 || w[0].Kind != Growing || r.Runs[1].PeakRSS != nil || !strings.Contains(r.Runs[1].Verdict, "4096 bytes") {
		t.Errorf("%+v", r.Runs[1])
	}
	if got, want := r.Runs[0].Memory.String(), "memory: 60.0 MiB resident, 70.0 MiB at most, 1.0 MiB reserved by ONNX Runtime for values, 2.0 GiB on the device, 1.0 GiB of it in use at most, 3.0 GiB of the process there by the driver's count"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
	if got := r.Runs[1].Memory.String(); got != "memory: not reported by the system" {
		t.Errorf("%q", got)
	}
}
