package half

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// site identifies a node of the original model.
type site struct {
	place *graphops.Place
	node  int
}

// edge identifies an output of a node by its position.
type edge struct {
	site
	output int
}

// plan says what happens to one node.
type plan struct {
	floats bool   // it reads or produces float32
	kept   string // why it stays in float32, "" if it does not
	// departs is the departure that results if the node stays in float32; "" if none does.
	departs Departure
	// in and out report, for each input and output, whether it gets the target type.
	in, out []bool
}

// converts reports whether any input or output has the target type.
func (p plan) converts() bool { return slices.Contains(p.in, true) || slices.Contains(p.out, true) }

// plan makes the plans for all nodes and decides about all values. If it turns out that sequences
// or a function must stay in float32, it begins again, because this affects nodes for which a plan
// was made already.
func (c *converter) plan() error {
	for {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		c.again = false
		c.plans = make([][]plan, len(c.model.Places()))
		for _, p := range c.model.Places() {
			switch p.Kind {
			case graphops.MainGraph:
				c.planPlace(p, "")
			case graphops.FunctionBody:
				c.planPlace(p, c.keptFunctions[p.Function.Key()])
			}
		}
		if !c.again {
			break
		}
	}
	c.settleOutputs()
	c.settleConstants()
	return nil
}

// planPlace makes the plans for the nodes of a place and of the bodies in it. around says why all
// of them stay in float32; it is "" if they need not.
func (c *converter) planPlace(p *graphops.Place, around string) {
	plans := make([]plan, len(p.Graph.Nodes()))
	c.plans[p.ID] = plans
	for i, n := range p.Graph.Nodes() {
		plans[i] = c.planNode(site{p, i}, n, around)
		if plans[i].kept != "" {
			c.keepFunction(n)
		}
	}
	for _, b := range p.Bodies {
		inside := around
		if kept := plans[b.Node].kept; kept != "" && around == "" {
			inside = fmt.Sprintf("is in a body of %s, which stays in float32", shape.NodeName(b.Node, b.Holder()))
		}
		c.planPlace(b, inside)
	}
}

// keepFunction records that the function which n calls stays in float32, because the call does.
func (c *converter) keepFunction(n *graphops.Node) {
	key := n.Calls()
	if _, isCall := c.functions[key]; isCall && c.keptFunctions[key] == "" {
		c.keptFunctions[key] = fmt.Sprintf("is in function %q, which is called in float32", key.Name)
		c.again = true
	}
}

func (c *converter) planNode(s site, n *graphops.Node, around string) plan {
	p := plan{in: make([]bool, len(n.Inputs())), out: make([]bool, len(n.Outputs()))}
	in, out := c.given(s.place, n.Inputs()), c.given(s.place, n.Outputs())
	sequences := false
	for _, d := range slices.Concat(in, out) {
		if d != nil {
			p.floats = p.floats || d.form == dense || d.form == nested
			sequences = sequences || d.form == nested
		}
	}
	if n.IsConstant() {
		return p
	}
	p.kept = c.obstacle(s, n, around, &p)
	switch {
	case p.kept != "":
	case !p.floats:
		return p
	case sequences && c.wideSequences:
		p.kept = "handles a sequence that stays in float32"
	default:
		p.kept = c.narrow(s, n, &p, in, out)
	}
	if p.kept == "" {
		return p
	}
	clear(p.in)
	clear(p.out)
	if sequences && !c.wideSequences {
		c.wideSequences, c.again = true, true
	}
	return p
}

// given returns the values that the names refer to in a place; nil for a name that is "" or
// undefined.
func (c *converter) given(p *graphops.Place, names []string) []*definition {
	out := make([]*definition, len(names))
	for i, name := range names {
		out[i] = c.lookup(p, name)
	}
	return out
}

// obstacle returns a reason why a node stays in float32 that does not depend on its operator's
// schema, or "". around is as in planPlace.
func (c *converter) obstacle(s site, n *graphops.Node, around string, p *plan) string {
	if around != "" {
		return around
	}
	if reason := c.refused[s]; reason != "" {
		p.departs = SchemaType
		return reason
	}
	if reason := c.lacksCast(s.place); reason != "" && p.floats {
		p.departs = SchemaType
		return reason
	}
	if reason := c.o.Reasons[s.node]; reason != "" && s.place.Kind == graphops.MainGraph {
		return reason
	}
	if !p.floats && len(n.Graphs()) == 0 {
		return ""
	}
	if reason := c.o.obstacle(n); reason != "" {
		return reason
	}
	reason := quantized(s.place, n)
	if reason != "" {
		p.departs = QuantizedNode
	}
	return reason
}

