// Package machine describes a machine, reads its counters and devices, and finds what disturbed a
// measurement between two readings. It reads files below a root that the caller gives, and uses
// what a worker reports about devices.
package machine
