package proof

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// faintest is how much at least one number of an output must change with the inputs, relative to
// its scale, so that the output is not faint.
const faintest = 1e-3

// listen finds the outputs that show little: those that are constant, and those that are nearly the
// same for all inputs.
func (r *reference) listen() {
	r.silent, r.faint = map[string]string{}, map[string]bool{}
	for _, name := range r.names {
		var all sameness
		for _, c := range r.cases {
			all.add(c.want[name])
		}
		if why := all.silence(r.fixed[name]); why != "" {
			r.silent[name] = why
		} else if len(r.cases) > 1 && !r.fixed[name] {
			g := gapOf(r.cases[0].want[name], r.cases[1].want[name])
			r.faint[name] = !g.otherShape && !g.exact && g.odd == 0 && g.maxRel < faintest
		}
	}
}

// sameness is what is known about the elements of an output on the inputs so far: their only value,
// or that they vary.
type sameness struct {
	what         string
	some, varied bool
}

// add adds the elements of a value.
func (s *sameness) add(v graphops.Value) {
	for _, part := range partsOf(v) {
		if s.varied {
			return
		}
		one, is, same := element(part.Tensor)
		s.varied = !same || is && s.some && s.what != one
		if is {
			s.what, s.some = one, true
		}
	}
}

// silence returns the reason why the values of an output show little, or "". fixed says that the
// output does not depend on the inputs. Such an output may have equal elements, but they must not
// be NaN.
func (s *sameness) silence(fixed bool) string {
	switch {
	case s.varied:
		return ""
	case !s.some:
		return "it has no elements"
	case s.what == "NaN", !fixed:
		return fmt.Sprintf("every element is %s on all inputs", s.what)
	}
	return ""
}

// element returns the text of the only element value of a tensor. some reports whether it has
// elements, same whether all are equal.
func element(t tensor.Tensor) (what string, some, same bool) {
	if t.DType == tensor.String {
		for _, s := range t.Strings {
			if s != t.Strings[0] {
				return "", true, false
			}
			what, some = fmt.Sprintf("%q", s), true
		}
		return what, some, true
	}
	first := 0.0
	for x := range numbers(t) {
		if !some {
			first, some = x, true
		}
		if x != first && !(x != x && first != first) {
			return "", true, false
		}
	}
	if !some {
		return "", false, true
	}
	return fmt.Sprintf("%.7g", first), true, true
}

// fixedOutputs returns the outputs of a model that do not depend on the numbers of any input.
func fixedOutputs(m *graphops.Model) map[string]bool {
	x := m.Graph().Index()
	out := map[string]bool{}
	fed := map[graphops.ValueID]bool{}
	for _, v := range m.Graph().FeedInputs() {
		if id, ok := x.Value(v.Name()); ok {
			fed[id] = true
		}
	}
	for _, name := range outputsOf(m) {
		id, ok := x.Value(name)
		out[name] = ok && !dependsOn(m.Graph(), id, fed)
	}
	return out
}

// dependsOn reports whether a value of a graph is computed from one of the others.
func dependsOn(g *graphops.Graph, v graphops.ValueID, on map[graphops.ValueID]bool) bool {
	x := g.Index()
	seen, stack := map[graphops.ValueID]bool{v: true}, []graphops.ValueID{v}
	for len(stack) > 0 {
		v, stack = stack[len(stack)-1], stack[:len(stack)-1]
		node := x.Producer(v)
		switch {
		case on[v]:
			return true
		case node < 0 || onlySizes(g.Nodes()[node]):
			continue
		}
		for _, read := range x.Reads(node) {
			if !seen[read] {
				seen[read] = true
				stack = append(stack, read)
			}
		}
	}
	return false
}

// onlySizes reports whether an operator's result does not depend on the numbers of its inputs: it
// consists of sizes, or of one constant in some shape.
func onlySizes(n *graphops.Node) bool {
	op := n.OpType()
	return graphops.NormalDomain(n.Domain()) == "" && (op == "Shape" || op == "Size" || op == "ConstantOfShape")
}
