package ort

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"time"
)

// SetLimit sets how long one request may take; 0 means no limit. Call it only while nobody else
// uses the client.
func (c *Client) SetLimit(limit time.Duration) { c.limit = limit }

// IsSound reports whether all requests so far have ended without an error. After an error the
// runtime may be in an undefined state, so callers do not reuse such a worker.
func (c *Client) IsSound() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return !c.faulted
}

// OwnMemory returns how many bytes of private memory a worker on this machine uses: its resident
// memory without pages that belong to files. known is false if the system does not report this.
func (c *Client) OwnMemory() (held int64, known bool) {
	pages, err := statusOf(c.proc, "statm")
	fields := bytes.Fields(pages) // counts of pages: total, resident, shared part of resident, …
	if err != nil || len(fields) < 3 || c.launcher != nil {
		return 0, false
	}
	resident, errResident := strconv.ParseInt(string(fields[1]), 10, 64)
	shared, errShared := strconv.ParseInt(string(fields[2]), 10, 64)
	return (resident - shared) * int64(os.Getpagesize()), errResident == nil && errShared == nil
}

// PeakMemory estimates the largest value that OwnMemory has had. It is the peak of the resident
// memory minus the pages of files that are resident now, because the system does not record their
// number at the time of the peak.
func (c *Client) PeakMemory() (most int64, known bool) {
	status, err := statusOf(c.proc, "status")
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
