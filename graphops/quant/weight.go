package quant

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// weight tells how large a constant was before and after. Of a constant that
// was quantized before, the sizes are 0.
type weight struct {
	name          string
	before, after int64
}

// weight is the quantized form of the constant behind name for a second factor.
func (d *dynamic) weight(name string, t *graphops.Tensor, transposed bool) (value, weight, error) {
	key := name
	if transposed {
		key = d.transposedName(name)
	}
	if v, ok := d.values[key]; ok {
		return v, weight{name: name}, nil
	}
	r := recipe{
		rule:       tensor.AffineRule{Type: d.o.WeightType, Symmetric: d.o.symmetric(d.o.WeightType), Reduced: d.o.ReduceRange},
		perChannel: d.o.PerChannel && len(t.Dims()) == 2,
		axis:       1,
		transposed: transposed,
	}
	if transposed {
		r.axis = 0 // which is the last one of the transpose
	}
	if d.o.PerChannel && !r.perChannel {
		d.report.depart(PerChannelRank)
	}
	v, w, err := d.quantizeConstant(key, name, t, r)
	if err == nil {
		d.values[key] = v
	}
	return v, w, err
}

// wholeWeight is the quantized form, with one scale, of the constant behind name for
// an operator that takes no more. One that a MatMul reads with a scale for each
// channel is quantized once more.
func (d *dynamic) wholeWeight(name string, t *graphops.Tensor) (value, weight, error) {
	v, ok := d.values[name]
	if ok && !v.perChannel {
		return v, weight{name: name}, nil
	}
	rule := tensor.AffineRule{Type: d.o.WeightType, Symmetric: d.o.symmetric(d.o.WeightType), Reduced: d.o.ReduceRange}
	made, w, err := d.quantizeConstant(name, name, t, recipe{rule: rule})
	if err == nil && !ok {
		d.values[name] = made
	}
	return made, w, err
}

// table is the quantized form of the constant behind name for a Gather or a
// first factor: of the type and symmetry that activations have, one scale.
func (d *dynamic) table(name string, t *graphops.Tensor) (value, weight, error) {
	v, ok := d.values[name]
	if ok && !v.perChannel {
		return v, weight{name: name}, nil
	}
	if w, again := d.tables[name]; again {
		return w, weight{name: name}, nil
	}
	r := recipe{rule: tensor.AffineRule{Type: tensor.U8, Symmetric: d.o.symmetric(tensor.U8)}}
	made, w, err := d.quantizeConstant(name, name, t, r)
	switch {
	case err != nil:
	case ok:
		d.report.depart(PerChannelActivation)
		d.tables[name] = made
	default:
		d.values[name] = made
	}
	return made, w, err
}

// transposedName is the name that the transposed copy of a constant goes by:
// the constant's own if nothing reads it otherwise.
func (d *dynamic) transposedName(name string) string {
	if to, ok := d.transposes[name]; ok {
		d.report.depart(SharedTransposedWeight)
		return to
	}
	to := name
	if !d.onlyTransposed(name) {
		d.report.depart(SharedTransposedWeight)
		to = d.names.Value(name + "_Transposed")
	}
	d.transposes[name] = to
	if d.statesShape(name) {
		d.report.depart(TransposedValueInfo)
	}
	return to
}

// statesShape reports whether value_info tells the shape of a constant matrix
// that its transpose does not have.
func (d *dynamic) statesShape(name string) bool {
	dims := d.constant(name).Dims()
	return dims[0] != dims[1] && slices.ContainsFunc(d.graph.ValueInfo(), func(v *graphops.ValueInfo) bool {
		return v.Name() == name && v.Type().Shape != nil
	})
}

// bytesToRead is the size of all constants that are going to be quantized.
func (d *dynamic) bytesToRead() int64 {
	total := int64(0)
	seen := map[string]bool{}
	for i, n := range d.graph.Nodes() {
		if !d.choices[i].take || n.OpType() == "Transpose" {
			continue
		}
		for _, name := range n.Inputs()[:min(2, len(n.Inputs()))] {
			if t := d.constant(name); t != nil && t.DType() == tensor.F32 && !seen[name] {
				seen[name] = true
				if size, err := t.ByteLen(); err == nil {
					total += size
				}
			}
		}
	}
	return total
}
