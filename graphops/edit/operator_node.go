package edit

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/opschema"
	"lathe/graphops/shape"
	"lathe/graphops/tensor"
)

// operation is a node to be made: its operator, attributes and inputs.
type operation struct {
	*signature
	attributes []*graphops.Attribute
	operands   []operand // by position
}

// operand is one input of a node to be made. The zero value is an input that is left out.
type operand struct {
	name     string         // of a value, or of the constant once it is made
	constant *tensor.Tensor // a value to be made
	fed      bool           // the edit connects this input
}

func (o operand) isEmpty() bool { return o.name == "" && o.constant == nil && !o.fed }

// operationOf returns the node that the options describe. fed are the inputs that the edit
// connects itself, in order; they are at the positions that the options leave free, the first of
// them at the position at if that is not "".
func (e *edit) operationOf(o Operator, at string, fed int) (*operation, error) {
	s, err := e.signatureOf(o.Name)
	if err != nil {
		return nil, err
	}
	n := &operation{signature: s}
	if n.attributes, err = e.attributesFor(s, o.Set); err == nil {
		err = e.connect(n, o.Inputs, at, fed)
	}
	if err != nil {
		return nil, fmt.Errorf("operator %s: %w", s, err)
	}
	return n, nil
}

// connect sets the operands of a node.
func (e *edit) connect(n *operation, inputs []OperatorInput, at string, fed int) error {
	given := map[int]bool{}
	put := func(i int, o operand) error {
		if given[i] {
			return fmt.Errorf("input %s: is given twice", n.inputLabel(i))
		}
		for len(n.operands) <= i {
			n.operands = append(n.operands, operand{})
		}
		given[i], n.operands[i] = true, o
		return nil
	}
	if at != "" {
		i, err := n.position(at)
		if err != nil {
			return err
		}
		if err := put(i, operand{fed: true}); err != nil {
			return err
		}
		fed--
	}
	for _, in := range inputs {
		i, err := n.position(in.Input)
		if err != nil {
			return err
		}
		o, err := e.operandOf(in.Text)
		if err != nil {
			return fmt.Errorf("input %s: %w", n.inputLabel(i), err)
		}
		if err := put(i, o); err != nil {
			return err
		}
	}
	for i := 0; fed > 0; i++ {
		switch {
		case given[i]:
		case i >= n.maxInputs():
			return fmt.Errorf("has %s, and no place for another one", n.inputNames())
		default:
			if err := put(i, operand{fed: true}); err != nil {
				return err
			}
			fed--
		}
	}
	return n.complete()
}

// complete removes operands at the end that are left out. It returns an error if an operand that
// the operator requires is left out.
func (n *operation) complete() error {
	for last := len(n.operands) - 1; last >= 0 && n.operands[last].isEmpty(); last-- {
		n.operands = n.operands[:last]
	}
	for i := 0; i < len(n.operands) || n.needsInput(i); i++ {
		if n.needsInput(i) && (i >= len(n.operands) || n.operands[i].isEmpty()) {
			return fmt.Errorf("input %s: is required; give it with --input %d=VALUE, or a constant such as --input '%d=f32[]{0.5}'", n.inputLabel(i), i, i)
		}
	}
	return nil
}

// inputLabel returns an input for a message: "1 (slope)".
func (n *operation) inputLabel(i int) string { return fmt.Sprintf("%d (%s)", i, n.inputName(i)) }

// maxOperands limits the position of an input of an operator that takes any number.
const maxOperands = 10_000

// position returns the position of an input, given by its position or name.
func (n *operation) position(text string) (int, error) {
	if i, err := strconv.Atoi(text); err == nil {
		if i < 0 || i >= min(n.maxInputs(), maxOperands) {
			return 0, fmt.Errorf("input %d: it has %s", i, n.inputNames())
		}
		return i, nil
	}
	var names []string
	for i := range min(n.maxInputs(), maxListed) {
		if n.inputName(i) == text {
			return i, nil
		}
		names = append(names, n.inputName(i))
	}
	if near := graphops.NearestNames(text, slices.Values(names)); len(near) > 0 {
		return 0, fmt.Errorf("input %q: it has none of that name; nearest names: %s", text, graphops.QuoteNames(near))
	}
	return 0, fmt.Errorf("input %q: it has %s", text, n.inputNames())
}

