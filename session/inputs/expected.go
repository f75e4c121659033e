package inputs

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
)

// expectedAmong returns the arrays that are expected values of outputs. Such an array has the name
// of an output and not of an input, and a type and rank that the output can have.
func expectedAmong(arrays []npz.Entry, specs []Spec, outputs []graphops.NamedType) []npz.Entry {
	var out []npz.Entry
	for _, e := range arrays {
		isInput := slices.ContainsFunc(specs, func(s Spec) bool { return s.Name == e.Name })
		isOutput := slices.ContainsFunc(outputs, func(t graphops.NamedType) bool { return t.Name == e.Name && couldBe(e.Tensor, t.Type) })
		if isOutput && !isInput {
			out = append(out, e)
		}
	}
	return out
}

// couldBe reports whether a tensor has the kind of type and the rank of the type want.
func couldBe(t tensor.Tensor, want graphops.Type) bool {
	integer := func(k tensor.Kind) bool { return k == tensor.KindSigned || k == tensor.KindUnsigned }
	kind, wanted := t.DType.Kind(), want.Elem.Kind()
	return want.Kind == graphops.TypeTensor && (kind == wanted || integer(kind) && integer(wanted)) &&
		(want.Shape == nil || len(want.Shape) == len(t.Shape))
}

// without returns the arrays that are not among others.
func without(arrays, others []npz.Entry) []npz.Entry {
	return slices.DeleteFunc(slices.Clone(arrays), func(e npz.Entry) bool {
		return slices.ContainsFunc(others, func(o npz.Entry) bool { return o.Name == e.Name })
	})
}

// dealt returns the expected values that can be split into cases in the same way as the inputs.
// Such an array has one row for each row of the inputs. If the inputs are not split, all arrays are
// returned.
func (m *matcher) dealt(expected []npz.Entry, plan rowPlan) []npz.Entry {
	if !plan.splits() {
		return expected
	}
	var out []npz.Entry
	for _, e := range expected {
		if len(e.Tensor.Shape) > 0 && e.Tensor.Shape[0] == plan.rows {
			out = append(out, e)
			continue
		}
		m.note("array %q of shape %s has the name of an output, but not one row for each of the %d input rows; it is left out", e.Name, tensor.FormatShape(e.Tensor.Shape), plan.rows)
	}
	return out
}

// splits reports whether arrays are split into several cases by rows.
func (p *rowPlan) splits() bool { return p.per > 0 && p.rows > 0 }

// expect adds the expected values to a case. If arrays are split, they are rows lo to hi-1.
func (p *rowPlan) expect(c *Case, expected []npz.Entry, lo, hi int64) error {
	for _, e := range expected {
		t := e.Tensor
		if p.splits() {
			var err error
			if t, err = t.Rows(lo, hi); err != nil {
				return err
			}
		}
		if c.Expected == nil {
			c.Expected = graphops.Feeds{}
		}
		c.Expected[e.Name] = graphops.TensorValue(t)
	}
	return nil
}
