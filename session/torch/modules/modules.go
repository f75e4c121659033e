// Package modules says which module of a PyTorch model is the first that a model made of it
// computes otherwise. It runs nothing: it pairs the results of modules with values of the graph,
// and judges what comparing them found.
package modules

import (
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/scope"
)

// Pair is a module and the value of the main graph that is its result.
type Pair struct {
	Module int // position in the list that was paired
	Value  graphops.ValueID
}

// Pairs finds for each module, by its name in PyTorch, the value that comes out of its nodes:
// that which other nodes or the caller read, of the last node. A module that no nodes tell of, or
// more than one scope, has none. Paths of modules that are called several times are to be left
// out: their nodes are not told apart.
func Pairs(m *graphops.Model, paths []string) []Pair {
	main := m.Places()[0]
	tree := scope.BuildPlace(main)
	x := main.Graph.Index()
	var out []Pair
	for i, path := range paths {
		if strings.Contains(path, "*") {
			continue // a pattern to Match
		}
		at, err := tree.Match(path)
		if err != nil || len(at) != 1 || at[0] == scope.Root {
			continue
		}
		if v, ok := result(x, tree.Nodes(at[0])); ok {
			out = append(out, Pair{i, v})
		}
	}
	return out
}

// result is the last value that leaves some nodes.
func result(x *graphops.Index, nodes []int32) (v graphops.ValueID, ok bool) {
	for _, n := range slices.Backward(nodes) {
		for _, made := range x.Makes(int(n)) {
			leaves := x.IsOutput(made) || slices.ContainsFunc(x.Readers(made), func(reader int32) bool {
				_, inside := slices.BinarySearch(nodes, reader)
				return !inside
			})
			if leaves {
				return made, true
			}
		}
	}
	return 0, false
}

// First is the first of the pairs, in the order of the graph, whose value differs and leads to
// an output that does: a value that differs and whose readers are right again is one that an
// optimization moved, as a convolution's that took in the normalization behind it. Differs tells
// of a pair whether it does. Of a value that is several modules' result it is the innermost,
// which is done first. It is false where no such value was compared.
func First(m *graphops.Model, pairs []Pair, differs []bool, outputs []string) (at int, ok bool) {
	x := m.Graph().Index()
	known := map[graphops.ValueID]int{}
	for i, p := range pairs {
		if _, had := known[p.Value]; !had {
			known[p.Value] = i
		}
	}
	seen := map[graphops.ValueID]bool{}
	at = -1
	var todo []graphops.ValueID
	back := func(v graphops.ValueID) {
		if seen[v] {
			return
		}
		seen[v] = true
		if i, had := known[v]; had {
			if !differs[i] {
				return
			}
			if at < 0 || x.Producer(v) < x.Producer(pairs[at].Value) {
				at = i
			}
		}
		todo = append(todo, v)
	}
	for _, name := range outputs {
		if v, ok := x.Value(name); ok {
			back(v)
		}
	}
	for len(todo) > 0 {
		v := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if n := x.Producer(v); n >= 0 {
			for _, in := range x.Reads(n) {
				back(in)
			}
		}
	}
	return at, at >= 0
}
