package static

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/quant"
	"lathe/graphops/tensor"
)

// operators writes operators on integers. It goes through the nodes in order and keeps track of
// whether each value exists as integers, as floats, or as both.
type operators struct {
	*emitter
	forms  map[string][]*operand
	there  map[string]bool // values that exist as floats
	biases []*intBias
	made   []*constant // in the order in which they were first read
	done   []bool      // nodes that compute on integers
	why    []string    // why chosen nodes do not
}

// operand is a value in integer form.
type operand struct {
	q, scale, zero string
	rule           tensor.DType
	by             tensor.Affine
	constant       *constant
	axis           *int // the axis of a constant's channels, as the attribute of a DequantizeLinear
}

// intBias is a bias stored as integers, with the scale of the products that it is added to.
type intBias struct {
	name   string
	form   *operand
	x      *operand
	w      *operand
	factor float64
	scales []float32 // when it was first read
}

// writeOperators is emit for FormatOperators.
func (e *emitter) writeOperators() (*graphops.Model, error) {
	e.gone = map[string]bool{}
	q := &operators{emitter: e, forms: map[string][]*operand{}, there: map[string]bool{}, done: make([]bool, len(e.nodes)), why: make([]string, len(e.nodes))}
	for name := range e.inputs {
		q.there[name] = e.inits[name] == nil
	}
	for _, i := range e.order {
		if err := q.node(i); err != nil {
			return nil, err
		}
		if err := e.ctx.Err(); err != nil {
			return nil, err
		}
	}
	for _, v := range e.graph.Outputs() {
		q.restore(v.Name())
	}
	if err := q.writeConstants(); err != nil {
		return nil, err
	}
	clear(e.nodes)
	e.contribs = slices.ContainsFunc(e.emitted, func(n *graphops.Node) bool { return n.Domain() == contrib })
	q.tell()
	if len(e.report.Quantized) == 0 {
		return nil, nil
	}
	return e.finish()
}

// node rewrites node i, or keeps it.
func (q *operators) node(i int) error {
	n := q.nodes[i]
	if !q.chosen[i] {
		if n.Is("Where") && q.o.Force && n.Domain() == graphops.DefaultDomain {
			q.report.depart(excludedWhere)
		}
		return q.keep(n)
	}
	rule, ok := operatorRules[n.OpType()]
	if !ok {
		q.why[i] = "has no counterpart that computes in integers"
		return q.keep(n)
	}
	why, err := rule(q, n)
	if err != nil {
		return err
	}
	if q.why[i], q.done[i] = why, why == ""; why != "" {
		return q.keep(n)
	}
	return nil
}

// keep writes a node unchanged, after nodes that convert the integers it reads to floats.
func (q *operators) keep(n *graphops.Node) error {
	raw := n.Is("Where")
	for _, name := range n.Inputs() {
		if q.restore(name) && raw {
			q.report.depart(missingOperand)
		}
	}
	for _, name := range n.Captured() {
		if q.restore(name) {
			q.report.depart(capturedValue)
		}
	}
	q.put(n)
	for _, name := range n.Outputs() {
		q.there[name] = true
	}
	return nil
}

func (q *operators) put(n *graphops.Node) { q.emitted = append(q.emitted, n) }

// restore emits nodes that compute the floats of a value that exists only as integers.
func (q *operators) restore(name string) bool {
	list := q.forms[name]
	if len(list) == 0 || q.there[name] {
		return false
	}
	q.there[name] = true
	f := list[0]
	var attrs []*graphops.Attribute
	domain := graphops.DefaultDomain
	if f.axis != nil {
		attrs = append(attrs, graphops.IntAttribute("axis", int64(*f.axis)))
		if q.opset < opsetAxis {
			domain = contrib
			q.report.depart(perChannelOpset)
		}
	}
	if q.inits[name] != nil {
		q.gone[name] = true
	}
	q.put(graphops.NewNode(graphops.NodeSpec{
		Op: "DequantizeLinear", Domain: domain, Name: q.names.Node(name + "_DequantizeLinear"),
		Inputs: []string{f.q, f.scale, f.zero}, Outputs: []string{name}, Attributes: attrs,
	}))
	return true
}

// single returns a form of the value with one scale, or nil if there is none.
func (q *operators) single(name string) *operand {
	for _, f := range q.forms[name] {
		if f.axis == nil {
			return f
		}
	}
	return nil
}

// activation returns a form of the value with the type of activations and one scale.
func (q *operators) activation(name string) (*operand, error) {
	for _, f := range q.forms[name] {
		if f.axis == nil && f.rule == q.o.ActivationType {
			return f, nil
		}
	}
	if t := q.inits[name]; t != nil {
		rule := tensor.AffineRule{Type: q.o.ActivationType, Symmetric: q.o.ActivationSymmetric}
		if rule.Type == q.o.WeightType {
			rule.Symmetric = q.o.weightSymmetric()
		}
		return q.constantForm(t, rule, nil)
	}
	_, a, err := q.affineOf(name, Override{})
	if err != nil {
		return nil, err
	}
	f, err := q.newForm(name, name+"_quantized", a)
	if err != nil {
		return nil, err
	}
	q.put(graphops.NewNode(graphops.NodeSpec{
		Op: "QuantizeLinear", Name: q.names.Node(name + "_QuantizeLinear"), Inputs: []string{name, f.scale, f.zero}, Outputs: []string{f.q},
	}))
	return f, nil
}

