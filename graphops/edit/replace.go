package edit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// ReplaceOptions say which nodes are replaced by one node, and what the new node is.
type ReplaceOptions struct {
	Nodes []string // by name, or by # and position
	// Operator is the operator of the new node. The inputs that it does not give are what the nodes
	// read from outside, in the order of their first use.
	Operator Operator
	// Name is the name of the new node. If it is "", a name is made up.
	Name string
	Typing
}

// Replace replaces nodes by one node that gives what others read of them, under the same names. It
// does not compare what the two compute.
func Replace(ctx context.Context, m *graphops.Model, p *graphops.Place, o ReplaceOptions) (*graphops.Model, *Report, error) {
	r := &replacement{edit: begin(m, p), o: o}
	if err := r.plan(ctx); err != nil {
		return nil, nil, err
	}
	name := cmpName(o.Name, r.fresh(), r.index.Name(r.gives[0])+"_"+strings.ToLower(r.operation.Name))
	if err := r.apply(name); err != nil {
		return nil, nil, err
	}
	next, report := r.finishRemoval()
	next, err := r.sorted(r.importFor(r.operation, next))
	if err != nil {
		return nil, nil, err
	}
	t := trial{edit: r.edit, was: m, next: next}
	if p.Kind == graphops.MainGraph {
		t.touched = r.namesOf(r.gives)
	}
	next, err = t.settle(ctx, o.Typing)
	return next, report, err
}

// cmpName returns the given name, or one that is made up.
func cmpName(given string, names *graphops.Names, base string) string {
	if given != "" {
		return given
	}
	return names.Node(base)
}

// replacement is the state of one call of Replace.
type replacement struct {
	*edit
	o       ReplaceOptions
	pattern []int // positions, in graph order
	inside  map[int]bool
	// takes are the values that the pattern reads from outside, in the order of their first use, and
	// gives those of its own that are needed outside.
	takes, gives []graphops.ValueID
	dropped      []graphops.ValueID // of takes: constants that the new node does not read
	fed          []string           // the values that the new node reads in the places that are left
	outputs      []string
	operation    *operation
}

func (r *replacement) plan(ctx context.Context) error {
	var err error
	if r.pattern, err = r.nodes(r.o.Nodes); err != nil {
		return err
	}
	// Constants among the nodes are values that the others read, and go if nothing else reads them.
	operators := slices.DeleteFunc(slices.Clone(r.pattern), func(i int) bool { return r.graph.Nodes()[i].IsConstant() })
	if len(operators) > 0 {
		r.pattern = operators
	}
	r.inside = map[int]bool{}
	for _, i := range r.pattern {
		r.inside[i] = true
	}
	r.findBorder()
	if err := r.checkBorder(); err != nil {
		return err
	}
	if err := r.checkReplaceName(); err != nil {
		return err
	}
	if err := r.connectAll(); err != nil {
		return err
	}
	return r.compareTypes(ctx)
}

func (r *replacement) checkReplaceName() error {
	if err := checkText(r.o.Name); err != nil {
		return fmt.Errorf("node name %w", err)
	}
	if r.o.Name == "" || !r.fresh().HasNode(r.o.Name) {
		return nil
	}
	if i, err := r.node(r.o.Name); err == nil && r.inside[i] {
		return nil // the name of a node that goes
	}
	return fmt.Errorf("node name %q: another node has that name; choose one that is free", r.o.Name)
}

// findBorder finds what the pattern reads from outside, and what of it is needed there.
func (r *replacement) findBorder() {
	seen := map[graphops.ValueID]bool{}
	for _, i := range r.pattern {
		for _, id := range r.reads(i) {
			if !seen[id] && !r.inside[r.producer(id)] {
				seen[id] = true
				r.takes = append(r.takes, id)
			}
		}
		for _, id := range r.outputsOf(i) {
			outside := func(reader int32) bool { return !r.inside[int(reader)] }
			if r.index.IsOutput(id) || slices.ContainsFunc(r.index.Readers(id), outside) {
				r.gives = append(r.gives, id)
			}
		}
	}
}

// producer returns the node that produces a value, or -1.
func (r *replacement) producer(id graphops.ValueID) int {
	if !r.index.IsDefined(id) {
		return -1
	}
	return r.index.Producer(id)
}

// checkBorder returns an error if the nodes are not one pattern that one node can replace: if they
// have nothing to do with each other, if a path leaves them and comes back, or if nothing needs
// them.
func (r *replacement) checkBorder() error {
	if len(r.pattern) == 0 {
		return fmt.Errorf("no node is given")
	}
	if i := r.apart(); i >= 0 {
		return fmt.Errorf("node %s: has no value in common with the other nodes, so that they are not one pattern", nodeLabel(r.graph, i))
	}
	for _, id := range r.takes {
		outer := r.producer(id)
		if i := r.onTheWay(r.pattern, outer); i >= 0 {
			return fmt.Errorf("node %s: is between the nodes of the pattern: it depends on node %s and makes %q, which the pattern reads; name it too", nodeLabel(r.graph, outer), nodeLabel(r.graph, i), r.index.Name(id))
		}
	}
	if len(r.gives) == 0 {
		return fmt.Errorf("node %s: nothing outside of the pattern reads what it makes; delete it", nodeLabel(r.graph, r.pattern[0]))
	}
	return nil
}

