// Package naming lists the names in a model that an option accepts, for forms and for shell
// completion.
package naming

import (
	"fmt"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/session"
)

// Query says which names are requested. Equal queries have the same answer, so an answer can be
// kept.
type Query struct {
	Model   *graphops.Model
	Place   *graphops.Place // nil for all places
	Subject session.Subject
	// Nodes are the names of the nodes whose attributes are requested, joined by NUL bytes. If it
	// is empty, the attributes of all nodes are requested.
	Nodes string
	// Operator is the operator whose attributes or inputs are requested. If it is set, Nodes is not
	// used.
	Operator string
}

// QueryOf returns the query for the names that option o accepts in a model. given returns the
// values of another option of the same step, or false if the step has no such option. Three of these
// matter: "in" restricts the names to one place, "op" says which operator has the attributes and
// inputs, and "node" restricts attribute names to those of certain nodes. If the model has no such place, QueryOf returns an error.
func QueryOf(m *graphops.Model, o session.Option, given func(option string) ([]string, bool)) (Query, error) {
	q := Query{Model: m, Subject: o.Names, Place: m.Places()[0]}
	hops, hasPlace := given("in")
	switch {
	case o.Names == session.NamesPlace:
		q.Place = nil
	case hasPlace:
		p, err := m.FindPlace(hops)
		if err != nil {
			return Query{}, err
		}
		q.Place = p
	case o.Names == session.NamesNode, o.Names == session.NamesOp:
		q.Place = nil
	}
	if op, ok := given("op"); ok && (o.Names == session.NamesAttribute || o.Names == session.NamesOperand) {
		q.Operator = strings.Join(op, "")
		return q, nil
	}
	if nodes, ok := given("node"); ok && o.Names == session.NamesAttribute {
		q.Nodes = strings.Join(nodes, "\x00")
	}
	return q, nil
}

// List is the answer to a query.
type List struct {
	// Offered are the names to choose from, each once, with a description.
	Offered []session.Nameable
	// Known has all names that the option accepts. Some of them are not offered, for example a name
	// that two nodes have.
	Known map[string]bool
}

// Add adds a name to choose from, with a description, unless it is in the list already.
func (l *List) Add(name, about string) {
	if name == "" || l.Known[name] {
		return
	}
	l.Know(name)
	l.Offered = append(l.Offered, session.Nameable{Name: name, About: about})
}

// Know adds a name that the option accepts but that is not offered.
func (l *List) Know(name string) {
	if l.Known == nil {
		l.Known = map[string]bool{}
	}
	l.Known[name] = true
}

// Collect answers a query.
func Collect(q Query) *List {
	l := &List{Known: map[string]bool{}}
	places := q.Model.Places()
	if q.Place != nil {
		places = []*graphops.Place{q.Place}
	}
	for _, p := range places {
		l.addOf(p, q)
	}
	if q.Subject == session.NamesSymbol {
		for _, s := range q.Model.Symbols() {
			l.Add(s, "")
		}
	}
	return l
}

// addOf adds the names of the requested kind in one place.
func (l *List) addOf(p *graphops.Place, q Query) {
	switch q.Subject {
	case session.NamesNode:
		l.addNodes(p, q.Place != nil)
	case session.NamesValue:
		l.addValues(p)
	case session.NamesInput:
		l.addInputs(p)
	case session.NamesAttribute:
		if q.Operator != "" {
			l.addOperatorAttributes(q.Model, p, q.Operator)
		} else {
			l.addAttributes(p, q.Nodes)
		}
	case session.NamesAxis:
		l.addAxes(p)
	case session.NamesOp:
		for _, node := range p.Graph.Nodes() {
			l.Add(node.OpType(), "")
		}
	case session.NamesOperator:
		l.addOperators(q.Model, p)
	case session.NamesOperand:
		l.addOperands(q.Model, p, q.Operator)
	case session.NamesPlace:
		if hops := p.Hops(); len(hops) > 0 {
			l.Add(hops[len(hops)-1], p.Kind.String())
		}
	}
}

// addNodes adds the names of nodes. If byPosition is set, a node whose name is empty or not unique
// is added by its position, such as #12. A position identifies a node only within one place.
func (l *List) addNodes(p *graphops.Place, byPosition bool) {
	nodes := p.Graph.Nodes()
	count := make(map[string]int, len(nodes))
	for _, node := range nodes {
		count[node.Name()]++
	}
	for i, node := range nodes {
		switch {
		case node.Name() != "" && count[node.Name()] == 1:
			l.Add(node.Name(), node.OpType())
		case byPosition:
			l.Add("#"+strconv.Itoa(i), node.OpType())
		}
		l.Know(node.Name())
		if byPosition {
			l.Know("#" + strconv.Itoa(i))
		}
	}
}

func (l *List) addValues(p *graphops.Place) {
	x := p.Graph.Index()
	for i := range x.Values() {
		id := graphops.ValueID(i)
		about := ""
		switch {
		case x.IsInitializer(id):
			about = "constant"
		case x.Producer(id) >= 0:
			about = p.Graph.Nodes()[x.Producer(id)].OpType()
		case x.IsInput(id):
			about = "input"
		}
		l.Add(x.Name(id), about)
	}
}

// addInputs adds the inputs for which a run needs a value. Inputs with a default value are accepted
// but not offered.
func (l *List) addInputs(p *graphops.Place) {
	for _, v := range p.Graph.FeedInputs() {
		l.Add(v.Name(), v.Type().String())
	}
	for _, v := range p.Graph.Inputs() {
		l.Know(v.Name())
	}
}

func (l *List) addAttributes(p *graphops.Place, nodes string) {
	wanted := map[string]bool{}
	for name := range strings.SplitSeq(nodes, "\x00") {
		if name != "" {
			wanted[name] = true
		}
	}
	for i, node := range p.Graph.Nodes() {
		if len(wanted) > 0 && !wanted[node.Name()] && !wanted["#"+strconv.Itoa(i)] {
			continue
		}
		for _, a := range node.Attributes() {
			l.Add(a.Name(), node.OpType())
		}
	}
}

// addAxes adds the axes of inputs and outputs.
func (l *List) addAxes(p *graphops.Place) {
	for _, v := range append(append([]*graphops.ValueInfo{}, p.Graph.FeedInputs()...), p.Graph.Outputs()...) {
		for axis, dim := range v.Type().Shape {
			l.Add(fmt.Sprintf("%s:%d", v.Name(), axis), dim.String())
		}
		l.Know(v.Name())
	}
}