// weight returns the form of a second factor: a constant of the weight type, or a computed value.
// Any existing form of a constant is used if its channels are along the same axis.
func (q *operators) weight(name string, rule tensor.AffineRule, axis *int) (*operand, error) {
	t := q.inits[name]
	if t == nil {
		return q.activation(name)
	}
	for _, f := range q.forms[name] {
		if sameAxis(f.axis, axis, len(t.Dims())) && (axis == nil || f.rule == rule.Type) {
			return f, nil
		}
	}
	return q.constantForm(t, rule, axis)
}

func sameAxis(a, b *int, rank int) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return (*a+rank)%rank == (*b+rank)%rank
}

// constantForm quantizes an initializer.
func (q *operators) constantForm(t *graphops.Tensor, rule tensor.AffineRule, axis *int) (*operand, error) {
	name := t.Name()
	if len(q.forms[name]) > 0 {
		q.report.depart(sharedConstant)
	}
	at := 0
	if axis != nil {
		at = (*axis + len(t.Dims())) % len(t.Dims())
	}
	c, err := q.newConstant(name, t, rule, axis != nil, at)
	if err != nil {
		return nil, fmt.Errorf("weight %q: %w", name, err)
	}
	f := &operand{q: q.names.Value(name + "_quantized"), scale: q.names.Value(name + "_scale"), zero: q.names.Value(name + "_zero_point"), rule: rule.Type, constant: c, axis: axis}
	if axis == nil {
		f.by = c.by[0]
	}
	q.forms[name] = append(q.forms[name], f)
	q.made = append(q.made, c)
	c.form = f
	if q.constants[name] == nil {
		q.constants[name] = c
	}
	return f, nil
}

// newForm returns a new form of a value that a node produces as integers, with constants for its
// parameters.
func (q *operators) newForm(name, codes string, a tensor.Affine) (*operand, error) {
	zero, err := tensor.FromInt64s(q.o.ActivationType, []int64{int64(a.Zero)})
	if err != nil {
		return nil, err
	}
	f := &operand{
		q: q.names.Value(codes), rule: q.o.ActivationType, by: a,
		zero: q.add(name+"_zero_point", zero), scale: q.add(name+"_scale", tensor.FromSlice([]float32{a.Scale})),
	}
	q.forms[name] = append(q.forms[name], f)
	return f, nil
}

// result returns the form of a node's output, with its own parameters.
func (q *operators) result(name string) (*operand, error) {
	_, a, err := q.affineOf(name, Override{})
	if err != nil {
		return nil, err
	}
	return q.newForm(name, name+"_quantized", a)
}

// alike returns the form of a node's output, with the parameters of its input.
func (q *operators) alike(name, codes string, of *operand) *operand {
	f := &operand{q: q.names.Value(codes), scale: of.scale, zero: of.zero, rule: of.rule, by: of.by}
	q.forms[name] = append(q.forms[name], f)
	return f
}

// writeConstants writes the constants that are read as integers, with their final scales.
func (q *operators) writeConstants() error {
	for _, b := range q.biases {
		if err := q.writeBias(b); err != nil {
			return err
		}
	}
	for _, c := range q.made {
		var dims []int64
		if c.perChannel {
			dims = []int64{int64(len(c.by))}
		}
		zero, scale, err := c.parameters(dims)
		if err != nil {
			return err
		}
		q.added = append(q.added,
			graphops.NewTensorOf(c.form.zero, zero), graphops.NewTensorOf(c.form.scale, scale),
			graphops.NewTensor(c.form.q, c.rule.Type, c.dims, c.codes()))
	}
	return nil
}

// tell adds each chosen node to the report, as quantized or as skipped.
func (q *operators) tell() {
	counted := map[*constant]bool{}
	r := q.report
	for i, n := range q.graph.Nodes() {
		if !q.chosen[i] {
			continue
		}
		if !q.done[i] {
			r.Skipped = append(r.Skipped, quant.Skipped{Index: i, Node: n.Name(), Op: n.OpType(), Reason: q.why[i]})
			continue
		}
		told := quant.Quantized{Index: i, Node: n.Name(), Op: n.OpType()}
		for _, name := range n.Inputs() {
			if c := q.constants[name]; c != nil && told.Weight == "" {
				told.Weight = name
				if !counted[c] {
					counted[c] = true
					told.BytesBefore, told.BytesAfter = c.data.Len(), c.codesLen()+int64(len(c.by))*5
				}
			}
		}
		r.Quantized = append(r.Quantized, told)
	}
	slices.SortStableFunc(r.Skipped, func(a, b quant.Skipped) int { return a.Index - b.Index })
}

// overUnit returns the parameters for numbers from 0 to 1. The kernel of a quantized Softmax
// accepts no others.
func (o Options) overUnit() tensor.Affine {
	a := tensor.Affine{Scale: 1.0 / 256}
	if o.ActivationType == tensor.I8 {
		a.Zero = -128
	}
	return a
}
