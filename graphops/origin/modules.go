package origin

import "strings"

// Module is one of the modules of the source program that contain a node.
type Module struct {
	// Name is the module's full name, such as "layers.0.attn"; "" for the outermost one.
	Name string
	// Class is the class of the module, such as "torch.nn.modules.linear.Linear"; "" if unknown.
	Class string
}

// Modules is the path to a node through the modules of its program.
type Modules struct {
	Path []Module // outermost first
	// Leaf is the operation inside the innermost module from which the node was made, such as
	// "linear_1", and Target the function that it calls, "aten.linear.default". Both are "" if the
	// tool records only modules.
	Leaf, Target string
}

// modules reads the module path from the best available entry.
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
	// If nothing was understood, the raw text is still returned.
	for _, key := range []string{keyScopes, keyBuilderScopes, keyNamespace} {
		if raw, ok := Lookup(v.entries, key); ok {
			return Said[Modules]{Raw: raw, Present: true}
		}
	}
	return Said[Modules]{}
}

// pathKey returns the list of names without the operation at its end, if it is written in the
// simplest form.
func pathKey(raw string) (string, bool) {
	end := strings.LastIndex(raw, ", '")
	if end < 0 || !strings.HasSuffix(raw, "']") {
		return "", false
	}
	leaf := raw[end+len(", '") : max(end+len(", '"), len(raw)-len("']"))]
	return raw[:end], !strings.ContainsAny(leaf, `'"\\`)
}

// modulesOf combines the list of names with the list of classes of the same length. PyTorch's lists
// end with the operation itself.
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

// modulesOfNamespace reads "name: class/name: class/operation: target". A class is an identifier
// with dots; the target comes last.
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

// withLeaf turns the last element of the path into the operation.
func (m Modules) withLeaf(has bool) Modules {
	if n := len(m.Path) - 1; has && n >= 0 {
		m.Leaf, m.Target = m.Path[n].Name, m.Path[n].Class
		m.Path = m.Path[:n]
	}
	return m
}
