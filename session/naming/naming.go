// Package naming lists the names in a model that the values of an option can have, for forms and for
// completion in a shell.
package naming

import (
	"fmt"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/session"
)

// Query is which names are asked for. Equal queries have the same answer.
type Query struct {
	Model   *graphops.Model
	Place   *graphops.Place // nil for all places
	Subject session.Subject
	// Nodes are the nodes whose attributes are asked for, joined by NUL. If it is empty, those of
	// all nodes are.
	Nodes string
}

// QueryOf returns what an option of a step can name in a model. given returns the values of another
// option of the step, or false if it has none of that name: a step that works inside a place names
// that place, and attributes are those of the nodes that it names. The error says why the place is
// not in the model.
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
	if nodes, ok := given("node"); ok && o.Names == session.NamesAttribute {
		q.Nodes = strings.Join(nodes, "\x00")
	}
	return q, nil
}

// List are names.
type List struct {
	// Offered are the names to choose from, each once, with what they name.
	Offered []session.Nameable
	// Known are all names that can be given. Some are not offered, such as that of two nodes.
	Known map[string]bool
}

// Add adds a name to choose from, unless it is there.
func (l *List) Add(name, about string) {
	if name == "" || l.Known[name] {
		return
	}
	l.Know(name)
	l.Offered = append(l.Offered, session.Nameable{Name: name, About: about})
}

// Know adds a name that can be given.
func (l *List) Know(name string) {
	if l.Known == nil {
		l.Known = map[string]bool{}
	}
	l.Known[name] = true
}

// Collect goes through the model.
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

// addOf adds the names of one place.
func (l *List) addOf(p *graphops.Place, q Query) {
	switch q.Subject {
	case session.NamesNode:
		l.addNodes(p, q.Place != nil)
	case session.NamesValue:
		l.addValues(p)
	case session.NamesInput:
		l.addInputs(p)
	case session.NamesAttribute:
		l.addAttributes(p, q.Nodes)
	case session.NamesAxis:
		l.addAxes(p)
	case session.NamesOp:
		for _, node := range p.Graph.Nodes() {
			l.Add(node.OpType(), "")
		}
	case session.NamesPlace:
		if hops := p.Hops(); len(hops) > 0 {
			l.Add(hops[len(hops)-1], p.Kind.String())
		}
	}
}

// addNodes adds nodes by their names. A node without a name, or with one that another has too, is
// added by its position if one place is asked for: a position means nothing across places.
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

// addInputs adds the inputs that a run needs. One with a default value can be given, too.
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
