package graph

import (
	"slices"
	"strings"

	"lathe/bench/profile"
)

// fewLeaves is how many modules without modules inside are folded at least. Two of them, such as fc1
// and fc2, are different things.
const fewLeaves = 3

// foldModules folds equal modules, such as the layers of an encoder, into one with the time of all.
// Equal are siblings that differ only in numbers in their names, and so do the modules inside them.
// Modules must come after their parents. It returns for each module of the result which of the given
// ones it combines.
func foldModules(modules []profile.Module) (out []profile.Module, members [][]int) {
	f := moduleFolder{given: modules, inside: make([][]int, len(modules)), shapes: make([]string, len(modules))}
	for i, m := range modules[1:] {
		f.inside[m.Parent] = append(f.inside[m.Parent], i+1)
	}
	for i := range slices.Backward(modules) {
		f.shapes[i] = f.shape(i)
	}
	f.add([]int{0}, -1, modules[0].Path)
	return f.out, f.members
}

type moduleFolder struct {
	given   []profile.Module
	inside  [][]int  // of each given module
	shapes  []string // of each given module: the names inside it, without numbers
	out     []profile.Module
	members [][]int
}

// shape returns what a module has in common with its equals. Those of the modules inside it are
// known. A long shape is cut: it serves only to compare.
func (f *moduleFolder) shape(i int) string {
	var parts []string
	for _, c := range f.inside[i] {
		parts = append(parts, starred(f.name(c))+"("+f.shapes[c]+")")
	}
	slices.Sort(parts)
	s := strings.Join(slices.Compact(parts), ",")
	const most = 4 << 10
	return s[:min(len(s), most)]
}

// name returns the end of a module's path, with the sign before it.
func (f *moduleFolder) name(i int) string {
	m := f.given[i]
	if m.Parent < 0 {
		return m.Path
	}
	return strings.TrimPrefix(m.Path, f.given[m.Parent].Path)
}

// add adds a module that combines the given ones, and then what is inside it.
func (f *moduleFolder) add(group []int, parent int, path string) {
	m := profile.Module{Path: path, Parent: parent}
	var inside []int
	for _, i := range group {
		g := f.given[i]
		m.US, m.OwnUS, m.Share, m.Nodes = m.US+g.US, m.OwnUS+g.OwnUS, m.Share+g.Share, m.Nodes+g.Nodes
		inside = append(inside, f.inside[i]...)
	}
	at := len(f.out)
	f.out, f.members = append(f.out, m), append(f.members, group)
	for _, g := range f.groups(inside) {
		f.add(g.modules, at, path+g.name)
	}
}

// namedGroup is a group of modules under one name.
type namedGroup struct {
	name    string
	modules []int
}

// groups divides modules into those that one frame shows.
func (f *moduleFolder) groups(modules []int) []namedGroup {
	type key struct{ name, shape string }
	alike := map[key][]int{}
	for _, i := range modules {
		k := key{starred(f.name(i)), f.shapes[i]}
		alike[k] = append(alike[k], i)
	}
	var out []namedGroup
	at := map[key]int{}
	for _, i := range modules {
		name := f.name(i)
		k := key{name, f.shapes[i]}
		if all := alike[key{starred(name), k.shape}]; f.folds(all) {
			k.name = starred(name)
		}
		n, ok := at[k]
		if !ok {
			n = len(out)
			at[k] = n
			out = append(out, namedGroup{name: k.name})
		}
		out[n].modules = append(out[n].modules, i)
	}
	return out
}

// folds reports whether modules whose names differ only in numbers are shown as one.
func (f *moduleFolder) folds(modules []int) bool {
	names := map[string]bool{}
	for _, i := range modules {
		names[f.name(i)] = true
	}
	return len(names) >= fewLeaves || len(names) > 1 && len(f.inside[modules[0]]) > 0
}

// starred replaces the numbers in a name by stars.
func starred(name string) string {
	var b strings.Builder
	inNumber := false
	for i := range len(name) {
		isDigit := name[i] >= '0' && name[i] <= '9'
		if isDigit && !inNumber {
			b.WriteByte('*')
		} else if !isDigit {
			b.WriteByte(name[i])
		}
		inNumber = isDigit
	}
	return b.String()
}
