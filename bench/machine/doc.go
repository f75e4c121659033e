// Package machine tells what a machine is, what its counters and devices are at a moment, and
// what disturbed a measurement between two such moments. It reads files below a root that the
// caller names, and what a worker has found out of devices.
package machine
