package scope_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/graphops/scope"
)

// treeOf makes the tree of a graph in the language of graphtest.
func treeOf(t testing.TB, text string) *scope.Tree {
	t.Helper()
	return built(t, graphtest.Model(t, text).Graph())
}

// built makes a tree and checks what always holds.
func built(t testing.TB, g *graphops.Graph) *scope.Tree {
	t.Helper()
	tree := scope.Build(g)
	checkTree(t, tree, g)
	return tree
}

// drawn is the tree as lines, folds as one.
func drawn(t *scope.Tree) string {
	var b strings.Builder
	var walk func(scope.ID, string)
	walk = func(s scope.ID, indent string) {
		for _, r := range t.Rows(s) {
			at := t.Scopes[r.Scope]
			if r.Fold != nil {
				fmt.Fprintf(&b, "%s%s ×%d %d\n", indent, r.Fold.Label, len(r.Fold.Members), r.Fold.Nodes)
			} else {
				fmt.Fprintf(&b, "%s%s %d/%d\n", indent, at.Name, at.Own, at.Nodes)
			}
			walk(r.Scope, indent+" ")
		}
	}
	walk(scope.Root, "")
	return b.String()
}

// named makes the tree of a chain of Relu nodes with these names.
func named(t testing.TB, names ...string) *scope.Tree {
	t.Helper()
	return built(t, chainOf(t, names, "Relu"))
}

// chainOf is a chain of nodes with these names, and operators in turn.
func chainOf(t testing.TB, names []string, ops ...string) *graphops.Graph {
	t.Helper()
	g := &onnxpb.GraphProto{Input: []*onnxpb.ValueInfoProto{{Name: proto.String("v0")}}}
	for i, name := range names {
		g.Node = append(g.Node, &onnxpb.NodeProto{
			OpType: proto.String(ops[i%len(ops)]), Name: proto.String(name),
			Input: []string{fmt.Sprintf("v%d", i)}, Output: []string{fmt.Sprintf("v%d", i+1)},
		})
	}
	return graphtest.Decode(t, &onnxpb.ModelProto{IrVersion: proto.Int64(8), Graph: g}).Graph()
}

// checkTree checks what holds for every tree.
func checkTree(t testing.TB, tree *scope.Tree, g *graphops.Graph) {
	t.Helper()
	if n := len(g.Nodes()); tree.Scopes[scope.Root].Nodes != n || len(tree.Nodes(scope.Root)) != n {
		t.Fatalf("the root has %d nodes, the graph %d", tree.Scopes[scope.Root].Nodes, n)
	}
	for i := range tree.Scopes {
		checkScope(t, tree, scope.ID(i))
	}
	for i := range g.Nodes() {
		if !slices.Contains(tree.Own(tree.Find(i)), int32(i)) {
			t.Fatalf("node %d is not among those of %s", i, tree.Path(tree.Find(i)))
		}
	}
	for i, f := range tree.Folds {
		if len(f.Members) < 2 {
			t.Fatalf("fold %q has %d members", f.Label, len(f.Members))
		}
		for _, m := range f.Members {
			if tree.Scopes[m].Fold != i || tree.Scopes[m].Parent != tree.Scopes[f.Members[0]].Parent {
				t.Fatalf("%s is not of fold %q", tree.Path(m), f.Label)
			}
		}
	}
}

func checkScope(t testing.TB, tree *scope.Tree, id scope.ID) {
	t.Helper()
	s := tree.Scopes[id]
	nodes, end, parameters := s.Own, id+1, int64(0)
	for _, c := range tree.Children(id) {
		child := tree.Scopes[c]
		if child.Parent != id || child.Depth != s.Depth+1 || c != end {
			t.Fatalf("%s: child %s is out of place", tree.Path(id), tree.Path(c))
		}
		nodes, end, parameters = nodes+child.Nodes, child.End, parameters+child.Parameters
	}
	if nodes != s.Nodes || end != s.End || len(tree.Own(id)) != s.Own || len(tree.Nodes(id)) != s.Nodes {
		t.Fatalf("%s: %d nodes counted, %d told; ends at %d, told %d", tree.Path(id), nodes, s.Nodes, end, s.End)
	}
	if s.Own == 0 && s.Parameters > parameters {
		t.Fatalf("%s reads %d parameters, what is below it %d", tree.Path(id), s.Parameters, parameters)
	}
	if s.Depth > scope.MaxDepth {
		t.Fatalf("%s is %d deep", tree.Path(id), s.Depth)
	}
	if s.Nodes > 0 && !slices.Contains(tree.Nodes(id), int32(s.First)) {
		t.Fatalf("%s: its first node, %d, is not in it", tree.Path(id), s.First)
	}
	if at, err := tree.Match(tree.Path(id)); err != nil || len(at) != 1 || at[0] != id {
		t.Fatalf("%q leads to %v, %v", tree.Path(id), at, err)
	}
}
