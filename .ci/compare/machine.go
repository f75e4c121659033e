package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// machine describes where and when is measured, in one sentence.
func machine() string {
	kernel := "unknown"
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		kernel = unix.ByteSliceToString(name.Release[:])
	}
	load, _, _ := strings.Cut(firstLine("/proc/loadavg"), " ")
	return fmt.Sprintf("%s, on %d cores of %s with %s GB of memory, Linux %s, load %s before the first run",
		time.Now().Format(time.DateOnly), runtime.NumCPU(), field("/proc/cpuinfo", "model name"), memoryOf(field("/proc/meminfo", "MemTotal")), kernel, load)
}

// memoryOf turns "24000000 kB" into gigabytes.
func memoryOf(text string) string {
	number, _, _ := strings.Cut(text, " ")
	kilobytes, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return "?"
	}
	return fmt.Sprintf("%.0f", kilobytes*1024/1e9)
}

// field returns the first value of a name in a file of lines "name : value", or "?".
func field(path, name string) string {
	f, err := os.Open(path)
	if err != nil {
		return "?"
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == name {
			return strings.TrimSpace(value)
		}
	}
	return "?"
}

func firstLine(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return "?"
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return line
}

// versionsOf names Lathe, Python and the packages of .ci/compare.txt.
func (b *bench) versionsOf(ctx context.Context) string {
	var out []string
	for _, line := range [][]string{{b.lathe, "version"}, {b.python, "--version"}} {
		text, err := exec.CommandContext(ctx, line[0], line[1:]...).Output()
		if err == nil {
			out = append(out, strings.TrimSpace(string(text)))
		}
	}
	text, err := os.ReadFile(".ci/compare.txt")
	if err != nil {
		return strings.Join(out, "; ")
	}
	var packages []string
	for line := range strings.Lines(string(text)) {
		if name, version, ok := strings.Cut(strings.TrimSpace(line), "=="); ok {
			packages = append(packages, name+" "+version)
		}
	}
	return strings.Join(append(out, strings.Join(packages, ", ")), "; ")
}
