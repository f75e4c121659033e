package scope

import "strings"

// trail is the path that follow handled last, with the scopes on it. The names of successive nodes
// usually start in the same way, so most of it can be used again.
type trail struct {
	path  string
	steps []step
}

// step is one segment of a trail: the position in the path at which it ends, and its scope.
type step struct {
	end   int
	name  string // as it is in the path
	scope ID
}

// follow returns the scope for a path with slashes, starting at the root.
func (b *builder) follow(path string) spot {
	b.last.keep(path)
	at, before, from := spot{scope: Root}, "", 0
	if n := len(b.last.steps); n > 0 {
		s := b.last.steps[n-1]
		at.scope, before, from = s.scope, s.name, s.end
	}
	for from < len(path) {
		end := len(path)
		if i := strings.IndexByte(path[from:], '/'); i >= 0 {
			end = from + i
		}
		if part := path[from:end]; part != "" {
			if at = b.child(at.scope, relative(before, part)); at.cut {
				break
			}
			before = part
			b.last.steps = append(b.last.steps, step{end, part, at.scope})
		}
		from = end + 1
	}
	return at
}

// keep shortens the trail to the segments that it has in common with path.
func (t *trail) keep(path string) {
	n := min(len(path), len(t.path))
	for i := range n {
		if path[i] != t.path[i] {
			n = i
			break
		}
	}
	k := len(t.steps)
	for k > 0 && (t.steps[k-1].end > n || t.steps[k-1].end < len(path) && path[t.steps[k-1].end] != '/') {
		k--
	}
	t.path, t.steps = path, t.steps[:k]
}
