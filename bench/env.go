package bench

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"runtime"
	"strconv"
	"strings"
)

// Environment is the machine that a measurement was made on. Null stands for
// what the machine does not tell.
type Environment struct {
	CPU      *string `json:"cpu"`   // the processor's name
	Cores    *int64  `json:"cores"` // logical ones, those of the whole machine
	Governor *string `json:"governor"`
	// CPULimit is how many processors' worth of time the control group allows.
	CPULimit *Number `json:"cpu_limit"`
	Load     *Number `json:"load"` // average of the last minute, before the measurement
	Memory   *int64  `json:"memory_bytes"`
	Kernel   *string `json:"kernel"`
	OS       string  `json:"os"`
	Arch     string  `json:"arch"`
	Go       string  `json:"go"`
}

// maxProcFile bounds what is read of a file that describes the machine.
const maxProcFile = 1 << 20

// ReadEnvironment reads what Linux tells about the machine below root, which is
// "/" unless a test recorded it. What cannot be read stays null.
func ReadEnvironment(root fs.FS) Environment {
	m := machine{root}
	e := Environment{OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version()}
	e.CPU, e.Cores = m.cpu()
	e.Governor = m.line("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
	e.Kernel = m.line("proc/sys/kernel/osrelease")
	e.Load = m.load()
	e.Memory = m.memory()
	e.CPULimit = m.limit()
	return e
}

// machine reads files below the root folder.
type machine struct{ root fs.FS }

func (m machine) read(name string) []byte {
	f, err := m.root.Open(name)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }() // it was only read
	data, err := io.ReadAll(io.LimitReader(f, maxProcFile))
	if err != nil {
		return nil
	}
	return data
}

// line is the first line of a file, nil if there is none.
func (m machine) line(name string) *string {
	first, _, _ := strings.Cut(string(m.read(name)), "\n")
	if first = strings.TrimSpace(first); first == "" {
		return nil
	}
	return &first
}

// fields splits the first line of a file.
func (m machine) fields(name string) []string {
	if l := m.line(name); l != nil {
		return strings.Fields(*l)
	}
	return nil
}

// cpu finds the first processor's name and counts processors. ARM gives no name.
func (m machine) cpu() (name *string, cores *int64) {
	count := int64(0)
	lines := bufio.NewScanner(bytes.NewReader(m.read("proc/cpuinfo")))
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), ":")
		switch key, value = strings.TrimSpace(key), strings.TrimSpace(value); {
		case key == "processor":
			count++
		case key == "model name" && name == nil && value != "":
			name = &value
		}
	}
	if count == 0 {
		return name, nil
	}
	return name, &count
}

func (m machine) load() *Number {
	f := m.fields("proc/loadavg")
	if len(f) == 0 {
		return nil
	}
	return parse(f[0])
}

// parse reads a finite number that is not negative.
func parse(s string) *Number {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f < 0 || f-f != 0 {
		return nil
	}
	n := Number(f)
	return &n
}

func (m machine) memory() *int64 {
	lines := bufio.NewScanner(bytes.NewReader(m.read("proc/meminfo")))
	for lines.Scan() {
		f := strings.Fields(lines.Text())
		if len(f) < 2 || f[0] != "MemTotal:" {
			continue
		}
		kib, err := strconv.ParseInt(f[1], 10, 53)
		if err != nil || kib < 0 {
			return nil
		}
		size := kib << 10
		return &size
	}
	return nil
}

// limit is the quota of the control group divided by its period: that of
// version 2, else of version 1. It sees the limit of a container.
func (m machine) limit() *Number {
	f := m.fields("sys/fs/cgroup/cpu.max")
	if len(f) < 2 {
		f = append(m.fields("sys/fs/cgroup/cpu/cpu.cfs_quota_us"), m.fields("sys/fs/cgroup/cpu/cpu.cfs_period_us")...)
	}
	if len(f) < 2 {
		return nil
	}
	quota, period := parse(f[0]), parse(f[1])
	if quota == nil || period == nil || *period == 0 {
		return nil
	}
	share := *quota / *period
	return &share
}

// AddEnvironment puts the machine into the report, with warnings about it.
func (r *Report) AddEnvironment(e Environment) {
	r.Environment = e
	add := func(k Kind, format string, args ...any) {
		r.Warnings = append(r.Warnings, Warning{k, fmt.Sprintf(format, args...)})
	}
	if e.Load != nil && e.Cores != nil && float64(*e.Load) > busyShare*float64(*e.Cores) {
		add(BusyBefore, "other work before the measurement: load %.2f on %d processors", float64(*e.Load), *e.Cores)
	}
	if e.Governor != nil && *e.Governor == "powersave" {
		add(Governor, "the processor's governor is %q: it may run below its speed", *e.Governor)
	}
	if e.CPULimit != nil && e.Cores != nil && float64(*e.CPULimit) < float64(*e.Cores) {
		add(CPULimit, "a control group allows %.2f of %d processors", float64(*e.CPULimit), *e.Cores)
	}
}

// busyShare of the processors in use by others is worth a warning.
const busyShare = 0.25
