//go:build cgo && linux

package worker_test

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// processFields are those of /proc/PID/stat after the program's name, beginning
// with the state; nil where there is no such process.
func processFields(pid int64) [][]byte {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return nil
	}
	return bytes.Fields(content[bytes.LastIndexByte(content, ')')+1:])
}

// processorTime is what a process has used in user mode.
func processorTime(t *testing.T, pid int64) time.Duration {
	t.Helper()
	fields := processFields(pid)
	if len(fields) < 12 {
		t.Fatalf("process %d is not there", pid)
	}
	ticks, err := strconv.Atoi(string(fields[11])) // utime, field 14 of all
	if err != nil {
		t.Fatal(err)
	}
	return time.Duration(ticks) * 10 * time.Millisecond // USER_HZ is 100 everywhere
}

// alive reports whether a process runs; one that waits to be reaped does not.
func alive(pid int64) bool {
	fields := processFields(pid)
	return len(fields) > 0 && string(fields[0]) != "Z"
}
