package tui

import (
	"iter"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
	"lathe/session/naming"
	"lathe/tui/fuzzy"
)

// names are what an option can name: in a model, or of a closed set.
type names struct {
	naming.List
	finder *fuzzy.Finder
}

// namesKey tells names apart.
type namesKey struct {
	query   naming.Query
	choices string               // of a closed set, joined; nothing else matters then
	found   session.Introspected // by a preview; the query has the subject alone then
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
		return namesKey{found: f.introspected, query: naming.Query{Subject: fl.option.Names}}, f.introspected != nil
	}
	if m == nil {
		return namesKey{}, false
	}
	q, err := naming.QueryOf(m, fl.option, func(option string) ([]string, bool) {
		other := f.field(option)
		if other == nil {
			return nil, false
		}
		return other.values(), true
	})
	return namesKey{query: q}, err == nil
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
	n := &names{}
	switch {
	case k.choices != "":
		for c := range strings.SplitSeq(k.choices, "\x00") {
			n.Add(c, "")
		}
	case k.found != nil:
		n.addFound(k.found, k.query.Subject)
	default:
		n.List = *naming.Collect(k.query)
	}
	return n.indexed()
}

// addFound adds what a preview found. An axis is also known by the name in front of it.
func (n *names) addFound(in session.Introspected, of session.Subject) {
	for _, found := range in.Nameable(of) {
		n.Add(found.Name, found.About)
		if i := strings.LastIndexByte(found.Name, ':'); of == session.NamesAxis && i > 0 {
			n.Know(found.Name[:i])
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

// each are the names to choose from.
func (n *names) each() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, o := range n.Offered {
			if !yield(o.Name) {
				return
			}
		}
	}
}

// indexed makes names ready to be looked for.
func (n *names) indexed() *names {
	n.finder = fuzzy.NewFinder(fuzzy.NewCorpus(len(n.Offered), func(i int) string { return n.Offered[i].Name }))
	return n
}
