package machine

import (
	"bufio"
	"bytes"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Counters are one reading of a machine's counters. The difference from a later reading shows what
// disturbed the programs that ran in between. Null means that the machine does not report the
// value.
type Counters struct {
	// Seconds is the time of the reading. It is meaningful only as the difference between two
	// readings of the same machine.
	Seconds Number `json:"seconds"`
	// Processors is the number of processors on which the reading process may run. Busy and Stolen
	// are about these processors only.
	Processors *int64 `json:"processors"`
	// Busy and Stolen are processor seconds since the machine started. Busy is the work of all
	// processes. Stolen is the time during which this virtual machine had to wait because its host
	// ran something else.
	Busy   *Number `json:"busy_seconds"`
	Stolen *Number `json:"stolen_seconds"`
	// Own is the processor time that the reading process has used, in seconds.
	Own Number `json:"own_seconds"`
	// MHz is the median of the processors' present frequencies.
	MHz *Number `json:"mhz"`
	// HeatThrottles counts how often processors were slowed down because of heat since the machine
	// started.
	HeatThrottles *int64 `json:"heat_throttles"`
	Quota         *Quota `json:"quota"`
	// SwappedIn is the number of memory pages that were read back from disk since the machine
	// started.
	SwappedIn *int64 `json:"swapped_in_pages"`
	GPUs      []GPU  `json:"gpus,omitempty"`
	// Unread has one text for each device about which the driver reports nothing. The text says
	// why.
	Unread []string `json:"unread,omitempty"`
}

// Quota counts how often, and for how long, a control group has stopped its processes because they
// had used up the processor time that they may use in a period.
type Quota struct {
	Periods   int64  `json:"periods"`
	Throttled int64  `json:"throttled"` // number of these periods
	Seconds   Number `json:"throttled_seconds"`
}

// readCounters reads the counters of Linux below root, which is "/" except in tests. The caller
// sets the time and the process's own seconds.
func readCounters(root fs.FS) Counters {
	m := machine{root}
	allowed := m.allowed()
	c := Counters{
		MHz:           m.frequency(allowed),
		HeatThrottles: m.heatThrottles(allowed),
		Quota:         m.quota(),
		SwappedIn:     m.swappedIn(),
	}
	c.Processors, c.Busy, c.Stolen = m.busy(allowed)
	return c
}

// ticksPerSecond is the number of ticks, the unit of /proc/stat, in a second. It is the same on all
// Linux platforms that Go supports.
const ticksPerSecond = 100

// maxProcessors is the largest number of processors that a list in a file may name.
const maxProcessors = 4096

// allowed returns the numbers of the processors on which this process may run; nil means all.
func (m machine) allowed() []int {
	for line := range m.lines("proc/self/status") {
		if list, ok := strings.CutPrefix(line, "Cpus_allowed_list:"); ok {
			return parseList(strings.TrimSpace(list))
		}
	}
	return nil
}

// parseList returns the numbers in a list such as "0-3,8", or nil if the list is not valid.
func parseList(list string) []int {
	var out []int
	for part := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		a, errA := strconv.Atoi(from)
		b, errB := strconv.Atoi(to)
		if errA != nil || errB != nil || a < 0 || b < a || b >= maxProcessors {
			return nil
		}
		for n := a; n <= b; n++ {
			out = append(out, n)
		}
	}
	return out
}

// lines yields the lines of a file; none if the file cannot be read.
func (m machine) lines(name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		scan := bufio.NewScanner(bytes.NewReader(m.read(name)))
		scan.Buffer(nil, maxProcFile)
		for scan.Scan() && yield(scan.Text()) {
		}
	}
}

// busy returns the number of allowed processors and the sums of their busy and stolen time, in
// seconds since the machine started. All processors are allowed if allowed is nil.
func (m machine) busy(allowed []int) (processors *int64, busy, stolen *Number) {
	var sum, waited Number
	count := int64(0)
	for line := range m.lines("proc/stat") {
		f := strings.Fields(line)
		if len(f) < 5 || !strings.HasPrefix(f[0], "cpu") || f[0] == "cpu" {
			continue
		}
		n, err := strconv.Atoi(f[0][len("cpu"):])
		if err != nil || allowed != nil && !slices.Contains(allowed, n) {
			continue
		}
		ticks := make([]Number, 9) // fields that old kernels do not have are 0
		for i := range min(len(ticks), len(f)) {
			if i == 0 {
				continue
			}
			x := parse(f[i])
			if x == nil {
				return nil, nil, nil
			}
			ticks[i] = *x
		}
		const user, nice, system, irq, softirq, steal = 1, 2, 3, 6, 7, 8
		sum += ticks[user] + ticks[nice] + ticks[system] + ticks[irq] + ticks[softirq]
		waited += ticks[steal]
		count++
	}
	if count == 0 {
		return nil, nil, nil
	}
	sum /= ticksPerSecond
	waited /= ticksPerSecond
	return &count, &sum, &waited
}