// operandOf returns the operand for a text: a value that the place can read, or a constant.
func (e *edit) operandOf(text string) (operand, error) {
	if text == "" {
		return operand{}, nil
	}
	if e.isVisible(text) {
		return operand{name: text}, nil
	}
	t, err := tensor.ParseLiteral(text)
	if err == nil {
		return operand{constant: &t}, nil
	}
	if strings.ContainsAny(text, "{") {
		return operand{}, err
	}
	var names []string
	for i := range e.index.Values() {
		names = append(names, e.index.Name(graphops.ValueID(i)))
	}
	err = fmt.Errorf("%s is neither a value of %s nor a constant such as f32[]{0.5}", graphops.ShortQuoted(text), e.where())
	if near := graphops.NearestNames(text, slices.Values(names)); len(near) > 0 {
		err = fmt.Errorf("%w; nearest names: %s", err, graphops.QuoteNames(near))
	}
	return operand{}, err
}

// isVisible reports whether a new node of the place can read a value: one of the place, or, in a
// body, one of a graph around it.
func (e *edit) isVisible(name string) bool {
	for p := e.place; p != nil; p = p.Parent {
		if id, ok := p.Graph.Index().Value(name); ok && (p == e.place || p.Graph.Index().IsDefined(id)) {
			return true
		}
	}
	return false
}

// nameConstants gives the constants that a node reads names that begin with that of the node.
func (e *edit) nameConstants(n *operation, node string) {
	for i := range n.operands {
		if o := &n.operands[i]; o.constant != nil {
			o.name = e.fresh().Value(node + "_" + n.inputName(i))
		}
	}
}

// constants returns the constants that a node reads, as tensors with names.
func (n *operation) constants() []*graphops.Tensor {
	var list []*graphops.Tensor
	for _, o := range n.operands {
		if o.constant != nil {
			list = append(list, graphops.NewTensorOf(o.name, *o.constant))
		}
	}
	return list
}

// makeConstants adds the constants that a node reads: as initializers, or as Constant nodes where
// the place cannot hold an initializer.
func (e *edit) makeConstants(n *operation) error {
	for i, o := range n.operands {
		if o.constant == nil {
			continue
		}
		if e.place.Kind != graphops.FunctionBody && e.model.IRVersion() >= graphops.OptionalInputsIR {
			e.next.Initializers = append(e.next.Initializers, graphops.NewTensorOf(o.name, *o.constant))
			e.report.changed("initializer", o.name, "", literalText(*o.constant))
			continue
		}
		since, ok := constantSince(o.constant.DType)
		if !ok {
			return fmt.Errorf("input %s: no Constant produces %s", n.inputLabel(i), o.constant.DType)
		}
		if err := e.checkOpset("a Constant of "+o.constant.DType.String(), since); err != nil {
			return err
		}
		name := e.fresh().Node(o.name)
		e.insert(atFront, graphops.NewNode(graphops.NodeSpec{
			Op: "Constant", Name: name, Outputs: []string{o.name},
			Attributes: []*graphops.Attribute{graphops.TensorAttribute("value", graphops.NewTensorOf("", *o.constant))},
		}))
		e.report.changed("node", name, "", "Constant "+literalText(*o.constant))
	}
	return nil
}

// maxLiteral is how many bytes of a constant a report shows.
const maxLiteral = 60

// literalText returns a constant for a report, without its elements if these are many.
func literalText(t tensor.Tensor) string {
	if literal, err := t.Literal(); err == nil && len(literal) <= maxLiteral {
		return literal
	}
	return fmt.Sprintf("%s %s", t.DType, graphops.FixedShape(t.Shape))
}

// node makes the node. fed are the values for the inputs that the edit connects.
func (n *operation) node(name string, fed, outputs []string) *graphops.Node {
	var inputs []string
	for _, o := range n.operands {
		if o.fed {
			o.name, fed = fed[0], fed[1:]
		}
		inputs = append(inputs, o.name)
	}
	made := graphops.NewNode(graphops.NodeSpec{Op: n.Name, Domain: n.Domain, Name: name, Inputs: inputs, Outputs: outputs, Attributes: n.attributes})
	if n.Overload != "" {
		return made.Calling(n.FunctionKey)
	}
	return made
}

