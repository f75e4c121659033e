package machine

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"runtime"
	"strconv"
	"strings"

	"lathe/graphops/tensor"
	"lathe/session/text"
)

// Number is a float64 that JSON can hold.
type Number = tensor.Number

// Environment describes the machine of a measurement. Null means that the machine does not report
// the value.
type Environment struct {
	Host     *string `json:"host"`  // host name
	CPU      *string `json:"cpu"`   // the processor's name
	Cores    *int64  `json:"cores"` // logical processors of the whole machine
	Governor *string `json:"governor"`
	// CPULimit is how many processors' worth of time the control group of the process allows, such
	// as that of a container.
	CPULimit *Number `json:"cpu_limit"`
	Load     *Number `json:"load"` // average of the last minute, before the measurement
	Memory   *int64  `json:"memory_bytes"`
	Kernel   *string `json:"kernel"`
	OS       string  `json:"os"`
	Arch     string  `json:"arch"`
	Go       string  `json:"go"`
	// GPUs are the devices used in the measurement, as they were at its end.
	GPUs []GPU `json:"gpus,omitempty"`
}

// State is the description of a machine together with one reading of its counters.
type State struct {
	Environment Environment `json:"environment"`
	Counters    Counters    `json:"counters"`
}

// ReadEnvironment reads what Linux reports about the machine below root, which is "/" except in
// tests. What cannot be read stays null.
func ReadEnvironment(root fs.FS) Environment {
	m := machine{root}
	e := Environment{OS: runtime.GOOS, Arch: runtime.GOARCH, Go: runtime.Version()}
	e.Host = m.line("proc/sys/kernel/hostname")
	e.CPU, e.Cores = m.cpu()
	e.Governor = m.line("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
	e.Kernel = m.line("proc/sys/kernel/osrelease")
	e.Load = m.load()
	e.Memory = m.memory()
	e.CPULimit = m.limit()
	return e
}

// cpu returns the name of the first processor and the number of processors from /proc/cpuinfo. ARM
// processors have no name there.
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

// Memory returns how many bytes of memory the machine below root has, or nil if that is unknown.
func Memory(root fs.FS) *int64 { return machine{root}.memory() }

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

// limit returns how many processors' worth of time the control group (cgroup v2, or else v1)
// allows, which is its quota divided by its period. The limit of a container is such a quota. It
// returns nil if there is no limit.
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

// String describes the machine on one line, without unknown values.
func (e Environment) String() string {
	s := e.OS + "/" + e.Arch
	if e.CPU != nil {
		s = text.Clean(*e.CPU) + ", " + s
	}
	if e.Cores != nil {
		s += fmt.Sprintf(", %s", text.Plural(int(*e.Cores), "processor"))
	}
	if e.Governor != nil {
		s += ", governor " + text.Clean(*e.Governor)
	}
	if e.Load != nil {
		s += fmt.Sprintf(", load %.2f", float64(*e.Load))
	}
	return s
}
