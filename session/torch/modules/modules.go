// Package modules says which module of a PyTorch model is the first that a model made of it
// computes otherwise. It runs nothing: it finds the values of the graph that can be a module's
// results, and judges what comparing them found.
package modules

import (
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/scope"
)

// Scope are the values that the nodes of a module take from others, and those that come out of
// them, which other nodes or the caller read.
type Scope struct{ Takes, Gives []graphops.ValueID }

// Scopes finds the nodes of modules by the scopes that exporters write. A module that no nodes
// tell of, or more than one scope, has none.
func Scopes(m *graphops.Model, paths []string) map[string]Scope {
	main := m.Places()[0]
	tree := scope.BuildPlace(main)
	x := main.Graph.Index()
	out := map[string]Scope{}
	for _, path := range paths {
		if strings.Contains(path, "*") || path == "" {
			continue // a pattern to Match, and the whole model
		}
		at, err := tree.Match(path)
		if err != nil || len(at) != 1 || at[0] == scope.Root {
			continue
		}
		nodes := tree.Nodes(at[0])
		out[path] = Scope{entering(x, nodes), leaving(x, nodes)}
	}
	return out
}

// entering are the values that some nodes take from others.
func entering(x *graphops.Index, nodes []int32) []graphops.ValueID {
	var out []graphops.ValueID
	for _, n := range nodes {
		for _, read := range x.Reads(int(n)) {
			_, inside := slices.BinarySearch(nodes, int32(x.Producer(read)))
			if !inside && !slices.Contains(out, read) {
				out = append(out, read)
			}
		}
	}
	return out
}

// leaving are the values that leave some nodes.
func leaving(x *graphops.Index, nodes []int32) []graphops.ValueID {
	var out []graphops.ValueID
	for _, n := range nodes {
		for _, made := range x.Makes(int(n)) {
			if x.IsOutput(made) || slices.ContainsFunc(x.Readers(made), func(reader int32) bool {
				_, inside := slices.BinarySearch(nodes, reader)
				return !inside
			}) {
				out = append(out, made)
			}
		}
	}
	return out
}

// Verdict is what comparing a call of a module found.
type Verdict int

// The verdicts.
const (
	Right   Verdict = iota // all results that could be compared are in the model
	Wrong                  // a result is not what the model has in its place
	Unknown                // nothing of it could be compared
	Passing                // it gives what it was given, so that no node need be there
)

// Call is a call of a module that was compared.
type Call struct {
	Path    string
	Verdict Verdict
	// Same are values of the graph that are results of the call, and Other one that has the place
	// of a result and differs; NoValue for none.
	Same  []graphops.ValueID
	Other graphops.ValueID
}

// NoValue is no value of a graph.
const NoValue graphops.ValueID = -1

// First is the first call, of those in the order in which they were done, whose result is wrong
// and leads to an output that is: a value that differs and whose readers are right again is one
// that an optimization moved, as a convolution's that took in the normalization behind it. Of
// calls that share a value it is the innermost, which is done first. Unknown are the calls between
// the last that is right and that one of which nothing is known: where there are some, any of them
// may be the first. At is -1 where no such call was compared.
func First(m *graphops.Model, calls []Call, outputs []string) (at int, unknown []int) {
	x := m.Graph().Index()
	at = firstOf(x, calls, outputs)
	if at < 0 {
		return -1, nil
	}
	for i := at - 1; i >= 0; i-- {
		c := calls[i]
		if c.Verdict == Right && !contains(c.Path, calls[at].Path) {
			break
		}
		// What is inside of a module that is wrong may be what is wrong of it. Of the whole model
		// that says nothing.
		if c.Verdict == Unknown && (calls[at].Path == "" || !contains(calls[at].Path, c.Path)) {
			unknown = append(unknown, i)
		}
	}
	slices.Reverse(unknown)
	return at, unknown
}

// contains reports whether a module is inside another, or the same.
func contains(outer, inner string) bool {
	return outer == "" || inner == outer || strings.HasPrefix(inner, outer+".")
}

func firstOf(x *graphops.Index, calls []Call, outputs []string) int {
	right, wrong := map[graphops.ValueID]bool{}, map[graphops.ValueID]int{}
	for i, c := range calls {
		for _, v := range c.Same {
			right[v] = true
		}
		if _, had := wrong[c.Other]; !had && c.Other != NoValue {
			wrong[c.Other] = i
		}
	}
	seen := map[graphops.ValueID]bool{}
	at := -1
	var todo []graphops.ValueID
	back := func(v graphops.ValueID) {
		if seen[v] {
			return
		}
		seen[v] = true
		if right[v] {
			return
		}
		if i, had := wrong[v]; had && (at < 0 || x.Producer(v) < x.Producer(calls[at].Other)) {
			at = i
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
	return at
}
