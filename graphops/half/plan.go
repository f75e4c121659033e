package half

import (
	"fmt"
	"slices"

	"lathe/graphops"
	"lathe/graphops/opschema"
	"lathe/graphops/rewrite"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// edge identifies an output of a node of the source by its position.
type edge struct {
	rewrite.Site
	output int
}

// plan says what happens to one node.
type plan struct {
	graph           *rewrite.Graph
	node            *rewrite.Node
	spec            *graphops.Node // the node of the source
	site            rewrite.Site
	inputs, outputs []*rewrite.Value // before the conversion
	floats          bool             // it reads or produces float32
	kept            string           // why it stays in float32, "" if it does not
	// in and out report, for each input and output, whether it gets the target type.
	in, out []bool
}

// converts reports whether any input or output has the target type.
func (p *plan) converts() bool { return slices.Contains(p.in, true) || slices.Contains(p.out, true) }

// isOutput reports whether an output of the node is an output of its graph in the source.
func (p *plan) isOutput(i int) bool {
	return slices.ContainsFunc(p.site.Place.Graph.Outputs(), func(o *graphops.ValueInfo) bool { return o.Name() == p.spec.Outputs()[i] })
}

// plan makes the plans for all nodes and decides about all values. If it turns out that sequences
// or a function must stay in float32, it begins again, because this affects nodes for which a plan
// was made already.
func (c *converter) plan() error {
	for {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		c.again = false
		c.plans, c.ordered = make([]*plan, c.model.Nodes()), nil
		for _, g := range c.model.Graphs() {
			if g.Holder() == nil {
				around := ""
				if f := g.Place().Function; f != nil {
					around = c.keptFunctions[f.Key()]
				}
				c.planGraph(g, around)
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

// planGraph makes the plans for the nodes of a graph and of the bodies in it. around says why all
// of them stay in float32; it is "" if they need not.
func (c *converter) planGraph(g *rewrite.Graph, around string) {
	plans, all := make([]*plan, 0, g.Len()), make([]plan, 0, g.Len())
	ports := 0
	for n := range g.Nodes() {
		ports += n.InputCount() + n.OutputCount()
	}
	values, marks := make([]*rewrite.Value, 0, ports), make([]bool, ports) // of all plans
	for n := range g.Nodes() {
		site := n.Origin()
		p := plan{graph: g, node: n, spec: site.Spec(), site: site}
		at, in, end := len(values), len(values)+n.InputCount(), len(values)+n.InputCount()+n.OutputCount()
		values = n.AppendValues(values)
		p.inputs, p.outputs = values[at:in:in], values[in:end:end]
		p.in, p.out = marks[at:in:in], marks[in:end:end]
		all = append(all, p)
		plans = append(plans, &all[len(all)-1])
	}
	c.ordered = append(c.ordered, plans...)
	for _, p := range plans {
		c.plans[p.node.ID()] = p
		c.planNode(p, around)
		if p.kept != "" {
			c.keepFunction(p)
		}
	}
	for _, p := range plans {
		inside := around
		if p.kept != "" && around == "" {
			inside = fmt.Sprintf("is in a body of %s, which stays in float32", shape.NodeName(p.site.Node, p.spec))
		}
		for _, b := range p.node.Bodies() {
			c.planGraph(b, inside)
		}
	}
}

// keepFunction records that the function which a node calls stays in float32, because the node
// does.
func (c *converter) keepFunction(p *plan) {
	key := p.spec.Calls()
	if p.node.IsCall() && c.keptFunctions[key] == "" {
		c.keptFunctions[key] = fmt.Sprintf("is in function %q, which is called in float32", key.Name)
		c.again = true
	}
}

func (c *converter) planNode(p *plan, around string) {
	sequences := false
	for _, list := range [][]*rewrite.Value{p.inputs, p.outputs} {
		for _, v := range list {
			known := c.of(v)
			p.floats = p.floats || known.floats()
			sequences = sequences || known.form == nested
		}
	}
	if p.spec.IsConstant() {
		return
	}
	p.kept = c.obstacle(p, around)
	switch {
	case p.kept != "":
	case !p.floats:
		return
	case sequences && c.wideSequences:
		p.kept = "handles a sequence that stays in float32"
	default:
		p.kept = c.narrow(p)
	}
	if p.kept == "" {
		return
	}
	clear(p.in)
	clear(p.out)
	if sequences && !c.wideSequences {
		c.wideSequences, c.again = true, true
	}
}

// obstacle returns a reason why a node stays in float32 that does not depend on its operator's
// schema, or "". around is as in planGraph.
func (c *converter) obstacle(p *plan, around string) string {
	if around != "" {
		return around
	}
	if reason := c.refused[p.site]; reason != "" {
		return reason
	}
	if reason := c.lacksCast(p.graph); reason != "" && p.floats {
		return reason
	}
	if reason := c.o.Reasons[p.site.Node]; reason != "" && p.graph.IsMain() {
		return reason
	}
	if !p.floats && len(p.node.Bodies()) == 0 {
		return ""
	}
	if reason := c.o.obstacle(p.spec); reason != "" {
		return reason
	}
	if !c.integers {
		return ""
	}
	return quantized(p.node)
}

// castSince has, by target type, the first version of the default domain from which on ONNX Runtime
// can insert Casts to that type. It inserts some itself, whose attribute "to" is a number; before
// version 6 it had to be a string.
var castSince = map[tensor.DType]int64{tensor.F16: 6, tensor.BF16: 13}

// lacksCast returns why no value of a graph can be cast to the target type, or "" if values can be.
func (c *converter) lacksCast(g *rewrite.Graph) string {
	version, need := c.opset(g, graphops.DefaultDomain), castSince[c.to]
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
func (c *converter) narrow(p *plan) string {
	if p.node.IsCall() {
		if c.keptFunctions[p.spec.Calls()] != "" {
			return "calls a function that stays in float32"
		}
		for i, v := range p.inputs {
			p.in[i] = c.of(v).floats()
		}
		for i, v := range p.outputs {
			p.out[i] = c.of(v).floats()
		}
		return ""
	}
	schema := c.schema(p)
	if schema == nil {
		return "has an unknown operator"
	}
	if holdsFloats(p.spec) {
		return "has float32 numbers in an attribute, and its input must have the same type"
	}
	unsure := c.unsure(schema, p)
	for i, v := range p.inputs {
		param, known := schema.Input(i)
		p.in[i] = known && c.takes(param, c.of(v), unsure) && !slices.Contains(c.o.WideInputs[p.spec.OpType()], i)
	}
	for i, v := range p.outputs {
		param, known := schema.Output(i)
		p.out[i] = known && c.takes(param, c.of(v), unsure) && !c.wide[edge{p.site, i}] && !dependsOnCall(p.spec)
	}
	if !c.runs(p, schema) {
		return fmt.Sprintf("has no kernel of ONNX Runtime for %s", c.to)
	}
	if !p.converts() {
		return fmt.Sprintf("does not support %s in version %d of its domain", c.to, c.opset(p.graph, p.spec.Domain()))
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
func (c *converter) runs(p *plan, schema *opschema.Schema) bool {
	need := opschema.Need{
		Runtime: c.o.Runtime,
		Schema:  schema, Version: c.opset(p.graph, p.spec.Domain()), Opset: c.opset(p.graph, graphops.DefaultDomain),
		Node: p.spec,
	}
	c.asked = c.typesAs(c.typesAs(c.asked[:0], p.inputs, p.in), p.outputs, p.out)
	need.Inputs, need.Outputs = c.asked[:len(p.in)], c.asked[len(p.in):]
	switch answer := c.kernels.OnCPU(need); answer.Way {
	case opschema.Fails:
		return false
	case opschema.Missing:
		given := slices.Contains(p.out, true) && (!slices.Contains(p.in, true) || statesType(p.spec, schema))
		return !given && (c.to != tensor.F16 || answer.Shortfall == nil)
	default:
		return true
	}
}

// typesAs appends the types of values to a list. Some of them get the target type.
func (c *converter) typesAs(types []graphops.Type, values []*rewrite.Value, narrow []bool) []graphops.Type {
	for i, v := range values {
		known := c.of(v).typ
		known.Dims = nil // kernels have types and no shapes
		t := known.ForFile()
		if narrow[i] {
			t = withElements(t, c.to)
		}
		types = append(types, t)
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
func (c *converter) takes(p opschema.Param, v *value, unsure map[string]bool) bool {
	return v.floats() && !unsure[p.Type] && allows(p, v.form, v.typ, c.to)
}

// unsure returns the type variables of the schema, such as "T", to which a value of unknown type
// belongs. That value could be float32. It could not be cast together with the other values of the
// same type variable, which therefore stay in float32.
func (c *converter) unsure(s *opschema.Schema, n *plan) map[string]bool {
	var found map[string]bool
	note := func(p opschema.Param, v *rewrite.Value) {
		if c.of(v).form == unknown && p.Homogeneous && p.Allows(graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32}) {
			if found == nil {
				found = map[string]bool{}
			}
			found[p.Type] = true
		}
	}
	for i, v := range n.inputs {
		p, _ := s.Input(i)
		note(p, v)
	}
	for i, v := range n.outputs {
		p, _ := s.Output(i)
		note(p, v)
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

// opset is rewrite.Graph.Opset, but 1 for a domain that the model does not import, as ONNX Runtime
// treats its own.
func (c *converter) opset(g *rewrite.Graph, domain string) int64 {
	if g.Place().Function != nil {
		return g.Opset(domain)
	}
	version, _ := c.source.Opset(domain)
	return version
}

// schema returns the schema of the node's operator, nil if the operator is unknown.
func (c *converter) schema(p *plan) *opschema.Schema {
	s, _ := opschema.Find(p.spec.Domain(), p.spec.OpType(), c.opset(p.graph, p.spec.Domain()))
	return s
}

// settleOutputs decides which inputs of graphs and which outputs of nodes get the target type.
func (c *converter) settleOutputs() {
	for _, g := range c.model.Graphs() {
		for _, v := range g.Inputs() {
			if known := c.of(v); !known.constant {
				known.narrow = c.outside(g, v)
			}
		}
	}
	for _, p := range c.ordered {
		for o, v := range p.outputs {
			c.of(v).narrow = p.out[o]
		}
	}
}

// outside reports whether v, an input or output of the graph, must have the target type.
func (c *converter) outside(g *rewrite.Graph, v *rewrite.Value) bool {
	known := c.of(v)
	switch {
	case !known.floats(), known.form == nested && c.wideSequences:
		return false
	case g.IsMain():
		return !c.o.keepsIO(v.Name())
	case g.Holder() != nil:
		return c.plans[g.Holder().ID()].kept == ""
	}
	return c.keptFunctions[g.Place().Function.Key()] == ""
}

// settleConstants decides which constants get the target type: those that a reader needs in it, and
// those that are an output with it.
func (c *converter) settleConstants() {
	for _, p := range c.ordered {
		for i, v := range p.inputs {
			if known := c.of(v); known.constant && p.in[i] {
				known.narrow = true
			}
		}
	}
	for _, g := range c.model.Graphs() {
		for _, v := range g.Values() {
			if known := c.of(v); known.constant {
				known.narrow = known.form == dense && !known.fixed && (known.narrow || c.o.AllWeights && v.Producer() == nil)
			}
		}
	}
	for _, g := range c.model.Graphs() {
		for _, v := range g.Outputs() {
			if known := c.of(v); known.constant && !known.fixed && known.form == dense {
				known.narrow = c.outside(g, v)
			}
		}
	}
}
