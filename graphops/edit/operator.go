package edit

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/opschema"
)

// Operator says which operator a new node has, and what the node gets besides the values that the
// edit connects to it.
type Operator struct {
	// Name is the operator: "LeakyRelu", or "com.microsoft::FastGelu" with its domain. Without a
	// domain it is the default one, or else the only one that has such an operator. It can also be a
	// function of the model.
	Name string
	// Set are the attributes.
	Set []AttributeSetting
	// Inputs are the inputs that the edit does not connect itself.
	Inputs []OperatorInput
}

// OperatorInput is one input of a new node, as a user types it.
type OperatorInput struct {
	// Input is the position of the input, or its name in the definition of the operator.
	Input string
	// Text is the name of a value, or a constant such as f32[]{0.5}. If it is "", an optional input
	// is left out.
	Text string
}

// SplitOperator splits "DOMAIN::OP" into the domain and the operator. domain is "" for "OP" and for
// the default domain; stated reports whether the text has a domain.
func SplitOperator(text string) (domain, op string, stated bool) {
	i := strings.LastIndex(text, "::")
	if i < 0 {
		return graphops.DefaultDomain, text, false
	}
	return graphops.NormalDomain(text[:i]), text[i+len("::"):], true
}

// signature is what is known of an operator: what its nodes may read, give and have set. Either
// schema or function is nil.
type signature struct {
	graphops.FunctionKey
	schema   *opschema.Schema
	function *graphops.Function
	// imports is the version of the domain that has to be imported first, or 0.
	imports int64
}

func (s *signature) String() string { return joinOperator(s.Domain, s.Name) }

func joinOperator(domain, op string) string { return graphops.Op{Domain: domain, Name: op}.String() }

// signatureOf finds an operator by its name, in the opset of the place.
func (e *edit) signatureOf(name string) (*signature, error) {
	domain, op, stated := SplitOperator(name)
	if f := e.functionNamed(domain, op, stated); f != nil {
		return e.calling(f)
	}
	if len(opschema.Versions(domain, op)) == 0 {
		if stated {
			return nil, e.unknownOperator(name)
		}
		var err error
		if domain, err = e.domainOf(op); err != nil {
			return nil, err
		}
	}
	s := &signature{FunctionKey: graphops.FunctionKey{Domain: domain, Name: op}}
	versions := opschema.Versions(domain, op)
	version, imported := e.opset(domain)
	if !imported && domain == graphops.DefaultDomain {
		return nil, fmt.Errorf("operator %s: %s imports no opset of the default domain, which it needs", s, e.where())
	}
	if !imported {
		s.schema = versions[len(versions)-1]
		s.imports, version = s.schema.Since, s.schema.Since
	}
	s.schema, imported = opschema.Find(domain, op, version)
	switch {
	case !imported:
		return nil, fmt.Errorf("operator %s: needs opset %d of %s, %s has %d; convert it first%s", s, versions[0].Since, domainLabel(domain), e.where(), version, orElsewhere(s))
	case s.schema.Deprecated:
		return nil, fmt.Errorf("operator %s: opset %d of %s removed it, and %s has %d", s, s.schema.Since, domainLabel(domain), e.where(), version)
	}
	return s, nil
}

