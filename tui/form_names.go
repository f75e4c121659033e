package tui

import (
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/graphops"
	"lathe/session"
	"lathe/tui/fuzzy"
)

// names are what an option can name: in a model, or of a closed set.
type names struct {
	list   []string // raw
	about  []string // what each is, as the operator of a node
	known  map[string]bool
	finder *fuzzy.Finder
}

// namesKey tells names apart.
type namesKey struct {
	model   *graphops.Model
	place   *graphops.Place // nil for all places
	subject session.Subject
	nodes   string               // whose attributes, joined
	choices string               // of a closed set, joined; nothing else matters then
	found   session.Introspected // by a preview; of no model then
}

// namesMsg brings names.
type namesMsg struct {
	form  *form
	key   namesKey
	names *names
}

// keyOf is the key of what a field names; false where it names nothing, or
// nothing that is known yet.
func (f *form) keyOf(fl *field) (namesKey, bool) {
	m := f.model()
	if fl != nil && fl.isList() && len(fl.option.Choices) > 0 {
		return namesKey{choices: strings.Join(fl.option.Choices, "\x00")}, true
	}
	if fl == nil || fl.option.Names == session.NamesNothing {
		return namesKey{}, false
	}
	if f.introspects {
		return namesKey{found: f.introspected, subject: fl.option.Names}, f.introspected != nil
	}
	if m == nil {
		return namesKey{}, false
	}
	k := namesKey{model: m, subject: fl.option.Names, place: m.Places()[0]}
	switch in := f.field("in"); {
	case fl.option.Names == session.NamesPlace:
		k.place = nil
	case in != nil:
		p, err := m.FindPlace(in.values())
		if err != nil {
			return namesKey{}, false
		}
		k.place = p
	case fl.option.Names == session.NamesNode, fl.option.Names == session.NamesOp:
		k.place = nil
	}
	if node := f.field("node"); fl.option.Names == session.NamesAttribute && node != nil {
		for _, v := range node.values() {
			k.nodes += v + "\x00"
		}
	}
	return k, true
}

// field is the field of an option, nil where there is none.
func (f *form) field(name string) *field {
	for _, fl := range f.fields {
		if fl.name == name {
			return fl
		}
	}
	return nil
}

// roleField is the field of the option with a role, or nil if there is none.
func (f *form) roleField(r session.Role) *field {
	for _, fl := range f.fields {
		if fl.option.Role == r {
			return fl
		}
	}
	return nil
}

// collect collects the names that the focused field, and those that hold
// something, can hold.
func (f *form) collect() tea.Cmd {
	focused, _ := f.focused()
	var cmds []tea.Cmd
	for _, fl := range f.fields {
		k, ok := f.keyOf(fl)
		if _, asked := f.names[k]; !ok || asked || fl != focused && fl.isEmpty() {
			continue
		}
		f.names[k] = nil
		cmds = append(cmds, guarded("collecting names", func() tea.Msg { return namesMsg{f, k, collectNames(k)} }))
	}
	return tea.Batch(cmds...)
}

// takeNames keeps names, and does what waited for them.
func (f *form) takeNames(m namesMsg) tea.Cmd {
	f.names[m.key] = m.names
	var again tea.Cmd
	if f.offer.wanted {
		again = f.ask()
	}
	return tea.Batch(again, f.check())
}

// namesOf are the names that a field can hold, nil while they are not known.
func (f *form) namesOf(fl *field) *names {
	k, ok := f.keyOf(fl)
	if !ok {
		return nil
	}
	return f.names[k]
}

// collectNames goes through a model. It runs beside everything else.
func collectNames(k namesKey) *names {
	n := &names{known: map[string]bool{}}
	if k.choices != "" {
		for c := range strings.SplitSeq(k.choices, "\x00") {
			n.add(c, "")
		}
		return n.indexed()
	}
	if k.found != nil {
		n.addFound(k.found, k.subject)
		return n.indexed()
	}
	places := k.model.Places()
	if k.place != nil {
		places = []*graphops.Place{k.place}
	}
	for _, p := range places {
		switch k.subject {
		case session.NamesNode:
			n.addNodes(p, k.place != nil)
		case session.NamesValue:
			n.addValues(p)
		case session.NamesAttribute:
			n.addAttributes(p, k.nodes)
		case session.NamesAxis:
			n.addAxes(p)
		case session.NamesOp:
			for _, node := range p.Graph.Nodes() {
				n.add(node.OpType(), "")
			}
		case session.NamesPlace:
			if hops := p.Hops(); len(hops) > 0 {
				n.add(hops[len(hops)-1], p.Kind.String())
			}
		}
	}
	if k.subject == session.NamesSymbol {
		for _, s := range k.model.Symbols() {
			n.add(s, "")
		}
	}
	return n.indexed()
}

// addFound adds what a preview found. An axis is also known by the name in front of it.
func (n *names) addFound(in session.Introspected, of session.Subject) {
	for _, found := range in.Nameable(of) {
		n.add(found.Name, found.About)
		if i := strings.LastIndexByte(found.Name, ':'); of == session.NamesAxis && i > 0 {
			n.known[found.Name[:i]] = true
		}
	}
}

// takeIntrospected has names be those that a preview found.
func (f *form) takeIntrospected(found session.Introspected) tea.Cmd {
	if found == nil {
		return nil
	}
	f.introspected = found
	return f.collect()
}

// indexed makes names ready to be looked for.
func (n *names) indexed() *names {
	n.finder = fuzzy.NewFinder(fuzzy.NewCorpus(len(n.list), func(i int) string { return n.list[i] }))
	return n
}

// add adds a name once.
func (n *names) add(name, about string) {
	if name == "" || n.known[name] {
		return
	}
	n.known[name] = true
	n.list, n.about = append(n.list, name), append(n.about, about)
}

// addNodes adds nodes, those that share a name or have none by their position
// where that tells them apart.
func (n *names) addNodes(p *graphops.Place, byPosition bool) {
	nodes := p.Graph.Nodes()
	count := make(map[string]int, len(nodes))
	for _, node := range nodes {
		count[node.Name()]++
	}
	for i, node := range nodes {
		switch {
		case node.Name() != "" && count[node.Name()] == 1:
			n.add(node.Name(), node.OpType())
		case byPosition:
			n.add("#"+strconv.Itoa(i), node.OpType())
		}
		n.known[node.Name()] = true
		if byPosition {
			n.known["#"+strconv.Itoa(i)] = true
		}
	}
}

func (n *names) addValues(p *graphops.Place) {
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
		n.add(x.Name(id), about)
	}
}

// addAttributes adds the attributes of some nodes, of all where none is named.
func (n *names) addAttributes(p *graphops.Place, nodes string) {
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
			n.add(a.Name(), node.OpType())
		}
	}
}

// addAxes adds the axes of inputs and outputs.
func (n *names) addAxes(p *graphops.Place) {
	for _, v := range append(append([]*graphops.ValueInfo{}, p.Graph.FeedInputs()...), p.Graph.Outputs()...) {
		for axis, dim := range v.Type().Shape {
			n.add(fmt.Sprintf("%s:%d", v.Name(), axis), dim.String())
		}
		n.known[v.Name()] = true
	}
}
