// Package modules finds the first module of a PyTorch model that an exported model computes
// differently. It runs nothing: it finds the values of the graph that can be a module's results,
// and evaluates comparisons with them.
package modules

import (
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/scope"
)

// Scope has the values that the nodes of a module take from outside, and those that they give to
// other nodes or to the caller.
type Scope struct{ Takes, Gives []graphops.ValueID }

// Scopes finds the nodes of modules by the scopes that exporters write. paths are the names of the
// modules in PyTorch, one for each call. A module that no node names has no entry.
func Scopes(m *graphops.Model, paths []string) map[string]Scope {
	main := m.Places()[0]
	tree := scope.BuildPlace(main)
	x := main.Graph.Index()
	calls, scopes := map[string]int{}, map[string][][]int32{}
	for _, path := range paths {
		calls[path]++
	}
	for id, path := range resolve(tree, paths) {
		if path != "" {
			nodes := slices.Clone(tree.Nodes(scope.ID(id)))
			slices.Sort(nodes)
			scopes[path] = append(scopes[path], nodes)
		}
	}
	out := map[string]Scope{}
	for path, list := range scopes {
		var s Scope
		for _, nodes := range list {
			// one scope has several calls, so one call may take what another gives
			if calls[path] > len(list) {
				s.Takes, s.Gives = append(s.Takes, read(x, nodes)...), append(s.Gives, made(x, nodes)...)
				continue
			}
			s.Takes, s.Gives = append(s.Takes, entering(x, nodes)...), append(s.Gives, leaving(x, nodes)...)
		}
		out[path] = Scope{sorted(s.Takes), sorted(s.Gives)}
	}
	return out
}

func sorted(list []graphops.ValueID) []graphops.ValueID {
	slices.Sort(list)
	return slices.Compact(list)
}

// read returns the values that nodes read, and made those that they compute.
func read(x *graphops.Index, nodes []int32) (out []graphops.ValueID) {
	for _, n := range nodes {
		out = append(out, x.Reads(int(n))...)
	}
	return out
}

func made(x *graphops.Index, nodes []int32) (out []graphops.ValueID) {
	for _, n := range nodes {
		out = append(out, x.Makes(int(n))...)
	}
	return out
}

// entering returns the values that some nodes take from others.
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

// leaving returns the values that these nodes compute and that other nodes read or that are
// outputs.
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

// Verdict is the result of comparing a call of a module.
type Verdict int

// The verdicts.
const (
	Right   Verdict = iota // all results that could be compared are in the model
	Wrong                  // a result is not in the model, which has another value in its place
	Unknown                // no result could be compared
	Passing                // it returns its argument, so it needs no node
)

// Call is a call of a module, and the result of comparing it.
type Call struct {
	Path    string
	Verdict Verdict
	// Same are values of the graph that are results of the call. Other is a value in the place of a
	// result that differs by at most Off; it is NoValue if there is none.
	Same  []graphops.ValueID
	Other graphops.ValueID
	Off   float64
	// Entry says, for a wrong call, whether its nodes read the module's arguments as in PyTorch. If
	// they read something else, the fault is before them.
	Entry Verdict
	// Skipped is the index of a call without nodes in the model, whose arguments this call's nodes
	// read; -1 if there is none.
	Skipped int
	nodes   bool // the model has nodes of the module
	within  bool // the nodes of another call compute it too
	gives   []graphops.ValueID
}

// NoValue means that there is no value.
const NoValue graphops.ValueID = -1

// First returns the first call, in the order in which calls finished, whose result is wrong and
// leads to a wrong output, and whose nodes read the right arguments. Calls of inner modules finish
// before the outer one. If a value differs but its readers are right again, an optimization has
// moved it; an example is the value of a convolution that absorbed the normalization after it.
// unknown are other calls that may be the first, because their results or arguments could not be
// compared. at is -1 if no call was found.
func First(m *graphops.Model, calls []Call, outputs []string) (at int, unknown []int) {
	leads := leading(m.Graph().Index(), calls, outputs)
	at = slices.IndexFunc(calls, func(c Call) bool { return c.Verdict == Wrong && c.Entry == Right && leads[c.Other] })
	if at < 0 {
		return -1, nil
	}
	between := true
	for i := at - 1; i >= 0; i-- {
		c := calls[i]
		if c.Verdict == Right && !contains(c.Path, calls[at].Path) {
			between = false
		}
		if c.mayBeFirst(leads, between) {
			unknown = append(unknown, i)
		}
	}
	slices.Reverse(unknown)
	return at, unknown
}

// mayBeFirst reports whether a call with unknown parts may be the first wrong one. between means
// that no call after it is known to be right.
func (c Call) mayBeFirst(leads map[graphops.ValueID]bool, between bool) bool {
	switch {
	case c.Verdict == Wrong:
		return c.Entry == Unknown && leads[c.Other]
	case c.Verdict == Unknown && c.nodes:
		return slices.ContainsFunc(c.gives, func(v graphops.ValueID) bool { return leads[v] })
	default:
		return c.Verdict == Unknown && between && !c.within
	}
}

// contains reports whether a module is inside another, or the same.
func contains(outer, inner string) bool {
	return outer == "" || inner == outer || strings.HasPrefix(inner, outer+".")
}

// leading returns the values from which an output can be reached in the graph without passing
// through a value that is right.
func leading(x *graphops.Index, calls []Call, outputs []string) map[graphops.ValueID]bool {
	right, seen := map[graphops.ValueID]bool{}, map[graphops.ValueID]bool{}
	for _, c := range calls {
		for _, v := range c.Same {
			right[v] = true
		}
	}
	var todo []graphops.ValueID
	back := func(v graphops.ValueID) {
		if !seen[v] && !right[v] {
			seen[v] = true
			todo = append(todo, v)
		}
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
	return seen
}