// orElsewhere says for a message which other domains have an operator of the same name.
func orElsewhere(s *signature) string {
	var names []string
	for _, d := range opschema.Domains() {
		if d != s.Domain && len(opschema.Versions(d, s.Name)) > 0 {
			names = append(names, joinOperator(d, s.Name))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ", or use " + strings.Join(names, " or ")
}

// domainLabel returns the name of a domain in a sentence.
func domainLabel(domain string) string {
	if domain == graphops.DefaultDomain {
		return "the default domain"
	}
	return domain
}

// functionNamed returns the function of the model with the name, or nil. Without a stated domain, a
// function of another domain counts only if no standard operator has its name.
func (e *edit) functionNamed(domain, op string, stated bool) *graphops.Function {
	var found []*graphops.Function
	for _, f := range e.model.Functions() {
		k := f.Key()
		if k.Name == op && (k.Domain == domain || !stated && len(opschema.Versions(graphops.DefaultDomain, op)) == 0) {
			found = append(found, f)
		}
	}
	if len(found) == 0 {
		return nil
	}
	// The one without an overload is what a node without one calls.
	return slices.MinFunc(found, func(a, b *graphops.Function) int { return cmp.Compare(a.Key().Overload, b.Key().Overload) })
}

// calling returns the signature of a function of the model. It is an error if the function would
// call itself.
func (e *edit) calling(f *graphops.Function) (*signature, error) {
	s := &signature{FunctionKey: f.Key(), function: f}
	if e.place.Function != nil && e.calls(f.Key(), e.place.Function.Key()) {
		return nil, fmt.Errorf("operator %s: the function would call itself", s)
	}
	if _, imported := e.opset(s.Domain); !imported {
		version, stated := e.model.Opset(s.Domain)
		if s.imports = version; !stated {
			s.imports = 1
		}
	}
	return s, nil
}

// calls reports whether a function is another one, or calls it directly or through others.
func (e *edit) calls(from, to graphops.FunctionKey) bool {
	called := map[graphops.FunctionKey][]graphops.FunctionKey{}
	for _, p := range e.model.Places() {
		if p.Function == nil {
			continue
		}
		for _, n := range p.Graph.Nodes() {
			called[p.Function.Key()] = append(called[p.Function.Key()], n.Calls())
		}
	}
	seen := map[graphops.FunctionKey]bool{from: true}
	for pending := []graphops.FunctionKey{from}; len(pending) > 0; {
		k := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		if k == to {
			return true
		}
		for _, next := range called[k] {
			if !seen[next] {
				seen[next] = true
				pending = append(pending, next)
			}
		}
	}
	return false
}

// domainOf returns the domain of an operator that the default domain does not have: one that the
// place imports, or else the only one that has the operator.
func (e *edit) domainOf(op string) (string, error) {
	var all, imported []string
	for _, d := range opschema.Domains() {
		if len(opschema.Versions(d, op)) == 0 {
			continue
		}
		all = append(all, d)
		if _, ok := e.opset(d); ok {
			imported = append(imported, d)
		}
	}
	switch {
	case len(imported) == 1:
		return imported[0], nil
	case len(all) == 1:
		return all[0], nil
	case len(all) == 0:
		return "", e.unknownOperator(op)
	}
	for i, d := range all {
		all[i] = joinOperator(d, op)
	}
	return "", fmt.Errorf("operator %s: several domains have it; say which: %s", op, strings.Join(all, ", "))
}

// unknownOperator returns the error for an operator that does not exist, with similar names.
func (e *edit) unknownOperator(name string) error {
	domain, op, stated := SplitOperator(name)
	candidates := func(yield func(string) bool) {
		for _, f := range e.model.Functions() {
			if k := f.Key(); !yield(k.Name) {
				return
			}
		}
		for _, d := range opschema.Domains() {
			if stated && opschema.Latest(domain) > 0 && d != domain {
				continue
			}
			for _, n := range opschema.Names(d) {
				if !yield(n) {
					return
				}
			}
		}
	}
	near := graphops.NearestNames(op, candidates)
	for n := range candidates {
		if strings.EqualFold(n, op) {
			near = []string{n}
			break
		}
	}
	err := fmt.Errorf("operator %q: no domain that is known has it, and no function of the model is called so", name)
	if opschema.Latest(domain) > 0 && stated {
		err = fmt.Errorf("operator %q: domain %s has none of that name", name, shownDomain(domain))
	}
	if near = slices.Compact(near); len(near) > 0 {
		return fmt.Errorf("%w; nearest names: %s", err, graphops.QuoteNames(near))
	}
	return err
}

// inputName returns the name of an input in the definition of the operator.
func (s *signature) inputName(i int) string {
	if s.function != nil {
		return s.function.Graph().Inputs()[i].Name()
	}
	p, _ := s.schema.Input(i)
	return p.Name
}

// maxInputs returns the largest number of inputs of a node.
func (s *signature) maxInputs() int {
	if s.function != nil {
		return len(s.function.Graph().Inputs())
	}
	return s.schema.MaxInputs
}

// needsInput reports whether a node cannot leave out an input.
func (s *signature) needsInput(i int) bool {
	if s.function != nil {
		return false // a function decides by itself what it does without an input
	}
	switch p, ok := s.schema.Input(i); {
	case !ok || p.Option == opschema.Optional:
		return false
	case p.Option == opschema.Variadic:
		return i < len(s.schema.Inputs)-1+p.MinArity
	default:
		return true
	}
}

// inputNames lists the inputs for a message.
func (s *signature) inputNames() string {
	var names []string
	for i := range min(s.maxInputs(), maxListed) {
		names = append(names, s.inputName(i))
	}
	if s.schema != nil && s.schema.MaxInputs == math.MaxInt {
		return "any number of inputs"
	}
	return fmt.Sprintf("%s: %s", counted(s.maxInputs(), "input"), listed(names, s.maxInputs()))
}

// maxListed is how many inputs of an operator a message lists.
const maxListed = 12

// minOutputs returns the smallest number of outputs of a node that gives at least one.
func (s *signature) minOutputs() int {
	if s.function != nil {
		return len(s.function.Graph().Outputs())
	}
	return max(1, s.schema.MinOutputs)
}

// maxOutputs returns the largest number of outputs of a node.
func (s *signature) maxOutputs() int {
	if s.function != nil {
		return len(s.function.Graph().Outputs())
	}
	return s.schema.MaxOutputs
}

// attribute returns the kind of an attribute. It is AttrUndefined if the definition does not
// say it. ok is false if the operator has no such attribute.
func (s *signature) attribute(name string) (kind graphops.AttributeKind, ok bool) {
	if s.schema != nil {
		a, ok := s.schema.Attribute(name)
		return a.Kind, ok
	}
	for _, a := range s.function.DefaultAttributes() {
		if a.Name() == name {
			return a.Kind(), true
		}
	}
	return graphops.AttrUndefined, slices.Contains(s.function.AttributeNames(), name)
}

// attributeNames returns the attributes that the operator has, and those that a node must have.
func (s *signature) attributeNames() (all, required []string) {
	if s.schema == nil {
		all = slices.Clone(s.function.AttributeNames())
		for _, a := range s.function.DefaultAttributes() {
			all = append(all, a.Name())
		}
		return all, nil
	}
	for _, a := range s.schema.Attributes {
		all = append(all, a.Name)
		if a.Required {
			required = append(required, a.Name)
		}
	}
	return all, required
}

// attributesFor returns the attributes of a new node with the operator.
func (e *edit) attributesFor(s *signature, settings []AttributeSetting) ([]*graphops.Attribute, error) {
	var list []*graphops.Attribute
	has := map[string]bool{}
	for _, set := range settings {
		if has[set.Name] {
			return nil, fmt.Errorf("attribute %q: is given twice", set.Name)
		}
		has[set.Name] = true
		a, err := e.attributeFor(s, set)
		if err != nil {
			return nil, fmt.Errorf("attribute %q: %w", set.Name, err)
		}
		list = append(list, a)
	}
	_, required := s.attributeNames()
	for _, name := range required {
		if has[name] {
			continue
		}
		kind, _ := s.attribute(name)
		if err := settable(kind); errors.Is(err, errHoldsGraph) {
			return nil, fmt.Errorf("attribute %q: is required, and holds a graph, which this edit cannot make", name)
		}
		return nil, fmt.Errorf("attribute %q: is required; give it with --set %s=VALUE, of kind %s", name, name, kind)
	}
	return list, nil
}

func (e *edit) attributeFor(s *signature, set AttributeSetting) (*graphops.Attribute, error) {
	kind, ok := s.attribute(set.Name)
	if !ok {
		return nil, s.unknownAttribute(set.Name)
	}
	if kind != graphops.AttrUndefined && set.Kind != graphops.AttrUndefined && set.Kind != kind {
		return nil, fmt.Errorf("is of kind %s, not %s", kind, set.Kind)
	}
	if kind = cmp.Or(set.Kind, kind); settable(kind) != nil {
		return nil, settable(kind)
	}
	node := graphops.NewNode(graphops.NodeSpec{Op: s.Name, Domain: s.Domain})
	if set.Ref {
		n := nodeAttributes{edit: e, node: node}
		set.Kind = kind
		return n.reference(set, nil)
	}
	var err error
	if kind == graphops.AttrUndefined {
		if kind, err = spelledKind(set.Text); err != nil {
			return nil, err
		}
	}
	text := set.Text
	if kind == graphops.AttrInt && graphops.HoldsElementType(node, set.Name) {
		text = elementTypeNumber(text)
	}
	a, err := valueOf(set.Name, kind, text)
	if err != nil {
		return nil, fmt.Errorf("is of kind %s: %w", kind, err)
	}
	return a, nil
}

func (s *signature) unknownAttribute(name string) error {
	names, _ := s.attributeNames()
	near := graphops.NearestNames(name, slices.Values(names))
	switch {
	case len(names) == 0:
		return fmt.Errorf("%s has no attributes", s)
	case len(near) == 0:
		return fmt.Errorf("%s has none of that name; it has %s", s, graphops.QuoteNames(names))
	}
	return fmt.Errorf("%s has none of that name; nearest names: %s", s, graphops.QuoteNames(near))
}
