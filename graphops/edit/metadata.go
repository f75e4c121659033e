package edit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"lathe/graphops"
)

// PartKind says which part of a model has the documentation and metadata.
type PartKind int

// The parts of a model that can have a doc_string and metadata_props.
const (
	WholeModel PartKind = iota
	WholeGraph          // the graph of the place, or its function
	OneNode
	OneValue
)

// MetadataOptions say which metadata of a model change. A nil pointer leaves a field as it is; a
// pointer to "" or 0 removes the field.
type MetadataOptions struct {
	// Of and Name select the part whose documentation and metadata Doc, Set and Remove change.
	Of     PartKind
	Name   string
	Doc    *string
	Set    []graphops.Entry
	Remove []string

	GraphName                         *string
	Producer, ProducerVersion, Domain *string
	ModelVersion                      *int64
	// IRVersion is the IR version that the model gets; 0 keeps the current one.
	IRVersion int64
	// Opsets are the opsets to import. The nodes are not converted to them.
	Opsets []graphops.Opset
	// DropOpsets lists domains whose imports are removed. It is an error if a node uses the domain.
	DropOpsets []string
}

// Metadata changes documentation, metadata, names and versions of a model and its parts. This does
// not change what the model computes, unless nodes have another meaning in a new opset; it warns in
// that case.
func Metadata(m *graphops.Model, p *graphops.Place, o MetadataOptions) (*graphops.Model, *Report, error) {
	if err := o.checkText(); err != nil {
		return nil, nil, err
	}
	e := begin(m, p)
	e.report.NodesAfter = e.report.NodesBefore
	next, err := e.describe(o)
	if err != nil {
		return nil, nil, err
	}
	if next, err = e.nameGraph(next, o.GraphName); err != nil {
		return nil, nil, err
	}
	next = e.identify(next, o)
	if next, err = e.importing(next, o.Opsets); err != nil {
		return nil, nil, err
	}
	if next, err = e.dropImports(next, o.DropOpsets); err != nil {
		return nil, nil, err
	}
	next, err = e.reversion(next, o)
	return next, e.report, err
}

// checkText returns an error if one of the texts is not UTF-8, or if a key is empty.
func (o MetadataOptions) checkText() error {
	texts := []*string{o.Doc, o.GraphName, o.Producer, o.ProducerVersion, o.Domain}
	for _, x := range o.Set {
		texts = append(texts, &x.Key, &x.Value)
		if x.Key == "" {
			return errors.New("metadata: a key is empty")
		}
	}
	for _, s := range texts {
		if s == nil {
			continue
		}
		if err := checkText(*s); err != nil {
			return err
		}
	}
	return nil
}

// checkText returns an error if a new text is not UTF-8, which onnx.checker cannot read. Names that
// the model has already are not checked.
func checkText(s string) error {
	if !utf8.ValidString(s) {
		return fmt.Errorf("%s is not UTF-8, which the format requires of all text", graphops.ShortQuoted(s))
	}
	return nil
}

// describe changes the doc_string and metadata_props of the selected part.
func (e *edit) describe(o MetadataOptions) (*graphops.Model, error) {
	if o.Doc == nil && len(o.Set)+len(o.Remove) == 0 {
		return e.model, nil
	}
	part, err := e.part(o)
	if err != nil {
		return nil, err
	}
	doc := part.doc
	if o.Doc != nil {
		doc = *o.Doc
		e.changedText("doc_string", part.label, part.doc, doc)
	}
	entries := slices.Clone(part.entries)
	for _, key := range o.Remove {
		if entries, err = e.removeEntry(entries, key, part.label); err != nil {
			return nil, err
		}
	}
	for _, x := range o.Set {
		entries = e.setEntry(entries, x)
	}
	if doc == part.doc && slices.Equal(entries, part.entries) {
		return e.model, nil
	}
	return part.write(doc, entries), nil
}

func (e *edit) setEntry(entries []graphops.Entry, x graphops.Entry) []graphops.Entry {
	hasKey := func(have graphops.Entry) bool { return have.Key == x.Key }
	i := slices.IndexFunc(entries, hasKey)
	if i < 0 {
		e.report.changed("metadata_props", x.Key, "", graphops.ShortQuoted(x.Value))
		return append(entries, x)
	}
	if entries[i].Value != x.Value {
		e.report.changed("metadata_props", x.Key, graphops.ShortQuoted(entries[i].Value), graphops.ShortQuoted(x.Value))
	}
	entries[i] = x
	rest := slices.DeleteFunc(entries[i+1:], func(have graphops.Entry) bool {
		if hasKey(have) {
			// a key must not occur twice, so the others are removed
			e.report.changed("metadata_props", x.Key, graphops.ShortQuoted(have.Value), "")
		}
		return hasKey(have)
	})
	return entries[:i+1+len(rest)]
}

func (e *edit) removeEntry(entries []graphops.Entry, key, label string) ([]graphops.Entry, error) {
	var keys []string
	found := false
	kept := slices.DeleteFunc(slices.Clone(entries), func(x graphops.Entry) bool {
		keys = append(keys, x.Key)
		if x.Key == key {
			found = true
			e.report.changed("metadata_props", key, graphops.ShortQuoted(x.Value), "")
		}
		return x.Key == key
	})
	if found {
		return kept, nil
	}
	near := graphops.NearestNames(key, slices.Values(keys))
	if len(near) == 0 {
		near = keys
	}
	if len(near) == 0 {
		return nil, fmt.Errorf("metadata %q: %s has none", key, label)
	}
	return nil, fmt.Errorf("metadata %q: %s has none of that key; it has %s", key, label, graphops.QuoteNames(near))
}

func (e *edit) changedText(what, name, from, to string) {
	quote := func(s string) string {
		if s == "" {
			return ""
		}
		return graphops.ShortQuoted(s)
	}
	if from != to {
		e.report.changed(what, name, quote(from), quote(to))
	}
}

// nameGraph sets the name of the graph of the place.
func (e *edit) nameGraph(m *graphops.Model, name *string) (*graphops.Model, error) {
	switch {
	case name == nil:
		return m, nil
	case e.place.Kind == graphops.FunctionBody:
		return nil, fmt.Errorf("%q: calls refer to a function by its name, so the name cannot be changed here", e.place)
	case *name == "":
		return nil, errors.New("the format requires a name for every graph")
	}
	p := m.Places()[e.place.ID]
	if p.Graph.Name() == *name {
		return m, nil
	}
	e.changedText("name", "graph", p.Graph.Name(), *name)
	return m.WithGraph(p, p.Graph.WithName(*name)), nil
}

// identify sets the producer, the domain and the version of the model.
func (e *edit) identify(m *graphops.Model, o MetadataOptions) *graphops.Model {
	next := graphops.Edit(m)
	before := len(e.report.Changes)
	producer, version := m.Producer()
	set := func(what string, now *string, to *string) {
		if to != nil {
			e.changedText(what, "model", *now, *to)
			*now = *to
		}
	}
	domain := m.Domain()
	set("producer_name", &producer, o.Producer)
	set("producer_version", &version, o.ProducerVersion)
	set("domain", &domain, o.Domain)
	next.SetProducer(producer, version)
	next.SetDomain(domain)
	if v := o.ModelVersion; v != nil && *v != m.Version() {
		number := func(n int64) string {
			if n == 0 {
				return ""
			}
			return strconv.FormatInt(n, 10)
		}
		e.report.changed("model_version", "model", number(m.Version()), number(*v))
		next.SetVersion(*v)
	}
	if len(e.report.Changes) == before {
		return m
	}
	return next.Model()
}
