package origin

import "strings"

// Module is a module of the source program that contains a node, such as a layer.
type Module struct {
	// Name is the module's full name, such as "layers.0.attn". It is "" for the outermost module.
	Name string
	// Class is the class of the module, such as "torch.nn.modules.linear.Linear"; "" if unknown.
	Class string
}

// Modules is the path of modules in the source program that leads to a node.
type Modules struct {
	Path []Module // outermost first
	// Leaf is the operation of the innermost module from which the node was created, such as
	// "linear_1". Target is the function that this operation calls, such as "aten.linear.default".
	// Both are "" if the exporter records only modules.
	Leaf, Target string
}

// modules reads the module path. Exporters write it under several keys; the first entry that is
// understood is used.
func modules(v view) Said[Modules] {
	for _, keys := range [][2]string{{keyScopes, keyClasses}, {keyBuilderScopes, keyBuilderClass}} {
		said := read(v, func(raw string) (Modules, bool) {
			classes, _ := lookup(v.entries, keys[1])
			return modulesOf(raw, classes, keys[0] == keyScopes)
		}, keys[0])
		if said.Understood {
			return said
		}
	}
	namespace := read(v, modulesOfNamespace, keyNamespace)
	if namespace.Understood {
		return namespace
	}
	// No entry was understood, so return the raw text of the first one that is present.
	for _, key := range []string{keyScopes, keyBuilderScopes, keyNamespace} {
		if raw, ok := lookup(v.entries, key); ok {
			return Said[Modules]{Raw: raw, Present: true}
		}
	}
	return Said[Modules]{}
}

// pathKey returns the text of a list of names without the last name, which is the operation. ok is
// false if the text is not written in the simplest form, in which this can be done without parsing.
func pathKey(raw string) (string, bool) {
	end := strings.LastIndex(raw, ", '")
	if end < 0 || !strings.HasSuffix(raw, "']") {
		return "", false
	}
	leaf := raw[end+len(", '") : max(end+len(", '"), len(raw)-len("']"))]
	return raw[:end], !strings.ContainsAny(leaf, `'"\\`)
}

// modulesOf combines a list of names with a list of their classes. leaf says that the last item of
// both lists is the operation, as in the lists of PyTorch.
func modulesOf(scopes, classes string, leaf bool) (Modules, bool) {
	names, ok := stringList(scopes)
	if !ok {
		return Modules{}, false
	}
	kinds, _ := stringList(classes)
	out := Modules{Path: make([]Module, len(names))}
	for i, name := range names {
		out.Path[i].Name = name
		if len(kinds) == len(names) {
			out.Path[i].Class = kinds[i]
		}
	}
	return out.withLeaf(leaf), true
}

// modulesOfNamespace parses "name: class/name: class/operation: target". A class is an identifier
// with dots.
func modulesOfNamespace(s string) (Modules, bool) {
	var out Modules
	if s == "" {
		return out, false
	}
	for part := range strings.SplitSeq(s, "/") {
		name, class, ok := strings.Cut(part, ": ")
		if !ok {
			return Modules{}, false
		}
		out.Path = append(out.Path, Module{name, class})
	}
	return out.withLeaf(true), true
}

// withLeaf removes the last element of the path and uses it as Leaf and Target, if has is set.
func (m Modules) withLeaf(has bool) Modules {
	if n := len(m.Path) - 1; has && n >= 0 {
		m.Leaf, m.Target = m.Path[n].Name, m.Path[n].Class
		m.Path = m.Path[:n]
	}
	return m
}
