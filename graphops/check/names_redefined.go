package check

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

var valueRedefined = rule{
	code: "value-redefined", severity: Error,
	title: "a value is produced twice",
	about: `Each name stands for one value (static single assignment form). ONNX Runtime rejects a graph in
which two nodes produce the same value, one node produces it twice, or a node produces a value that
is already an input or initializer ("Duplicate definition of name"), even if nothing reads it.
Functions that nothing calls are not checked, but onnx.checker rejects them.

The causes are copied nodes, merging models, and exporters that overwrite an operand with the
result. Rename one of the values, also where it is read.`,
	place: redefinedValues,
}

func redefinedValues(s *subject, p *graphops.Place, report reporter) {
	first := map[string]string{}
	for _, name := range p.Graph.Index().Duplicates {
		first[name] = ""
	}
	if len(first) == 0 {
		return
	}
	for _, v := range p.Graph.Inputs() {
		define(first, v.Name(), "is an input of the graph")
	}
	for _, t := range p.Graph.Initializers() {
		define(first, t.Name(), "is an initializer")
	}
	for i, n := range p.Graph.Nodes() {
		for _, o := range n.Outputs() {
			if before, ok := first[o]; ok && before != "" {
				problem := of(site{n, p, i}, "output %q %s as well", o, before)
				problem.Value, problem.Severity = o, s.orWarning(p)
				problem.Hint = "rename one of the two values, also where it is read"
				report(problem)
			}
			define(first, o, "is made by "+nodeName(p, i))
		}
	}
}

// define records the first definition of a name that has several.
func define(first map[string]string, name, what string) {
	if before, ok := first[name]; ok && before == "" {
		first[name] = what
	}
}

var constantOverruled = rule{
	code: "constant-overruled", severity: Warning,
	title: "several constants have the same name",
	about: `Names of initializers and of the outputs of Constant nodes must be unique; onnx.checker rejects the
model otherwise. ONNX Runtime 1.30 loads it if the constants are in the main graph and have the same
type and shape. All nodes that read the name then get the same constant, wherever they are. Which
one that is depends on this order: initializers, then Constant nodes, then inputs. If the constants
have less than 128 bytes, it is the last one. If they are larger, it is the second to last, but
other versions of ONNX Runtime differ. If the types or shapes differ, or the constants are in a
body, ONNX Runtime rejects the model.

The cause is merging models in which two weights have the same name: one half of the merged model
then computes with the weights of the other half. Rename or remove one of the constants.`,
	place: overruledConstants,
}

// stated is one definition of a constant, or the input that it is the default of.
type stated struct {
	what  string
	input bool
	node  int // that produces it, -1 for none
	elem  tensor.DType
	dims  []int64 // nil if unknown
}

func overruledConstants(s *subject, p *graphops.Place, report reporter) {
	names := p.Graph.Index().Overruled
	if len(names) == 0 {
		return
	}
	definitions := make(map[string][]stated, len(names))
	for _, name := range names {
		definitions[name] = nil
	}
	statedIn(p, definitions)
	for _, name := range names {
		list := definitions[name]
		delete(definitions, name) // reported once
		if len(list) < 2 {
			continue
		}
		last := list[len(list)-1]
		problem := in(p, "%q is %s, and %s", name, list[0].what, last.what)
		if last.node >= 0 {
			problem = of(site{p.Graph.Nodes()[last.node], p, last.node}, "produces %q, which is %s as well", name, list[0].what)
		}
		problem.Value, problem.Hint = name, "rename or remove one of them"
		if s.isCalled(p) && (p.Kind != graphops.MainGraph || differ(list)) {
			problem.Severity = Error
		} else {
			problem.Message += ": " + counting(list)
		}
		report(problem)
	}
}

// largeConstant is the size in bytes from which ONNX Runtime 1.30 stores a constant outside of
// the graph's message. Of several with the same name it then reads the second to last one.
const largeConstant = 128

// counting returns the text that says which of several constants of one name ONNX Runtime uses.
func counting(list []stated) string {
	last := list[len(list)-1]
	n, err := tensor.Elements(last.dims)
	if err == nil && last.dims != nil && !list[len(list)-2].input {
		if size, err := last.elem.ByteLen(n); err == nil && size >= largeConstant {
			return "which one counts depends on the version of ONNX Runtime"
		}
	}
	return "the last one counts"
}

// statedIn adds the definitions of the names in a place. A later definition overrides an earlier
// one.
func statedIn(p *graphops.Place, names map[string][]stated) {
	g := p.Graph
	add := func(name string, d stated) {
		if list, ok := names[name]; ok {
			names[name] = append(list, d)
		}
	}
	for _, v := range g.Inputs() {
		add(v.Name(), stated{what: "an input", input: true, node: -1, elem: v.Type().Elem, dims: fixed(v.Type().Shape)})
	}
	for i, t := range g.Initializers() {
		add(t.Name(), stated{what: fmt.Sprintf("initializer %d", i), node: -1, elem: t.DType(), dims: append([]int64{}, t.Dims()...)})
	}
	for _, sp := range g.SparseInitializers() {
		add(sp.Name(), stated{what: "a sparse initializer", node: -1})
	}
	for i, n := range g.Nodes() {
		if !n.Is("Constant") || len(n.Outputs()) != 1 {
			continue
		}
		d := stated{what: "made by " + nodeName(p, i), node: i}
		if a, ok := n.Attribute("value"); ok && a.Tensor() != nil {
			d.elem, d.dims = a.Tensor().DType(), a.Tensor().Dims()
		}
		add(n.Output(0), d)
	}
}

// fixed returns the sizes of a shape that has only numbers, or nil.
func fixed(s graphops.Shape) []int64 {
	if s == nil {
		return nil
	}
	dims := make([]int64, len(s))
	for i, d := range s {
		if !d.IsFixed() {
			return nil
		}
		dims[i] = d.Value
	}
	return dims
}

// differ reports whether definitions have different types, as far as known.
func differ(list []stated) bool {
	last := list[len(list)-1]
	return slices.ContainsFunc(list, func(d stated) bool {
		return d.elem != tensor.Undefined && last.elem != tensor.Undefined && d.elem != last.elem ||
			d.dims != nil && last.dims != nil && !slices.Equal(d.dims, last.dims)
	})
}