// castSince has, by target type, the first version of the default domain from which on ONNX Runtime
// can insert Casts to that type. It inserts some itself, whose attribute "to" is a number; before
// version 6 it had to be a string.
var castSince = map[tensor.DType]int64{tensor.F16: 6, tensor.BF16: 13}

// lacksCast returns why no value of a place can be cast to the target type, or "" if values can be.
func (c *converter) lacksCast(p *graphops.Place) string {
	version, need := c.opset(p, graphops.DefaultDomain), castSince[c.to]
	switch {
	case version >= need:
		return ""
	case version == 0:
		return "is in a place that imports no version of the standard operators, to which Cast belongs"
	}
	return fmt.Sprintf("has opset %d, but Cast supports %s only from opset %d on; convert the model with lathe export --opset %[3]d", version, c.to, need)
}

// narrow determines which inputs and outputs of a node get the target type. If none can, it returns
// the reason.
func (c *converter) narrow(s site, n *graphops.Node, p *plan, in, out []*definition) string {
	if _, isCall := c.functions[n.Calls()]; isCall {
		if reason := c.keptFunctions[n.Calls()]; reason != "" {
			return "calls a function that stays in float32"
		}
		for i, d := range in {
			p.in[i] = d != nil && (d.form == dense || d.form == nested)
		}
		for i, d := range out {
			p.out[i] = d != nil && (d.form == dense || d.form == nested)
		}
		return ""
	}
	schema, ok := opschema.Find(n.Domain(), n.OpType(), c.opset(s.place, n.Domain()))
	if !ok {
		p.departs = UnknownOperator
		return "has an unknown operator"
	}
	if holdsFloats(n) {
		p.departs = SchemaType
		return "has float32 numbers in an attribute, and its input must have the same type"
	}
	unsure := c.unsure(schema, in, out)
	for i, d := range in {
		param, known := schema.Input(i)
		p.in[i] = known && d != nil && c.takes(param, d, unsure) && !slices.Contains(c.o.WideInputs[n.OpType()], i)
	}
	for i, d := range out {
		param, known := schema.Output(i)
		p.out[i] = known && d != nil && c.takes(param, d, unsure) && !c.wide[edge{s, i}] && !dependsOnCall(n)
	}
	if !c.runs(s, n, schema, *p, in, out) {
		p.departs = MissingKernel
		return fmt.Sprintf("has no kernel of ONNX Runtime for %s", c.to)
	}
	if !p.converts() {
		p.departs = SchemaType
		return fmt.Sprintf("does not support %s in version %d of its domain", c.to, c.opset(s.place, n.Domain()))
	}
	return ""
}

// statesType reports whether an attribute of the node, or its default, determines the element type
// of the output. It ignores Cast. ONNX Runtime does not change such an attribute, so that it cannot
// insert Casts if the CPU has no kernel for the type.
func statesType(n *graphops.Node, schema *opschema.Schema) bool {
	return !n.Is("Cast") && (impliedType(n, schema) != nil ||
		slices.ContainsFunc(n.Attributes(), func(a *graphops.Attribute) bool { return setsType(n, a.Name()) }))
}

// impliedType returns the attribute whose default makes the outputs of the node float32, if the
// node does not state it; otherwise nil.
func impliedType(n *graphops.Node, schema *opschema.Schema) *opschema.Attribute {
	for i, a := range schema.Attributes {
		if _, stated := n.Attribute(a.Name); !stated && setsType(n, a.Name) && a.HasDefault() && a.Int() == int64(tensor.F32) {
			return &schema.Attributes[i]
		}
	}
	return nil
}

// runs reports whether ONNX Runtime can run a node on the CPU with the types of its plan. A missing
// kernel matters for a node that produces the target type but reads none, or whose output type an
// attribute determines. In float16 it also matters if the node has a definition that ONNX Runtime
// would use instead of Casts. For other nodes, it inserts Casts.
func (c *converter) runs(s site, n *graphops.Node, schema *opschema.Schema, p plan, in, out []*definition) bool {
	need := opschema.Need{
		Schema: schema, Version: c.opset(s.place, n.Domain()), Opset: c.opset(s.place, graphops.DefaultDomain),
		Inputs: c.typesAs(in, p.in), Outputs: c.typesAs(out, p.out), Node: n,
	}
	switch answer := need.On(opschema.CPU); answer.Way {
	case opschema.Fails:
		return false
	case opschema.Missing:
		given := slices.Contains(p.out, true) && (!slices.Contains(p.in, true) || statesType(n, schema))
		return !given && (c.to != tensor.F16 || answer.Shortfall == nil)
	default:
		return true
	}
}

