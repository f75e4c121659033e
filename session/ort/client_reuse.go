package ort

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// SetLimit sets how long one request may take, 0 for as long as it takes. It is for a client that
// nobody else uses yet.
func (c *Client) SetLimit(limit time.Duration) { c.limit = limit }

// IsSound reports whether every request so far was answered as it was meant. A runtime that broke
// off in the midst of one may have left anything behind.
func (c *Client) IsSound() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.faulted
}

// OwnMemory is what a worker of this machine has in memory that is no file's, in bytes. Not every
// system tells it.
func (c *Client) OwnMemory() (held int64, known bool) {
	pages, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", c.proc.cmd.Process.Pid))
	fields := bytes.Fields(pages) // in pages: all, resident, of that shared, …
	if err != nil || len(fields) < 3 || c.launcher != nil {
		return 0, false
	}
	resident, errResident := strconv.ParseInt(string(fields[1]), 10, 64)
	shared, errShared := strconv.ParseInt(string(fields[2]), 10, 64)
	return (resident - shared) * int64(os.Getpagesize()), errResident == nil && errShared == nil
}

// PeakMemory is about the most that OwnMemory has been: what of files is in memory is taken
// to have been there at the time.
func (c *Client) PeakMemory() (most int64, known bool) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.proc.cmd.Process.Pid))
	if err != nil || c.launcher != nil {
		return 0, false
	}
	found := map[string]int64{}
	for line := range strings.Lines(string(status)) {
		name, rest, _ := strings.Cut(line, ":")
		if n, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64); err == nil {
			found[name] = n << 10
		}
	}
	most, known = found["VmHWM"]
	return most - found["RssFile"] - found["RssShmem"], known
}