// apart returns a node of the pattern that is connected to the first one by no value, or -1.
// Constants do not connect nodes.
func (r *replacement) apart() int {
	at := map[graphops.ValueID][]int{}
	values := func(i int) []graphops.ValueID { return append(r.reads(i), r.outputsOf(i)...) }
	for _, i := range r.pattern {
		for _, id := range values(i) {
			if !isStored(r.graph, id) {
				at[id] = append(at[id], i)
			}
		}
	}
	seen := map[int]bool{r.pattern[0]: true}
	for pending := []int{r.pattern[0]}; len(pending) > 0; {
		i := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		for _, id := range values(i) {
			for _, j := range at[id] {
				if !seen[j] {
					seen[j] = true
					pending = append(pending, j)
				}
			}
			delete(at, id)
		}
	}
	if i := slices.IndexFunc(r.pattern, func(i int) bool { return !seen[i] }); i >= 0 {
		return r.pattern[i]
	}
	return -1
}

// connectAll determines which values the new node reads and gives.
func (r *replacement) connectAll() error {
	s, err := r.signatureOf(r.o.Operator.Name)
	if err != nil {
		return err
	}
	if n := len(r.gives); n > s.maxOutputs() {
		id := r.gives[s.maxOutputs()]
		return fmt.Errorf("value %q: is %s, but operator %s has %s, and the pattern gives %d values that are needed outside: %s", r.index.Name(id), r.needOutside(id), s, counted(s.maxOutputs(), "output"), n, graphops.QuoteNames(r.namesOf(r.gives)))
	}
	if err := r.chooseFed(s); err != nil {
		return fmt.Errorf("operator %s: %w", s, err)
	}
	if r.operation, err = r.operationOf(r.o.Operator, "", len(r.fed)); err != nil {
		return err
	}
	for i, o := range r.operation.operands {
		id, ok := r.index.Value(o.name)
		if !ok || o.name == "" {
			continue
		}
		if j := r.onTheWay(r.pattern, r.producer(id)); j >= 0 {
			return fmt.Errorf("operator %s: input %s: %q depends on node %s, which is replaced", s, r.operation.inputLabel(i), o.name, nodeLabel(r.graph, j))
		}
	}
	for _, id := range r.gives {
		r.outputs = append(r.outputs, r.index.Name(id))
	}
	for len(r.outputs) < s.minOutputs() {
		r.outputs = append(r.outputs, r.fresh().Value(fmt.Sprintf("%s_%d", r.outputs[0], len(r.outputs))))
	}
	return nil
}

// needOutside says for a message what outside of the pattern needs a value.
func (r *replacement) needOutside(id graphops.ValueID) string {
	readers := slices.DeleteFunc(r.readersLeft(id), func(i int) bool { return r.inside[i] })
	if len(readers) == 0 {
		return "an output of " + r.where()
	}
	return "read by " + r.readerLabels(id, readers)
}

// chooseFed determines which of the values that the pattern reads the new node reads, besides those
// that the options give. If they are too many, constants are dropped: first those of one element,
// then the others.
func (r *replacement) chooseFed(s *signature) error {
	given := map[string]bool{}
	for _, in := range r.o.Operator.Inputs {
		given[in.Text] = true
	}
	left := r.takes
	left = slices.DeleteFunc(slices.Clone(left), func(id graphops.ValueID) bool { return given[r.index.Name(id)] })
	free := s.maxInputs() - len(r.o.Operator.Inputs)
	c := constness{edit: r.edit, state: map[graphops.ValueID]constState{}}
	constant := func(id graphops.ValueID) bool { return len(c.dataAmong([]graphops.ValueID{id})) == 0 }
	for _, drop := range []func(graphops.ValueID) bool{
		func(id graphops.ValueID) bool { return constant(id) && r.hasOneElement(id) },
		constant,
	} {
		if len(left) <= free {
			break
		}
		left = slices.DeleteFunc(left, func(id graphops.ValueID) bool {
			if drop(id) {
				r.dropped = append(r.dropped, id)
			}
			return drop(id)
		})
	}
	if len(left) > free {
		id := left[max(free, 0)]
		return fmt.Errorf("the pattern reads %q, but the operator has %s, and no place for it; --input says what it reads", r.index.Name(id), s.inputNamesOrNone())
	}
	r.fed = r.namesOf(left)
	return nil
}

func (s *signature) inputNamesOrNone() string {
	if s.maxInputs() == 0 {
		return "no inputs"
	}
	return s.inputNames()
}

