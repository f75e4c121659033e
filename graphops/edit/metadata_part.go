package edit

import (
	"fmt"
	"slices"

	"lathe/graphops"
)

// part is a part of the model that has a doc_string and metadata_props. write returns the model in
// which they are replaced.
type part struct {
	label   string
	doc     string
	entries []graphops.Entry
	write   func(doc string, entries []graphops.Entry) *graphops.Model
}

func (e *edit) part(o MetadataOptions) (part, error) {
	switch o.Of {
	case WholeModel:
		return part{"the model", e.model.Doc(), e.model.Metadata(), e.writeModel}, nil
	case OneNode:
		return e.nodePart(o.Name)
	case OneValue:
		return e.valuePart(o.Name)
	}
	if f := e.place.Function; e.place.Kind == graphops.FunctionBody {
		return part{"the function", f.Doc(), f.Metadata(), e.writeFunction}, nil
	}
	return part{"the graph", e.graph.Doc(), e.graph.Metadata(), func(doc string, entries []graphops.Entry) *graphops.Model {
		return e.model.WithGraph(e.place, e.graph.WithDoc(doc).WithMetadata(entries))
	}}, nil
}

func (e *edit) writeModel(doc string, entries []graphops.Entry) *graphops.Model {
	next := graphops.Edit(e.model)
	next.SetDoc(doc)
	next.SetMetadata(entries)
	return next.Model()
}

func (e *edit) writeFunction(doc string, entries []graphops.Entry) *graphops.Model {
	next := graphops.Edit(e.model)
	i := slices.Index(next.Functions, e.place.Function)
	next.Functions[i] = e.place.Function.WithDoc(doc).WithMetadata(entries)
	return next.Model()
}

// written returns the model in which the place has the changes made so far.
func (e *edit) written() *graphops.Model { return e.model.WithGraph(e.place, e.next.Graph()) }

func (e *edit) nodePart(name string) (part, error) {
	i, err := e.node(name)
	if err != nil {
		return part{}, err
	}
	n := e.graph.Nodes()[i]
	return part{"node " + nodeLabel(e.graph, i), n.Doc(), n.Metadata(), func(doc string, entries []graphops.Entry) *graphops.Model {
		e.next.Nodes[i] = n.WithDoc(doc).WithMetadata(entries)
		return e.written()
	}}, nil
}

// valuePart returns the part in which a value of the place is described: the graph input or output,
// its entry in value_info, or its initializer.
func (e *edit) valuePart(name string) (part, error) {
	if _, err := e.index.Lookup("value", name); err != nil {
		return part{}, err
	}
	label := fmt.Sprintf("value %q", name)
	lists := [][]*graphops.ValueInfo{e.next.Inputs, e.next.Outputs, e.next.ValueInfo}
	if e.place.Kind == graphops.FunctionBody {
		lists = lists[2:] // inputs and outputs of a function are only names
	}
	for _, list := range lists {
		for i, v := range list {
			if v.Name() == name {
				return part{label, v.Doc(), v.Metadata(), func(doc string, entries []graphops.Entry) *graphops.Model {
					list[i] = v.WithDoc(doc).WithMetadata(entries)
					return e.written()
				}}, nil
			}
		}
	}
	for i, t := range e.next.Initializers {
		if t.Name() == name {
			return part{label, t.Doc(), t.Metadata(), func(doc string, entries []graphops.Entry) *graphops.Model {
				e.next.Initializers[i] = t.WithDoc(doc).WithMetadata(entries)
				return e.written()
			}}, nil
		}
	}
	return part{}, fmt.Errorf("value %q: %s has no entry for it that could hold metadata; declare its type first, with lathe annotate", name, e.where())
}
