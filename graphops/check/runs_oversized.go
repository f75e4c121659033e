package check

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/shape"
)

// addressable is how many bytes a process can address on the machines that ONNX Runtime
// runs on. What takes more exists in no run.
const addressable = 1 << 47

// leastBytes is how many bytes a tensor takes at least; 0 where a size is not known, and
// for everything that is no tensor.
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
	return fmt.Sprintf("%q is of %s, more than a machine can address", name, brief(t))
}

// oversized demands results that a machine can address, of what it can address. How much a
// body gives back depends on its turns, which may be fewer than are allowed.
func (o operands) oversized() string {
	if len(o.Graphs()) > 0 {
		return ""
	}
	for _, name := range o.Inputs() {
		if leastBytes(o.subject.inferred(o.place, name).Type) > addressable {
			return ""
		}
	}
	for _, name := range o.Outputs() {
		if t := o.subject.inferred(o.place, name).Type; leastBytes(t) > addressable {
			return tooLarge(name, t)
		}
	}
	return ""
}

// tiledFits demands a result of at most 4 GiB, which is the limit of ONNX Runtime's Tile.
func tiledFits(o operands) string {
	const limit = 1 << 32
	if len(o.Outputs()) == 0 {
		return ""
	}
	if t := o.subject.inferred(o.place, o.Outputs()[0]).Type; leastBytes(t) > limit {
		return fmt.Sprintf("%q is of %s, and ONNX Runtime tiles to at most 4 GiB", o.Outputs()[0], brief(t))
	}
	return ""
}

// oversizedInputs reports the inputs that nobody can feed.
func oversizedInputs(p *graphops.Place, report reporter) {
	if p.Kind != graphops.MainGraph {
		return
	}
	for _, in := range p.Graph.FeedInputs() {
		if t := shape.FromFile(in.Type()); leastBytes(t) > addressable {
			problem := of(site{place: p, index: -1}, "input %s", tooLarge(in.Name(), t))
			problem.Value, problem.Hint = in.Name(), "declare the size that is meant, or a symbol"
			report(problem)
		}
	}
}
