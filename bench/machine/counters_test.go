package machine

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// processors is /proc/stat of some processors, each as given.
func processors(each ...string) *fstest.MapFile {
	text := "cpu  1 1 1 1 1 1 1 1 0 0\n"
	for i, ticks := range each {
		text += "cpu" + string(rune('0'+i)) + " " + ticks + "\n"
	}
	return file(text + "intr 5 0 0\nctxt 99\n")
}

func TestReadCounters(t *testing.T) {
	cpufreq := "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"
	heat := "sys/devices/system/cpu/cpu0/thermal_throttle/"
	for _, c := range []struct {
		name string
		root fstest.MapFS
		want Counters
	}{
		{"nothing to read", fstest.MapFS{}, Counters{}},
		{
			"a workstation", fstest.MapFS{
				"proc/stat":                      processors("100 20 30 1000 7 4 6 0 0 0", "200 0 0 900 0 0 0 0 0 0"),
				"sys/devices/system/cpu/present": file("0-1\n"),
				cpufreq:                          file("3400000\n"),
				strings.Replace(cpufreq, "cpu0", "cpu1", 1): file("1200000\n"),
				heat + "core_throttle_count":                file("3\n"),
				heat + "package_throttle_count":             file("4\n"),
				"proc/vmstat":                               file("pgpgin 5\npswpin 12\npswpout 9\n"),
			}, Counters{
				Processors: ref(int64(2)), Busy: ref(Number(3.6)), Stolen: ref(Number(0)),
				MHz: ref(Number(3400)), HeatThrottles: ref(int64(7)), SwappedIn: ref(int64(12)),
			},
		},
		{
			"a virtual machine",
			fstest.MapFS{"proc/stat": processors("100 0 0 500 0 0 0 250 0 0")},
			Counters{Processors: ref(int64(1)), Busy: ref(Number(1)), Stolen: ref(Number(2.5))},
		},
		{
			"a part of the processors", fstest.MapFS{
				"proc/self/status": file("Name:\tlathe\nCpus_allowed:\t5\nCpus_allowed_list:\t0,2\n"),
				"proc/stat":        processors("100 0 0 0 0 0 0 0 0 0", "900 0 0 0 0 0 0 0 0 0", "300 0 0 0 0 0 0 0 0 0"),
			}, Counters{Processors: ref(int64(2)), Busy: ref(Number(4)), Stolen: ref(Number(0))},
		},
		{
			"an early kernel",
			fstest.MapFS{"proc/stat": processors("100 0 0 500")},
			Counters{Processors: ref(int64(1)), Busy: ref(Number(1)), Stolen: ref(Number(0))},
		},
		{
			"a container of version 2", fstest.MapFS{
				"proc/self/cgroup":             file("0::/box/a\n"),
				"sys/fs/cgroup/box/a/cpu.stat": file("usage_usec 5\nnr_periods 10\nnr_throttled 4\nthrottled_usec 250000\n"),
				"sys/fs/cgroup/cpu.stat":       file("nr_periods 1\nnr_throttled 1\nthrottled_usec 1\n"),
			}, Counters{Quota: &Quota{10, 4, 0.25}},
		},
		{
			"a container that sees itself as the root", fstest.MapFS{
				"proc/self/cgroup":       file("0::/kubepods/x\n"),
				"sys/fs/cgroup/cpu.stat": file("nr_periods 2\nnr_throttled 1\nthrottled_usec 1000000\n"),
			}, Counters{Quota: &Quota{2, 1, 1}},
		},
		{
			"a container of version 1", fstest.MapFS{
				"proc/self/cgroup":                    file("9:name=systemd:/\n1:cpu,cpuacct:/docker/x\n0::/\n"),
				"sys/fs/cgroup/cpu/docker/x/cpu.stat": file("nr_periods 8\nnr_throttled 2\nthrottled_time 1500000000\n"),
			}, Counters{Quota: &Quota{8, 2, 1.5}},
		},
		{"a group without a quota", fstest.MapFS{"sys/fs/cgroup/cpu.stat": file("usage_usec 5\nuser_usec 3\n")}, Counters{}},
		{
			"nonsense", fstest.MapFS{
				"proc/stat":                      file("cpu0 1 x 3 4 5\ncpuX 1 2 3 4\ncpu1\n\x00\xff\n"),
				"proc/self/status":               file("Cpus_allowed_list:\t0-99999999\n"),
				"proc/self/cgroup":               file("0::/../../../etc\n:::\n"),
				"etc/cpu.stat":                   file("nr_periods 2\n"),
				"proc/vmstat":                    file("pswpin 99999999999999999999\n"),
				"sys/devices/system/cpu/present": file("3-1\n"),
				cpufreq:                          file("NaN\n"),
				heat + "core_throttle_count":     file("-4\n"),
			}, Counters{},
		},
	} {
		if diff := cmp.Diff(c.want, readCounters(c.root)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

// looksOf are two looks ten seconds apart, of which change changes the second.
func looksOf(change func(*Look)) []Look {
	first := Look{Counters: Counters{
		Seconds: 100, Processors: ref(int64(4)), Busy: ref(Number(50)), Stolen: ref(Number(1)), MHz: ref(Number(3000)),
		HeatThrottles: ref(int64(5)), Quota: &Quota{10, 2, 1}, SwappedIn: ref(int64(7)),
		GPUs: []GPU{{Name: "H100", UUID: "GPU-1", SM: ref(Number(1900)), Used: ref(int64(4 << 30)), Own: ref(int64(3 << 30))}},
	}, Ours: 20}
	last := first
	last.Seconds, last.Busy, last.Ours = 110, ref(Number(70)), 40 // which is all ours
	last.Quota = &Quota{20, 2, 1}
	last.GPUs = []GPU{first.GPUs[0]}
	if change != nil {
		change(&last)
	}
	return []Look{first, last}
}

func TestDisturbances(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(l *Look)
		want   string
	}{
		{"none", nil, ""},
		{"other work", func(l *Look) { l.Busy = ref(Number(75)) }, "other_work: other work took 0.5 of 4 processors"},
		{"little other work", func(l *Look) { l.Busy = ref(Number(71.9)) }, ""},
		{"ours is more than all", func(l *Look) { l.Ours = 90 }, ""},
		{"stolen", func(l *Look) { l.Stolen = ref(Number(3)) }, "stolen: the host ran other machines for 5.0 % of the time"},
		{"a little stolen", func(l *Look) { l.Stolen = ref(Number(1.39)) }, ""},
		{"slower", func(l *Look) { l.MHz = ref(Number(2000)) }, "frequency: the processors' frequency was between 2000 and 3000 MHz"},
		{"faster", func(l *Look) { l.MHz = ref(Number(4000)) }, "frequency: the processors' frequency was between 3000 and 4000 MHz"},
		{"nearly as fast", func(l *Look) { l.MHz = ref(Number(2900)) }, ""},
		{"hot", func(l *Look) { l.HeatThrottles = ref(int64(8)) }, "heat: processors were slowed down by heat 3 times"},
		{"throttled", func(l *Look) { l.Quota = &Quota{20, 6, 3} }, "throttled: a control group held processes back for 2000 ms of 10.0 s, in 4 of 10 periods"},
		{"hardly throttled", func(l *Look) { l.Quota = &Quota{20, 3, 1.05} }, ""},
		{"swapped", func(l *Look) { l.SwappedIn = ref(int64(9)) }, "swapped: 2 pages of memory were read back from disk"},
		{"backwards", func(l *Look) {
			l.Busy, l.Stolen, l.HeatThrottles, l.SwappedIn, l.Quota = ref(Number(1)), ref(Number(0)), ref(int64(1)), ref(int64(1)), &Quota{1, 1, 0}
		}, ""},
		{"unknown", func(l *Look) {
			l.Busy, l.Stolen, l.HeatThrottles, l.SwappedIn, l.Quota, l.MHz, l.Processors, l.GPUs = nil, nil, nil, nil, nil, nil, nil, nil
		}, ""},
		{"no time", func(l *Look) { l.Seconds, l.Busy = 100, ref(Number(900)) }, ""},
		{"a device is slowed down", func(l *Look) { l.GPUs[0].Slowed = []string{"heat (reported by the driver)", "power limit"} }, "device_slowed: H100 was slowed down: heat (reported by the driver), power limit"},
		{"a device's clock", func(l *Look) { l.GPUs[0].SM = ref(Number(1200)) }, "device_clock: the clock of H100 was between 1200 and 1900 MHz"},
		{"a device is shared", func(l *Look) { l.GPUs[0].Used = ref(int64(6 << 30)) }, "device_sharing: other processes took 2048 MiB of the memory of H100"},
		{"a device fills with ours", func(l *Look) { l.GPUs[0].Used, l.GPUs[0].Own = ref(int64(6<<30)), ref(int64(5<<30)) }, ""},
		{"another device", func(l *Look) { l.GPUs[0].UUID, l.GPUs[0].SM = "GPU-2", ref(Number(900)) }, ""},
	} {
		var got []string
		for _, d := range Disturbances(looksOf(c.change)) {
			got = append(got, d.Kind+": "+d.Text)
		}
		if strings.Join(got, "\n") != c.want {
			t.Errorf("%s: %q, expected %q", c.name, got, c.want)
		}
	}
	if got := Disturbances(looksOf(nil)[:1]); got != nil {
		t.Errorf("of one look: %v", got)
	}
}

func TestShare(t *testing.T) {
	l := looksOf(nil)[0]
	l.Share([]GPU{{UUID: "GPU-1", Own: ref(int64(1 << 30))}, {UUID: "GPU-2", Own: ref(int64(5))}})
	if len(l.GPUs) != 2 || *l.GPUs[0].Own != 4<<30 || *l.GPUs[1].Own != 5 {
		t.Errorf("%+v", l.GPUs)
	}
}

func TestDeviceInWords(t *testing.T) {
	g := looksOf(nil)[0].GPUs[0]
	if got := g.String(); got != "H100" {
		t.Errorf("%q", got)
	}
	g.Driver, g.MaxSM, g.Watts, g.MaxWatts, g.Celsius = "580.1", ref(Number(1980)), ref(Number(350.4)), ref(Number(700)), ref(Number(61))
	g.Total, g.Shared = ref(int64(80<<30)), true
	if got, want := g.String(), "H100, driver 580.1, 1900 of 1980 MHz, 350 of 700 W, 61 °C, 4.0 GiB of 80.0 GiB in use, cut into several (MIG)"; got != want {
		t.Errorf("%q, expected %q", got, want)
	}
}

func TestHere(t *testing.T) {
	a := Here()
	for x := 0; Here().Counters.Own <= a.Counters.Own; x++ {
	}
	b := Here()
	if !(b.Counters.Seconds > a.Counters.Seconds) || b.Environment.OS != a.Environment.OS {
		t.Errorf("%+v, then %+v", a, b)
	}
}

func FuzzReadCounters(f *testing.F) {
	f.Add("cpu0 1 2 3 4 5 6 7 8 9 10\n", "Cpus_allowed_list:\t0-3,5\n", "0::/a\n4:cpu:/b\n", "nr_periods 1\nthrottled_usec 5\n", "pswpin 4\n", "3400000\n")
	f.Fuzz(func(t *testing.T, stat, status, groups, quota, vmstat, frequency string) {
		root := fstest.MapFS{
			"proc/stat": file(stat), "proc/self/status": file(status), "proc/self/cgroup": file(groups),
			"sys/fs/cgroup/cpu.stat": file(quota), "proc/vmstat": file(vmstat), "sys/devices/system/cpu/present": file("0\n"),
			"sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq": file(frequency),
		}
		c := readCounters(maps.Clone(root))
		for _, n := range []*Number{c.Busy, c.Stolen, c.MHz} {
			if n != nil && !(*n >= 0) {
				t.Errorf("%v", *n)
			}
		}
		if c.Processors != nil && *c.Processors < 1 || c.SwappedIn != nil && *c.SwappedIn < 0 || c.Quota != nil && c.Quota.Periods < 0 {
			t.Errorf("%+v", c)
		}
		Disturbances([]Look{{Counters: Counters{}}, {Counters: c, Ours: 1}})
	})
}
