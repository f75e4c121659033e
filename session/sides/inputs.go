package sides

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/compare"
	"lathe/session/inputs"
)

// inputPair says which input of B gets the value of an input of A.
type inputPair struct {
	A   string `json:"a"`
	B   string `json:"b"`   // "" if B has no such input
	How string `json:"how"` // "name", "type" or ""
	// Converted is the element type that B needs if it is wider or narrower than that of A.
	Converted string `json:"converted,omitempty"`

	to tensor.DType
}

// TakeInputsOf decides which input of A provides the value for each input of B. It is the input of
// the same name or, if no input has that name, the only remaining input of the same type. A may
// have further inputs.
func (x *Executor) TakeInputsOf(a *Executor) error {
	as, bs := a.types.inputs, x.types.inputs
	pairs, ok := pairInputs(as, bs)
	if more := unfed(as, bs); more != "" && len(as) < len(bs) {
		return fmt.Errorf("%s: its input %q has no counterpart in %s, whose inputs are %s; both are run on the inputs of a, so name this model first, or make that input a constant", x.Path, more, a.Path, quoted(as))
	}
	if !ok {
		return fmt.Errorf("%s: its inputs are %s, those of %s are %s; models are compared on inputs of the same names, which lathe rename gives",
			x.Path, quoted(bs), a.Path, quoted(as))
	}
	widths(pairs, as, bs)
	x.inputs = pairs
	return nil
}

// unfed returns an input of B that A does not have, or "".
func unfed(as, bs []graphops.NamedType) string {
	for _, b := range bs {
		if !slices.ContainsFunc(as, func(a graphops.NamedType) bool { return a.Name == b.Name }) {
			return b.Name
		}
	}
	return ""
}

// pairInputs pairs inputs in the order of A. It returns false if an input of B has no partner, or
// if the pairs would be a guess.
func pairInputs(as, bs []graphops.NamedType) ([]inputPair, bool) {
	has := func(list []graphops.NamedType, name string) bool {
		return slices.ContainsFunc(list, func(t graphops.NamedType) bool { return t.Name == name })
	}
	openA := slices.DeleteFunc(slices.Clone(as), func(t graphops.NamedType) bool { return has(bs, t.Name) })
	openB := slices.DeleteFunc(slices.Clone(bs), func(t graphops.NamedType) bool { return has(as, t.Name) })
	if len(openB) > 0 && len(openA) != len(openB) {
		return nil, false
	}
	var pairs []inputPair
	for _, a := range as {
		switch {
		case has(bs, a.Name):
			pairs = append(pairs, inputPair{A: a.Name, B: a.Name, How: "name"})
		case len(openB) == 0:
			pairs = append(pairs, inputPair{A: a.Name})
		default:
			b, ok := onlyOne(a, openA, openB)
			if !ok {
				return nil, false
			}
			pairs = append(pairs, inputPair{A: a.Name, B: b, How: "type"})
		}
	}
	return pairs, true
}

// onlyOne returns the only input of B with the type of an input of A, if that is the only one of
// this type in A.
func onlyOne(a graphops.NamedType, as, bs []graphops.NamedType) (string, bool) {
	count := func(list []graphops.NamedType, like graphops.Type) (n int, name string) {
		for _, t := range list {
			if interchangeable(t.Type, like) {
				n, name = n+1, t.Name
			}
		}
		return n, name
	}
	n, name := count(bs, a.Type)
	if n != 1 {
		return "", false
	}
	b := bs[slices.IndexFunc(bs, func(t graphops.NamedType) bool { return t.Name == name })]
	n, _ = count(as, b.Type)
	return name, n == 1
}

// interchangeable reports whether a value of one type may also be fed to an input of the other
// type.
func interchangeable(a, b graphops.Type) bool {
	if a.Kind != graphops.TypeTensor || b.Kind != graphops.TypeTensor {
		return a.String() == b.String()
	}
	if a.Elem != b.Elem || a.Shape != nil && b.Shape != nil && len(a.Shape) != len(b.Shape) {
		return false
	}
	for i := range min(len(a.Shape), len(b.Shape)) {
		if a.Shape[i].IsFixed() && b.Shape[i].IsFixed() && a.Shape[i].Value != b.Shape[i].Value {
			return false
		}
	}
	return true
}

// widths notes where B takes numbers of another width than A, such as a model that was converted to
// float16.
func widths(pairs []inputPair, as, bs []graphops.NamedType) {
	for i := range pairs {
		a, b := typeOf(as, pairs[i].A), typeOf(bs, pairs[i].B)
		kindA, kindB := a.Elem.Kind(), b.Elem.Kind()
		integer := func(k tensor.Kind) bool { return k == tensor.KindSigned || k == tensor.KindUnsigned }
		alike := kindA == tensor.KindFloat && kindB == tensor.KindFloat || integer(kindA) && integer(kindB)
		if a.Kind == graphops.TypeTensor && b.Kind == graphops.TypeTensor && a.Elem != b.Elem && alike {
			pairs[i].to, pairs[i].Converted = b.Elem, b.Elem.String()
		}
	}
}

// feedsOf returns the values of a case with the names and types of this side's inputs.
func (x *Executor) feedsOf(in graphops.Feeds) (graphops.Feeds, error) {
	if x.inputs == nil {
		return in, nil
	}
	out := graphops.Feeds{}
	for _, p := range x.inputs {
		v, ok := in[p.A]
		if !ok || p.B == "" {
			continue
		}
		if p.Converted != "" && v.IsTensor() {
			t, err := inputs.Converted(v.Tensor, p.to)
			if err != nil {
				return nil, &compare.NotFedError{Err: fmt.Errorf("input %q: %w", p.B, err)}
			}
			v = graphops.TensorValue(t)
		}
		out[p.B] = v
	}
	return out, nil
}

// quoted lists all names, sorted. It lists all because the difference may be in the last one.
func quoted(types []graphops.NamedType) string {
	if len(types) == 0 {
		return "none"
	}
	out := make([]string, len(types))
	for i, t := range types {
		out[i] = strconv.Quote(t.Name)
	}
	slices.Sort(out)
	return strings.Join(out, ", ")
}