// describe returns the node for a report: its operator, what it reads and its attributes.
func (n *operation) describe(fed []string) string {
	var inputs []string
	for _, o := range n.operands {
		if o.fed {
			o.name, fed = fed[0], fed[1:]
		}
		inputs = append(inputs, o.name)
	}
	text := n.signature.String()
	if len(inputs) > 0 {
		text += " of " + strings.Join(inputs, ", ")
	}
	for i, a := range n.attributes {
		lead := ", "
		if i == 0 {
			lead = " with "
		}
		text += lead + a.Name() + "=" + a.String()
	}
	return text
}

// typeBindings are the types that the variables of a schema have at a node, each with the input
// that it was first seen at.
type typeBindings map[string]struct {
	input int
	t     graphops.Type
}

// checkTypes returns an error if the operator does not accept the types of its inputs. types has
// those that are known, by position.
func (n *operation) checkTypes(types []graphops.Type, names []string) error {
	if n.schema == nil {
		return nil
	}
	bound := typeBindings{}
	for i, t := range types {
		p, ok := n.schema.Input(i)
		if !ok || t.Kind == graphops.TypeUnknown {
			continue
		}
		if !p.Allows(t) {
			return fmt.Errorf("operator %s: input %s: accepts %s in this opset, but %s is %s%s", n, n.inputLabel(i), kindsOf(p), names[i], t, n.acceptsFrom(i, t))
		}
		if _, variable := n.schema.Constraint(p.Type); !variable || !p.Homogeneous {
			continue
		}
		was, seen := bound[p.Type]
		if seen && was.t.String() != t.String() {
			return fmt.Errorf("operator %s: inputs %s and %s: need the same type, but %s is %s and %s is %s", n, n.inputLabel(was.input), n.inputLabel(i), names[was.input], was.t, names[i], t)
		}
		was.input, was.t = i, t
		bound[p.Type] = was
	}
	return nil
}

// acceptsFrom says which later version of the operator accepts a type, if one does.
func (n *operation) acceptsFrom(i int, t graphops.Type) string {
	for _, v := range opschema.Versions(n.Domain, n.Name) {
		if p, ok := v.Input(i); ok && v.Since > n.schema.Since && p.Allows(t) {
			return fmt.Sprintf("; opset %d of %s accepts it: convert the model first", v.Since, domainLabel(n.Domain))
		}
	}
	return ""
}

// kindsOf lists the types of an input for a message.
func kindsOf(p opschema.Param) string {
	var names []string
	for _, t := range p.Types() {
		names = append(names, t.String())
	}
	return listed(names[:min(len(names), maxListed)], len(names))
}

// outputElem returns the type of an output as far as it follows from the definition and the types of
// the inputs: the element type, but no shape.
func (n *operation) outputElem(output int, types []graphops.Type) graphops.Type {
	if n.schema == nil {
		return graphops.Type{}
	}
	p, ok := n.schema.Output(output)
	if !ok || !p.Homogeneous {
		return graphops.Type{}
	}
	if len(p.Types()) == 1 {
		return p.Types()[0]
	}
	for i, t := range types {
		in, ok := n.schema.Input(i)
		if ok && in.Type == p.Type && in.Homogeneous && t.Kind == graphops.TypeTensor {
			return withoutShape(t)
		}
	}
	return graphops.Type{}
}

// operandTypes returns the types of a node's inputs, and their names for messages. fed has the
// types and names of those that the edit connects.
func (e *edit) operandTypes(ctx context.Context, n *operation, fed []graphops.Type, fedNames []string) (types []graphops.Type, names []string, err error) {
	var ids []graphops.ValueID
	for _, o := range n.operands {
		if id, ok := e.index.Value(o.name); ok && o.name != "" {
			ids = append(ids, id)
		}
	}
	known := map[graphops.ValueID]graphops.Type{}
	if len(ids) > 0 {
		if known, err = e.typesOf(ctx, nil, ids); err != nil {
			return nil, nil, err
		}
	}
	for _, o := range n.operands {
		var t graphops.Type
		id, ok := e.index.Value(o.name)
		name := fmt.Sprintf("%q", o.name)
		switch {
		case o.fed:
			t, name, fed, fedNames = fed[0], fmt.Sprintf("%q", fedNames[0]), fed[1:], fedNames[1:]
		case o.constant != nil:
			t, name = graphops.Type{Kind: graphops.TypeTensor, Elem: o.constant.DType, Shape: graphops.FixedShape(o.constant.Shape)}, "the constant"
		case ok && o.name != "":
			t = known[id]
			if made, has := e.made[id]; has && t.Kind == graphops.TypeUnknown {
				t = made
			}
		}
		types, names = append(types, t), append(names, name)
	}
	return types, names, nil
}