// typesAs returns the types of values, of which some get the target type.
func (c *converter) typesAs(values []*definition, narrow []bool) []graphops.Type {
	types := make([]graphops.Type, len(values))
	for i, d := range values {
		if d == nil {
			continue
		}
		types[i] = d.typ.ForFile()
		if narrow[i] {
			types[i] = withElements(types[i], c.to)
		}
	}
	return types
}

// withElements returns the type with another type of the tensors in it.
func withElements(t graphops.Type, to tensor.DType) graphops.Type {
	if t.Of == nil {
		t.Elem = to
		return t
	}
	of := withElements(*t.Of, to)
	t.Of = &of
	return t
}

// holdsFloats reports whether a node has float32 numbers in an attribute, so that its inputs cannot
// become another type.
func holdsFloats(n *graphops.Node) bool {
	if n.Is("ConstantOfShape") {
		return false
	}
	return slices.ContainsFunc(n.Attributes(), func(a *graphops.Attribute) bool {
		return slices.ContainsFunc(a.Tensors(), func(t *graphops.Tensor) bool { return t.DType() == tensor.F32 })
	})
}

// takes reports whether the parameter accepts the value in the target type. unsure is the result of
// unsure.
func (c *converter) takes(p opschema.Param, d *definition, unsure map[string]bool) bool {
	return (d.form == dense || d.form == nested) && !unsure[p.Type] && allows(p, d.form, d.typ, c.to)
}

// unsure returns the type variables of the schema, such as "T", to which a value of unknown type
// belongs. That value could be float32. It could not be cast together with the other values of the
// same type variable, which therefore stay in float32.
func (c *converter) unsure(s *opschema.Schema, in, out []*definition) map[string]bool {
	found := map[string]bool{}
	note := func(p opschema.Param, d *definition) {
		if d != nil && d.form == unknown && p.Homogeneous && p.Allows(graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32}) {
			found[p.Type] = true
		}
	}
	for i, d := range in {
		p, _ := s.Input(i)
		note(p, d)
	}
	for i, d := range out {
		p, _ := s.Output(i)
		note(p, d)
	}
	return found
}

// dependsOnCall reports whether an attribute of the call determines the output type of a node in a
// function.
func dependsOnCall(n *graphops.Node) bool {
	return slices.ContainsFunc(n.Attributes(), func(a *graphops.Attribute) bool {
		return a.RefName() != "" && (setsType(n, a.Name()) || n.Is("ConstantOfShape"))
	})
}

func (c *converter) opset(p *graphops.Place, domain string) int64 {
	if p.Function != nil {
		v, _ := p.Function.Opset(domain)
		return v
	}
	v, _ := c.model.Opset(domain)
	return v
}

// settleOutputs decides which inputs of places and which outputs of nodes get the target type.
func (c *converter) settleOutputs() {
	for _, p := range c.model.Places() {
		x := p.Graph.Index()
		for _, v := range p.Graph.Inputs() {
			if id, ok := x.Value(v.Name()); ok && c.defs[p.ID][id] != nil && !c.defs[p.ID][id].constant {
				d := c.defs[p.ID][id]
				d.narrow = c.outside(p, d)
			}
		}
		for i, n := range p.Graph.Nodes() {
			for o, name := range n.Outputs() {
				if d := c.lookup(p, name); d != nil && d.place == p {
					d.narrow = c.plans[p.ID][i].out[o]
				}
			}
		}
	}
}

// outside reports whether the input or output d of a place must have the target type.
func (c *converter) outside(p *graphops.Place, d *definition) bool {
	switch {
	case d == nil || d.form != dense && d.form != nested, d.form == nested && c.wideSequences:
		return false
	case p.Kind == graphops.MainGraph:
		return !c.o.keepsIO(d.name)
	case p.Kind == graphops.BodyGraph:
		return c.plans[p.Parent.ID][p.Node].kept == ""
	}
	return c.keptFunctions[p.Function.Key()] == ""
}

// settleConstants decides which constants get the target type: those that a reader needs in it, and
// those that are an output with it.
func (c *converter) settleConstants() {
	for _, p := range c.model.Places() {
		for i, n := range p.Graph.Nodes() {
			for at, name := range n.Inputs() {
				if d := c.lookup(p, name); d != nil && d.constant && c.plans[p.ID][i].in[at] {
					d.narrow = true
				}
			}
		}
	}
	for _, p := range c.model.Places() {
		for _, d := range c.defs[p.ID] {
			if d != nil && d.constant {
				d.narrow = d.form == dense && !d.fixed && (d.narrow || c.o.AllWeights && d.producer < 0)
			}
		}
		for _, v := range p.Graph.Outputs() {
			if d := c.lookup(p, v.Name()); d != nil && d.constant && !d.fixed && d.form == dense {
				d.narrow = c.outside(p, d)
			}
		}
	}
}
