package origin

import "strings"

// Module is one module of the source program that a node stands in.
type Module struct {
	// Name is the module's whole name, such as "layers.0.attn"; "" is the
	// outermost one.
	Name string
	// Class is the class of the module, such as "torch.nn.modules.linear.Linear";
	// "" where it is not told.
	Class string
}

// Modules is the way to a node through the modules of its program.
type Modules struct {
	Path []Module // outermost first
	// Leaf is the operation inside the innermost module that the node is made
	// from, such as "linear_1", and Target what it calls, "aten.linear.default".
	// Both are "" where the tool tells modules alone.
	Leaf, Target string
}

// modules reads the module path from the best of the entries that tell it.
func modules(v view) Said[Modules] {
	for _, keys := range [][2]string{{keyScopes, keyClasses}, {keyBuilderScopes, keyBuilderClass}} {
		said := read(v, func(raw string) (Modules, bool) {
			classes, _ := Lookup(v.entries, keys[1])
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
	// What was there and not understood is shown rather than nothing.
	for _, key := range []string{keyScopes, keyBuilderScopes, keyNamespace} {
		if raw, ok := Lookup(v.entries, key); ok {
			return Said[Modules]{Raw: raw, Present: true}
		}
	}
	return Said[Modules]{}
}

// pathKey is the list of names without the operation at its end, where that is
// written in the plainest way.
func pathKey(raw string) (string, bool) {
	end := strings.LastIndex(raw, ", '")
	if end < 0 || !strings.HasSuffix(raw, "']") {
		return "", false
	}
	leaf := raw[end+len(", '") : max(end+len(", '"), len(raw)-len("']"))]
	return raw[:end], !strings.ContainsAny(leaf, `'"\\`)
}

// modulesOf joins the list of names with that of classes, which is as long.
// PyTorch's lists end with the operation itself.
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

// modulesOfNamespace reads "name: class/name: class/operation: target". A class
// is told by an identifier with dots, the target by what stands last.
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

// withLeaf takes the last of the path as the operation.
func (m Modules) withLeaf(has bool) Modules {
	if n := len(m.Path) - 1; has && n >= 0 {
		m.Leaf, m.Target = m.Path[n].Name, m.Path[n].Class
		m.Path = m.Path[:n]
	}
	return m
}
