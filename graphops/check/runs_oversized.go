package check

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// addressable is the number of bytes that a process can address on the machines that ONNX
// Runtime supports. No run can have a larger tensor.
const addressable = 1 << 47

// leastBytes returns the minimum size of a tensor in bytes; 0 if a size is unknown, and for
// other types.
func leastBytes(t shape.Type) float64 {
	if t.Kind != graphops.TypeTensor || t.Dims == nil {
		return 0
	}
	bytes := float64(max(t.Elem.Bits(), 1)) / 8
	for _, d := range t.Dims {
		n, ok := d.Number()
		if !ok {
			return 0
		}
		bytes *= float64(n)
	}
	return bytes
}

func tooLarge(name string, t shape.Type) string {
	return fmt.Sprintf("%q is %s, which is more than a machine can address", name, brief(t))
}

// oversized requires results that a machine can address. The size of a body's result depends on
// its iterations, which may be fewer than the maximum.
func (o operands) oversized() string {
	if len(o.Graphs()) > 0 {
		return ""
	}
	x := o.place.Graph.Index()
	for _, id := range x.Inputs(o.index) {
		if leastBytes(o.subject.inferredAt(o.place, id).Type) > addressable {
			return ""
		}
	}
	for _, id := range x.Outputs(o.index) {
		if t := o.subject.inferredAt(o.place, id).Type; leastBytes(t) > addressable {
			return tooLarge(x.Name(id), t)
		}
	}
	return ""
}

// tiledFits requires a result of at most 4 GiB, which is the limit of ONNX Runtime's Tile.
func tiledFits(o operands) string {
	const limit = 1 << 32
	if len(o.Outputs()) == 0 {
		return ""
	}
	if t := o.subject.inferred(o.place, o.Output(0)).Type; leastBytes(t) > limit {
		return fmt.Sprintf("%q is %s, but results of Tile in ONNX Runtime have at most 4 GiB", o.Output(0), brief(t))
	}
	return ""
}

// oversizedInputs reports inputs that are too large for any machine.
func oversizedInputs(p *graphops.Place, report reporter) {
	if p.Kind != graphops.MainGraph {
		return
	}
	for _, in := range p.Graph.FeedInputs() {
		if t := shape.FromFile(in.Type()); leastBytes(t) > addressable {
			problem := of(site{place: p, index: -1}, "input %s", tooLarge(in.Name(), t))
			problem.Value, problem.Hint = in.Name(), "declare the intended size, or a symbol"
			report(problem)
		}
	}
}
