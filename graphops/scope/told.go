package scope

import (
	"strings"

	"lathe/graphops"
	"lathe/graphops/origin"
)

// told returns the scope that the metadata, the name or the outputs of a node give, and the source.
// It returns none and Nothing if they give none.
func (b *builder) told(n *graphops.Node) (spot, Source) {
	if at, ok := b.byMetadata(n); ok {
		return at, Metadata
	}
	if at, ok := b.byName(beforeFusion(n.Name())); ok {
		return at, Name
	}
	for _, out := range n.Outputs() {
		if at, ok := b.byName(out); ok {
			return at, Output
		}
	}
	return spot{scope: none}, Nothing
}

// byName returns the scope for a name with slashes. ok is false if the name has no slash. If its
// only slash is the first character, the scope is the root.
func (b *builder) byName(name string) (spot, bool) {
	end := strings.LastIndexByte(name, '/')
	if end < 0 {
		return spot{}, false
	}
	return b.follow(name[:end]), true
}

// beforeFusion returns the name that a node had before ONNX Runtime's optimizer replaced it. The
// optimizer appends the name of the optimization, as in /conv/MatMul/MatMulAddFusion, and sometimes
// another slash.
func beforeFusion(name string) string {
	for {
		trimmed := strings.TrimSuffix(name, "/")
		i := strings.LastIndexByte(trimmed, '/')
		if i < 0 || !isFusion(trimmed[i+1:]) {
			return name
		}
		name = trimmed[:i]
	}
}

func isFusion(segment string) bool {
	return strings.HasSuffix(segment, "Fusion") || segment == "duplicated" || segment == "MobileClipProjectionGemm"
}

// byMetadata returns the scope for the module path in the metadata of a node.
func (b *builder) byMetadata(n *graphops.Node) (spot, bool) {
	o := origin.OfNode(n)
	if len(o.Entries()) == 0 {
		return spot{}, false
	}
	key, hasKey := o.PathKey()
	if at, known := b.paths[key]; known && hasKey {
		return at, true
	}
	said := o.Modules()
	if !said.Understood {
		return spot{}, false
	}
	at := b.modules(said.Value.Path)
	if hasKey && b.scopes[at.scope].class != "" { // otherwise a later node may give the class
		b.paths[key] = at
	}
	return at, true
}

// modules returns the scope for a module path, which starts with the outermost module.
func (b *builder) modules(path []origin.Module) spot {
	at := spot{scope: Root}
	around := ""
	for _, m := range path {
		if m.Name != around {
			at = b.descend(at.scope, parts(relative(around, m.Name)))
		}
		if at.cut {
			return at
		}
		if s := &b.scopes[at.scope]; s.class == "" {
			s.class = m.Class
		}
		around = m.Name
	}
	return at
}
