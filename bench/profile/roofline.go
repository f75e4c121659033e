package profile

import "strings"

// Bound is what keeps a node from being faster.
type Bound string

// What a node is bound by. The rule: the time that its arithmetic takes at the peak
// of its type, and the time that its bytes take at the bandwidth of a copy, are both
// lower limits. If the larger of them explains at least ExplainedShare of the node's
// time, that one is the bound. Else it is neither: starting the node, threads that wait
// for each other, a kernel that is no match for the machine, or arithmetic that is not
// counted, such as exponentials.
const (
	BoundUnknown  Bound = ""
	BoundCompute  Bound = "compute"
	BoundMemory   Bound = "memory"
	BoundOverhead Bound = "overhead"
)

// ExplainedShare is how much of a node's time a lower limit must explain to be its bound.
// Kernels for large products reach half of a peak and more, and loops over memory as
// much of a bandwidth; an eighth leaves room for shapes that fit badly.
const ExplainedShare = 0.125

// Peak is what a machine reaches at best, with one provider and number of threads.
type Peak struct {
	// GFLOPS are billions of operations per second by the type of elements, "f32", "f16",
	// "i8": a product of large matrices, each multiply-accumulate being two.
	GFLOPS map[string]float64 `json:"gflops"`
	// GBPS are billions of bytes per second, read and written together, of an operator
	// element by element on what no cache holds.
	GBPS float64 `json:"gbps"`
	// Cached tells that they were measured by an earlier command.
	Cached bool `json:"cached"`
}

// bound applies the rule to a node that takes a time in microseconds for operations and
// bytes, each -1 where it is not known.
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
	case max(compute, memory) < ExplainedShare*us:
		if operations < 0 || bytes < 0 {
			return BoundUnknown // what is not known may explain it
		}
		return BoundOverhead
	case compute >= memory:
		return BoundCompute
	}
	return BoundMemory
}

// Types of elements that have peaks of their own.
const (
	elemF32 = "f32"
	elemF16 = "f16"
	elemI8  = "i8"
)

// arithmetic is the type that a node computes products in.
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
