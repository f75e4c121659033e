package quant

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// weight holds the size of a constant before and after. Both are 0 if an earlier node had it
// quantized, so that it is counted once.
type weight struct {
	name          string
	before, after int64
}

// weightRule returns how weights are quantized.
func (d *dynamic) weightRule() tensor.AffineRule {
	return tensor.AffineRule{Type: d.o.WeightType, Symmetric: d.o.symmetric(d.o.WeightType), Reduced: d.o.ReduceRange}
}

// tableRule returns how constants are quantized that take the place of an activation.
func (d *dynamic) tableRule() tensor.AffineRule {
	return tensor.AffineRule{Type: tensor.U8, Symmetric: d.o.symmetric(tensor.U8)}
}

// weight returns the quantized form of a constant used as a second factor.
func (s *scope) weight(name string, t *graphops.Tensor, transposed bool) (value, weight, error) {
	s = s.owner(name)
	key := name
	if transposed {
		key = s.transposedName(name)
	}
	if v, ok := s.values[key]; ok {
		return v, weight{name: name}, nil
	}
	r := whole(s.weightRule())
	switch matrix := len(t.Dims()) == 2; {
	case s.o.PerChannel && !matrix:
		s.report.depart(perChannelRank)
	case s.o.PerChannel && transposed:
		r = rows(r.rule, t.Dims()) // the rows are the columns of the transpose
	case s.o.PerChannel:
		r = columns(r.rule, t.Dims())
	}
	if transposed {
		r = r.transposed()
	}
	v, w, err := s.quantizeConstant(key, name, t, r)
	if err == nil {
		s.values[key] = v
	}
	return v, w, err
}

// wholeWeight returns the quantized form of a constant with one scale, for an operator that
// accepts only one.
func (s *scope) wholeWeight(name string, t *graphops.Tensor) (value, weight, error) {
	return s.withOneScale(name, t, s.weightRule())
}

// table returns the quantized form of a constant for a Gather or a first factor: with the type
// and symmetry of activations, and one scale.
func (s *scope) table(name string, t *graphops.Tensor) (value, weight, error) {
	return s.withOneScale(name, t, s.tableRule())
}

// withOneScale returns a quantized form of a constant with one scale: an existing one, otherwise
// a new one according to the rule. If other readers have a form with a scale for each channel, the
// constant is quantized a second time.
func (s *scope) withOneScale(name string, t *graphops.Tensor, rule tensor.AffineRule) (value, weight, error) {
	s = s.owner(name)
	first, taken := s.values[name]
	if taken && !first.perChannel {
		return first, weight{name: name}, nil
	}
	other := form{name: name, rule: rule}
	if v, ok := s.others[other]; ok {
		return v, weight{name: name}, nil
	}
	v, w, err := s.quantizeConstant(name, name, t, whole(rule))
	switch {
	case err != nil:
	case taken:
		s.report.depart(perChannelActivation)
		s.others[other] = v
	default:
		s.values[name] = v
	}
	return v, w, err
}

// transposedName returns the name for the transposed copy of a constant: its own name if nothing
// reads the original order.
func (s *scope) transposedName(name string) string {
	if to, ok := s.transposes[name]; ok {
		s.report.depart(sharedTransposedWeight)
		return to
	}
	to := name
	if !s.onlyTransposed(name) {
		s.report.depart(sharedTransposedWeight)
		to = s.names.Value(name + "_Transposed")
	}
	s.transposes[name] = to
	if s.statesShape(name) {
		s.report.depart(transposedValueInfo)
	}
	return to
}

// statesShape reports whether value_info states a shape of a constant matrix that becomes wrong
// when the matrix is transposed.
func (s *scope) statesShape(name string) bool {
	dims := s.constant(name).Dims()
	return dims[0] != dims[1] && slices.ContainsFunc(s.graph.ValueInfo(), func(v *graphops.ValueInfo) bool {
		return v.Name() == name && v.Type().Shape != nil
	})
}

// bytesToRead returns the total size of the constants that will be quantized.
func (d *dynamic) bytesToRead() int64 {
	total := int64(0)
	seen := map[*graphops.Tensor]bool{}
	for _, s := range d.scopes {
		for i, n := range s.graph.Nodes() {
			if !s.choices[i].take || n.Is("Transpose") {
				continue
			}
			for _, at := range families[n.OpType()].operands {
				if t := s.operand(n, at); t != nil && t.DType() == tensor.F32 && !seen[t] {
					seen[t] = true
					if size, err := t.ByteLen(); err == nil {
						total += size
					}
				}
			}
		}
	}
	return total
}

// operand returns the constant that a node reads at a position, or nil.
func (s *scope) operand(n *graphops.Node, at int) *graphops.Tensor {
	if name := input(n, at); name != "" {
		return s.constant(name)
	}
	return nil
}

// input returns the name that a node reads at a position, or "".
func input(n *graphops.Node, at int) string {
	if at < len(n.Inputs()) {
		return n.Inputs()[at]
	}
	return ""
}
