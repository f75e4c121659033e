package profile

import "strings"

// Bound is what limits a node's speed.
type Bound string

// The bounds. A node's time has two lower limits: its operations at the peak rate of its element
// type (compute), and the bytes that it moves at the bandwidth of a copy (memory). If the larger of
// the two is at least explainedShare of the node's time, it is the bound. Otherwise neither is:
// what takes the time is starting the node, threads that wait for each other, a kernel that does not suit the
// machine, or arithmetic that is not counted, such as exponentials.
const (
	BoundUnknown Bound = ""
	BoundCompute Bound = "compute"
	BoundMemory  Bound = "memory"
	BoundNeither Bound = "neither"
)

// explainedShare is the fraction of a node's time that a lower limit must explain to be its
// bound. Kernels for large products reach at least half of the peak, and loops over memory at least
// half of the bandwidth. A node below this share would gain more from another kernel than from a
// faster machine.
const explainedShare = 0.4

// Peak is the best that a machine reaches with one provider and number of threads.
type Peak struct {
	// GFLOPS contains the highest rates in billions of operations per second, by element type
	// ("f32", "f16", "i8"). They are measured with products of large matrices. A
	// multiply-accumulate counts as two operations.
	GFLOPS map[string]float64 `json:"gflops"`
	// GBPS is the highest rate of memory access in billions of bytes per second, read and written
	// together. It is measured with an elementwise operator on an array larger than most caches.
	GBPS float64 `json:"gbps"`
	// Threads is the number of threads; 0 if the runtime chose it.
	Threads int64 `json:"-"`
	// Busy is set if other programs used the processors during all measurements, so that the machine
	// may reach more.
	Busy bool `json:"busy,omitempty"`
	// Cached is set if it was stored earlier.
	Cached bool `json:"cached"`
}

// bound returns the bound of a node that takes us microseconds for a number of operations and bytes
// per run. Either number is -1 if it is unknown.
func (p *Peak) bound(us, operations, bytes float64, elem string) Bound {
	if p == nil || us <= 0 || operations < 0 && bytes < 0 {
		return BoundUnknown
	}
	compute, memory := 0.0, 0.0
	if peak := p.GFLOPS[elem]; peak > 0 && operations > 0 {
		compute = operations / peak / 1e3
	} else if operations > 0 {
		return BoundUnknown
	}
	if p.GBPS > 0 && bytes > 0 {
		memory = bytes / p.GBPS / 1e3
	}
	switch {
	case max(compute, memory) < explainedShare*us:
		if operations < 0 || bytes < 0 {
			return BoundUnknown // the unknown part may explain it
		}
		return BoundNeither
	case compute >= memory:
		return BoundCompute
	}
	return BoundMemory
}

// The element types whose peak rates are measured.
const (
	elemF32 = "f32"
	elemF16 = "f16"
	elemI8  = "i8"
)

// arithmetic returns the element type in which a node does its multiply-accumulates, as a key of
// Peak.GFLOPS.
func (t *Timed) arithmetic() string {
	if strings.Contains(t.Op, "Integer") || strings.HasPrefix(t.Op, "QLinear") || strings.HasPrefix(t.Op, "DynamicQuantize") ||
		strings.HasPrefix(t.Op, "QGemm") || strings.HasPrefix(t.Op, "QAttention") {
		return elemI8
	}
	switch t.Elem {
	case "int8", "uint8":
		return elemI8
	case "float16", "bfloat16":
		return elemF16
	case "float":
		return elemF32
	}
	return t.Elem
}
