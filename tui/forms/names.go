package forms

import (
	"context"
	"iter"
	"strings"

	tea "charm.land/bubbletea/v2"

	"lathe/session"
	"lathe/session/naming"
	"lathe/tui/fuzzy"
	"lathe/tui/workspace"
)

// names are the names that are valid in a field: names in a model, or a fixed set. finder is nil
// until they are searched.
type names struct {
	naming.List
	finder *fuzzy.Finder
}

// namesKey identifies a set of valid names, so that fields with the same names share it.
type namesKey struct {
	query   naming.Query
	choices string               // a fixed set, joined; the other fields are then zero
	found   session.Introspected // set if a preview found them; the query then has only the subject
}

// keyOf returns the key of the names that are valid in a field. It returns false if the field
// accepts any text, or if the names cannot be known yet.
func (f *Form) keyOf(fl *field) (namesKey, bool) {
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
		other := f.Field(option)
		if other == nil {
			return nil, false
		}
		return other.Values(), true
	})
	return namesKey{query: q}, err == nil
}

// Field returns the field of an option, or nil.
func (f *Form) Field(name string) *field {
	for _, fl := range f.Fields {
		if fl.Name == name {
			return fl
		}
	}
	return nil
}

// roleField returns the field of the option with a role, or nil.
func (f *Form) roleField(r session.Role) *field {
	for _, fl := range f.Fields {
		if fl.option.Role == r {
			return fl
		}
	}
	return nil
}

// Collect collects the valid names of the focused field, and of all fields with a value, in the
// background.
func (f *Form) Collect() tea.Cmd {
	focused, _ := f.Focused()
	var cmds []tea.Cmd
	for _, fl := range f.Fields {
		k, ok := f.keyOf(fl)
		if _, asked := f.names[k]; !ok || asked || fl != focused && fl.isEmpty() {
			continue
		}
		f.names[k] = nil
		collect := func(context.Context) *names { return collectNames(k) }
		cmds = append(cmds, workspace.Once(f.WS, "collecting names", collect, func(n *names) tea.Cmd { return f.takeNames(k, n) }))
	}
	return tea.Batch(cmds...)
}

// takeNames stores collected names. If the list of suggestions or the check was waiting for them,
// it continues.
func (f *Form) takeNames(k namesKey, n *names) tea.Cmd {
	if !f.isOpen() {
		return nil
	}
	f.names[k] = n
	var again tea.Cmd
	if f.Offer.wanted {
		again = f.ask(f.Offer.asked)
	}
	return tea.Batch(again, f.check())
}

// namesOf returns the names that a field accepts, or nil if they are not known yet.
func (f *Form) namesOf(fl *field) *names {
	k, ok := f.keyOf(fl)
	if !ok {
		return nil
	}
	return f.names[k]
}

// collectNames collects names from a model. It runs in the background.
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

// addFound adds names that a preview found in the file that the step reads. The name of an axis has
// the form VALUE:AXIS, and the name of the value becomes valid too.
func (n *names) addFound(in session.Introspected, of session.Subject) {
	for _, found := range in.Nameable(of) {
		n.Add(found.Name, found.About)
		if i := strings.LastIndexByte(found.Name, ':'); of == session.NamesAxis && i > 0 {
			n.Know(found.Name[:i])
		}
	}
}

// takeIntrospected stores the names that a preview found, and collects from them the names for the
// fields.
func (f *Form) takeIntrospected(found session.Introspected) tea.Cmd {
	if found == nil {
		return nil
	}
	f.introspected = found
	return f.Collect()
}

// each returns the names to choose from.
func (n *names) each() iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, o := range n.Offered {
			if !yield(o.Name) {
				return
			}
		}
	}
}

// indexed prepares names for searching.
func (n *names) indexed() *names {
	n.finder = fuzzy.NewFinder(fuzzy.NewCorpus(len(n.Offered), func(i int) string { return n.Offered[i].Name }))
	return n
}
