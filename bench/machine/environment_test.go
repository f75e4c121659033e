package machine

import (
	"runtime"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func ref[T any](v T) *T { return &v }

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

func TestReadEnvironment(t *testing.T) {
	here := Environment{OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version()}
	with := func(change func(e *Environment)) Environment {
		e := here
		change(&e)
		return e
	}
	tests := []struct {
		name string
		root fstest.MapFS
		want Environment
	}{
		{"nothing to read", fstest.MapFS{}, here},
		{
			"a workstation", fstest.MapFS{
				"proc/cpuinfo":              file("processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) W-2295 CPU @ 3.00GHz\n\nprocessor\t: 1\nmodel name\t: another\n"),
				"proc/loadavg":              file("0.52 0.58 0.59 1/1191 30211\n"),
				"proc/meminfo":              file("MemTotal:       65536000 kB\nMemFree:        1 kB\n"),
				"proc/sys/kernel/osrelease": file("6.12.1-amd64\n"),
				"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": file("powersave\n"),
				"sys/fs/cgroup/cpu.max":                                file("max 100000\n"),
			}, with(func(e *Environment) {
				e.CPU, e.Cores = ref("Intel(R) Xeon(R) W-2295 CPU @ 3.00GHz"), ref(int64(2))
				e.Load, e.Memory = ref(Number(0.52)), ref(int64(65536000<<10))
				e.Kernel, e.Governor = ref("6.12.1-amd64"), ref("powersave")
			}),
		},
		{"ARM without a name", fstest.MapFS{"proc/cpuinfo": file("processor\t: 0\nBogoMIPS\t: 50.00\nCPU part\t: 0xd0c\n")}, with(func(e *Environment) { e.Cores = ref(int64(1)) })},
		{"a container", fstest.MapFS{"sys/fs/cgroup/cpu.max": file("150000 100000\n")}, with(func(e *Environment) { e.CPULimit = ref(Number(1.5)) })},
		{
			"an old container", fstest.MapFS{
				"sys/fs/cgroup/cpu/cpu.cfs_quota_us":  file("50000\n"),
				"sys/fs/cgroup/cpu/cpu.cfs_period_us": file("100000\n"),
			}, with(func(e *Environment) { e.CPULimit = ref(Number(0.5)) }),
		},
		{
			"an old container without a limit", fstest.MapFS{
				"sys/fs/cgroup/cpu/cpu.cfs_quota_us":  file("-1\n"),
				"sys/fs/cgroup/cpu/cpu.cfs_period_us": file("100000\n"),
			}, here,
		},
		{
			"nonsense", fstest.MapFS{
				"proc/cpuinfo":          file("\x00\xff:::\nmodel name\n"),
				"proc/loadavg":          file("NaN\n"),
				"proc/meminfo":          file("MemTotal: 99999999999999999999 kB\n"),
				"sys/fs/cgroup/cpu.max": file("100000 0\n"),
			}, here,
		},
	}
	for _, c := range tests {
		if diff := cmp.Diff(c.want, ReadEnvironment(c.root)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func FuzzReadEnvironment(f *testing.F) {
	f.Add("processor\t: 0\nmodel name\t: x\n", "1.0 2.0", "MemTotal: 1 kB", "1 2")
	f.Fuzz(func(t *testing.T, cpu, load, memory, limit string) {
		e := ReadEnvironment(fstest.MapFS{
			"proc/cpuinfo": file(cpu), "proc/loadavg": file(load), "proc/meminfo": file(memory), "sys/fs/cgroup/cpu.max": file(limit),
		})
		for _, n := range []*Number{e.Load, e.CPULimit} {
			if n != nil && !(*n >= 0) {
				t.Errorf("%v from %q and %q", *n, load, limit)
			}
		}
		if e.Memory != nil && *e.Memory < 0 || e.Cores != nil && *e.Cores < 1 {
			t.Errorf("%+v", e)
		}
	})
}