// resultTypes infers the types of values that nodes to be added give. The nodes are put at the end
// of the place, whose other nodes need not be sorted. A type is unknown if no rule infers it, and
// typer, which may be nil, does not know it.
func (e *edit) resultTypes(ctx context.Context, typer graphops.Typer, n *operation, nodes []*graphops.Node) (*results, error) {
	draft := graphops.EditGraph(e.graph)
	draft.Nodes = append(draft.Nodes, nodes...)
	if e.place.Kind == graphops.FunctionBody {
		for _, t := range n.constants() {
			draft.Nodes = append(draft.Nodes, graphops.NewNode(graphops.NodeSpec{Op: "Constant", Outputs: []string{t.Name()}, Attributes: []*graphops.Attribute{graphops.TensorAttribute("value", t.WithName(""))}}))
		}
	} else {
		draft.Initializers = append(draft.Initializers, n.constants()...)
	}
	m := importingAll(e.model.WithGraph(e.place, draft.Graph()), e.place, n.newImports())
	at := m.Places()[e.place.ID]
	r, err := inferred(ctx, m, shape.Options{})
	if err != nil {
		return nil, err
	}
	types := map[string]graphops.Type{}
	rest := &results{types, r, at}
	var open []string
	for _, n := range nodes {
		for _, name := range n.Outputs() {
			if id, ok := at.Graph.Index().Value(name); ok && r != nil {
				types[name] = r.Type(at, id)
			}
			if t := types[name]; t.Kind == graphops.TypeUnknown || t.Kind == graphops.TypeTensor && t.Shape == nil {
				open = append(open, name)
			}
		}
	}
	if len(open) == 0 || typer == nil || e.place.Kind != graphops.MainGraph {
		return rest, nil
	}
	// The trial of the result reports the same error.
	told, err := typer.Types(ctx, m, open)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	for _, name := range open {
		if t, ok := told[name]; ok && err == nil && t.Kind != graphops.TypeUnknown {
			types[name] = t
		}
	}
	return rest, nil
}

// results has the inferred types of what new nodes give.
type results struct {
	types map[string]graphops.Type
	shape *shape.Result // nil if the model is too large
	place *graphops.Place
}

// sameSizes reports whether two values certainly have the same sizes.
func (r *results) sameSizes(a, b string) bool {
	if r.shape == nil {
		return false
	}
	x := r.place.Graph.Index()
	i, has := x.Value(a)
	j, hasToo := x.Value(b)
	if !has || !hasToo {
		return false
	}
	was, is := r.shape.Value(r.place, i).Type.Dims, r.shape.Value(r.place, j).Type.Dims
	return was != nil && is != nil && slices.EqualFunc(was, is, dim.Dim.Equal)
}

// importingAll returns the model with imports of opsets, which are those of the function if the
// place is one.
func importingAll(m *graphops.Model, at *graphops.Place, imports []graphops.Opset) *graphops.Model {
	if len(imports) == 0 {
		return m
	}
	next := graphops.Edit(m)
	for _, o := range imports {
		if _, has := m.Opset(o.Domain); !has {
			next.SetOpset(o.Domain, o.Version)
		}
		for i, f := range next.Functions {
			if _, has := f.Opset(o.Domain); at.Function != nil && f.Key() == at.Function.Key() && !has {
				next.Functions[i] = f.WithOpset(o.Domain, o.Version)
			}
		}
	}
	return next.Model()
}

// newImports returns the imports that the node needs and the place lacks.
func (n *operation) newImports() []graphops.Opset {
	if n.imports == 0 {
		return nil
	}
	return []graphops.Opset{{Domain: n.Domain, Version: n.imports}}
}

// importFor adds the imports that the node needs to the edited model, and reports them.
func (e *edit) importFor(n *operation, m *graphops.Model) *graphops.Model {
	for _, o := range n.newImports() {
		e.report.changed("opset_import", shownDomain(o.Domain), "", strconv.FormatInt(o.Version, 10))
	}
	return importingAll(m, e.place, n.newImports())
}
