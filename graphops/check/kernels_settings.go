package check

import (
	"slices"

	"lathe/graphops"
)

// settings reads the attributes of a node as a kernel does. Attributes that are given by a
// function call, or that are deferred, are unknown.
type settings struct{ site }

func (n settings) attribute(name string, kind graphops.AttributeKind) (a *graphops.Attribute, given, known bool) {
	a, given = n.Attribute(name)
	if !given {
		return nil, false, true
	}
	_, deferred := a.Deferred()
	return a, true, !deferred && a.RefName() == "" && a.Kind() == kind
}

func (n settings) has(name string) bool {
	_, ok := n.Attribute(name)
	return ok
}

func (n settings) number(name string, otherwise int64) (value int64, known bool) {
	a, given, known := n.attribute(name, graphops.AttrInt)
	if !given || !known {
		return otherwise, known
	}
	return a.Int(), true
}

func (n settings) float(name string, otherwise float32) (value float32, known bool) {
	a, given, known := n.attribute(name, graphops.AttrFloat)
	if !given || !known {
		return otherwise, known
	}
	return a.Float(), true
}

func (n settings) text(name, otherwise string) (value string, known bool) {
	a, given, known := n.attribute(name, graphops.AttrString)
	if !given || !known {
		return otherwise, known
	}
	return a.Text(), true
}

// ints returns the numbers of an attribute; none if it is omitted.
func (n settings) ints(name string) (list []int64, known bool) {
	a, given, known := n.attribute(name, graphops.AttrInts)
	if !given || !known {
		return nil, known
	}
	return a.Ints(), true
}

func (n settings) texts(name string) (list []string, known bool) {
	a, given, known := n.attribute(name, graphops.AttrStrings)
	if !given || !known {
		return nil, known
	}
	return a.Texts(), true
}

// lists returns several lists of numbers by name; unknown if one of them is, or if their lengths
// differ.
func (n settings) lists(names ...string) (lists [][]int64, known bool) {
	for _, name := range names {
		list, known := n.ints(name)
		if !known || len(lists) > 0 && len(list) != len(lists[0]) {
			return nil, false
		}
		lists = append(lists, list)
	}
	return lists, true
}

// length returns the length of the longest of some lists, 0 if none is given.
func (n settings) length(names ...string) (length int, known bool) {
	for _, name := range names {
		l, ok := listLength(n.site, name)
		if !ok {
			return 0, false
		}
		length = max(length, l)
	}
	return length, true
}

// missing returns the first omitted one of some attributes.
func (n settings) missing(names ...string) string {
	if i := slices.IndexFunc(names, func(name string) bool { return !n.has(name) }); i >= 0 {
		return names[i]
	}
	return ""
}