// hasOneElement reports whether a value is known to have one element.
func (r *replacement) hasOneElement(id graphops.ValueID) bool {
	t := r.typeOf(id)
	if i := r.producer(id); t.Shape == nil && i >= 0 {
		if a, ok := r.graph.Nodes()[i].Attribute("value"); ok && a.Tensor() != nil {
			t.Shape = graphops.FixedShape(a.Tensor().Dims())
		} else if r.graph.Nodes()[i].IsConstant() {
			return true
		}
	}
	return t.Shape != nil && !slices.ContainsFunc(t.Shape, func(d graphops.Dim) bool { return d.Value != 1 })
}

func (r *replacement) namesOf(ids []graphops.ValueID) []string {
	var names []string
	for _, id := range ids {
		names = append(names, r.index.Name(id))
	}
	return names
}

// compareTypes returns an error if the new node does not accept what it would read, or gives
// another element type than the pattern. It forgets the recorded shapes that may be wrong.
func (r *replacement) compareTypes(ctx context.Context) error {
	n := r.operation
	r.nameConstants(n, r.outputs[0]+"_"+strings.ToLower(n.Name))
	var ids []graphops.ValueID
	for _, name := range r.fed {
		id, _ := r.index.Value(name)
		ids = append(ids, id)
	}
	ids = append(ids, r.gives...)
	if err := r.believe(ctx, ids); err != nil {
		return err
	}
	known, err := r.typesOf(ctx, r.o.Typer, ids)
	if err != nil {
		return err
	}
	for id, t := range r.made {
		if known[id].Kind == graphops.TypeUnknown {
			known[id] = t
		}
	}
	var fed []graphops.Type
	for _, id := range ids[:len(r.fed)] {
		fed = append(fed, known[id])
	}
	types, names, err := r.operandTypes(ctx, n, fed, r.fed)
	if err == nil {
		err = n.checkTypes(types, names)
	}
	if err != nil {
		return err
	}
	draft := make([]string, len(r.outputs))
	for i, name := range r.outputs {
		draft[i] = r.fresh().Value(name + "_new")
	}
	made, err := r.resultTypes(ctx, nil, n, []*graphops.Node{n.node("", r.fed, draft)})
	if err != nil {
		return err
	}
	f := newFollower(r.model, r.place)
	var all doubt
	for i, id := range r.gives {
		was, is := known[id], made.types[draft[i]]
		if is.Kind == graphops.TypeUnknown {
			is = n.outputElem(i, types)
		}
		if was.Kind == graphops.TypeTensor && is.Kind == graphops.TypeTensor && is.Elem != tensor.Undefined && was.Elem != is.Elem {
			return fmt.Errorf("operator %s: output %d: gives %s, but %s", n, i, is.Elem, typedName(r.index.Name(id), was))
		}
		if made.sameSizes(r.index.Name(id), draft[i]) {
			continue
		}
		if d := (doubt{shape: compareShapes(was.Shape, is.Shape)}); d.any() {
			all = all.or(d)
			f.value(r.place, r.index.Name(id))
		}
	}
	if all.any() && !r.o.Keep {
		r.forget(f, all)
	}
	return nil
}

// apply removes the pattern and what only it needed, and inserts the new node.
func (r *replacement) apply(name string) error {
	n := r.operation
	for _, i := range r.pattern {
		r.remove(i)
	}
	r.gained = map[graphops.ValueID]bool{}
	behind := r.pattern[len(r.pattern)-1]
	for _, in := range n.node("", r.fed, nil).Inputs() {
		if id, ok := r.index.Value(in); ok && in != "" {
			r.gained[id] = true
			behind = max(behind, r.producer(id))
		}
	}
	if err := r.makeConstants(n); err != nil {
		return err
	}
	r.insert(behind, n.node(name, r.fed, r.outputs))
	r.report.changed("node", name, "", n.describe(r.fed))
	if more := r.outputs[len(r.gives):]; len(more) > 0 {
		r.report.warn("nothing reads %s of node %q yet: %s", counted(len(more), "output"), name, graphops.QuoteNames(more))
	}
	r.clearConstants()
	r.reportRemoved()
	return nil
}

// clearConstants removes the constants that only the pattern read, and says which of its constants
// the new node does not read.
func (r *replacement) clearConstants() {
	nodes, initializers := r.unused()
	c := constness{edit: r.edit, state: map[graphops.ValueID]constState{}}
	left := 0
	for _, i := range nodes {
		if len(c.dataAmong(r.outputsOf(i))) > 0 {
			left++
			continue
		}
		r.remove(i)
	}
	r.removeInitializers(initializers)
	if left > 0 {
		r.report.warn("%s nothing any more; lathe delete --unused removes them", feeding(left, 0))
	}
	if len(r.dropped) > 0 {
		r.report.warn("operator %s has no place for %s of the pattern: %s", r.operation, counted(len(r.dropped), "constant"), graphops.QuoteNames(r.namesOf(r.dropped)))
	}
	r.warnUnread()
}