// frequency returns the median frequency of the allowed processors in MHz, or nil if none reports
// it.
func (m machine) frequency(allowed []int) *Number {
	var all []Number
	for _, n := range m.numbers(allowed) {
		if kHz := m.line(processorFile(n, "cpufreq/scaling_cur_freq")); kHz != nil {
			if x := parse(*kHz); x != nil {
				all = append(all, *x/1000)
			}
		}
	}
	if len(all) == 0 {
		return nil
	}
	slices.Sort(all)
	return &all[len(all)/2]
}

// heatThrottles returns the sum of the allowed processors' counters of slowdowns because of heat,
// both those of cores and those of packages. It returns nil if no processor has such a counter.
func (m machine) heatThrottles(allowed []int) *int64 {
	var sum int64
	known := false
	for _, n := range m.numbers(allowed) {
		for _, name := range []string{"core_throttle_count", "package_throttle_count"} {
			line := m.line(processorFile(n, "thermal_throttle/"+name))
			if line == nil {
				continue
			}
			if x, err := strconv.ParseInt(*line, 10, 48); err == nil && x >= 0 {
				sum += x
				known = true
			}
		}
	}
	if !known {
		return nil
	}
	return &sum
}

// numbers returns the numbers of the allowed processors, or those of all processors if allowed is
// nil.
func (m machine) numbers(allowed []int) []int {
	if allowed != nil {
		return allowed
	}
	if present := m.line("sys/devices/system/cpu/present"); present != nil {
		return parseList(*present)
	}
	return nil
}

func processorFile(n int, name string) string {
	return "sys/devices/system/cpu/cpu" + strconv.Itoa(n) + "/" + name
}

// quota returns the counts of the control group (cgroup v2, or else v1) that limits this process.
// In a container this may be the group that the container sees as the root. It returns nil if none
// reports counts.
func (m machine) quota() *Quota {
	for _, folder := range m.groups("cpu") {
		q, known := Quota{}, false
		for line := range m.lines(path.Join(folder, "cpu.stat")) {
			key, value, _ := strings.Cut(line, " ")
			x, err := strconv.ParseInt(value, 10, 63)
			if err != nil || x < 0 {
				continue
			}
			switch key {
			case "nr_periods":
				q.Periods, known = x, true
			case "nr_throttled":
				q.Throttled = x
			case "throttled_usec":
				q.Seconds = Number(x) / 1e6
			case "throttled_time":
				q.Seconds = Number(x) / 1e9
			}
		}
		if known {
			return &q
		}
	}
	return nil
}

// groups returns the folders, below the root, in which the files of the process's control group may
// be, the most specific first.
func (m machine) groups(controller string) []string {
	var out []string
	for line := range m.lines("proc/self/cgroup") {
		f := strings.SplitN(line, ":", 3)
		if len(f) < 3 {
			continue
		}
		group := path.Clean("/" + f[2]) // cannot lead outside of the root
		switch {
		case f[0] == "0" && f[1] == "":
			out = append(out, path.Join("sys/fs/cgroup", group), path.Join("sys/fs/cgroup/unified", group))
		case slices.Contains(strings.Split(f[1], ","), controller):
			out = append(out, path.Join("sys/fs/cgroup", controller, group), path.Join("sys/fs/cgroup", f[1], group))
		}
	}
	return append(out, "sys/fs/cgroup", path.Join("sys/fs/cgroup", controller))
}

func (m machine) swappedIn() *int64 {
	for line := range m.lines("proc/vmstat") {
		if count, ok := strings.CutPrefix(line, "pswpin "); ok {
			if n, err := strconv.ParseInt(strings.TrimSpace(count), 10, 62); err == nil && n >= 0 {
				return &n
			}
		}
	}
	return nil
}
