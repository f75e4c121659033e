package modules

import (
	"strings"

	"lathe/graphops/pattern"
	"lathe/graphops/scope"
)

// again matches the number that the old exporter appends to the scope of a module for further
// calls.
var again = pattern.New(`_[0-9]+$`)

// resolve returns the path of the module for each scope of a tree, or "" for other scopes.
func resolve(tree *scope.Tree, paths []string) []string {
	known, ends := map[string]bool{}, map[string][]string{}
	for _, p := range paths {
		if p != "" && !known[p] {
			known[p] = true
			last := p[strings.LastIndex(p, ".")+1:]
			ends[last] = append(ends[last], p)
		}
	}
	at, out := make([]string, len(tree.Scopes)), make([]string, len(tree.Scopes))
	for id := 1; id < len(tree.Scopes); id++ {
		s := tree.Scopes[id]
		at[id] = step(at[s.Parent], s.Name, known, ends)
		if known[at[id]] {
			out[id] = at[id]
		}
	}
	return out
}

// step returns the path for a scope name within the scope of another module. It is needed because
// exporters repeat the names of lists, or leave out those of dictionaries.
func step(outer, name string, known map[string]bool, ends map[string][]string) string {
	for _, n := range []string{name, again.ReplaceAllString(name, "")} {
		for around := outer; ; around = parent(around) {
			if p := join(around, n); known[p] {
				return p
			}
			if around == "" || !strings.Contains(n, ".") {
				break
			}
		}
		var found []string
		for _, p := range ends[n] {
			if dict := parent(p); !known[dict] && parent(dict) == outer {
				found = append(found, p)
			}
		}
		if len(found) == 1 {
			return found[0]
		}
	}
	return join(outer, name)
}

func join(outer, name string) string { return strings.TrimPrefix(outer+"."+name, ".") }

func parent(path string) string { return path[:max(strings.LastIndex(path, "."), 0)] }
