package check

import (
	"fmt"
	"slices"
)

// treeModes are the modes of a tree's nodes.
var treeModes = []string{"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER", "LEAF"}

func treeRegressorFault(n settings, _ int64) string {
	targets, known := n.number("n_targets", 0)
	if known && targets < 1 {
		return first(n.lacks("n_targets"), n.atLeast(1, "n_targets", 1))
	}
	if bases, ok := n.length("base_values"); ok && known && bases != 0 && int64(bases) != targets {
		return fmt.Sprintf("attribute \"base_values\" has %s, expected one for each of %s", counted(bases, "element"), counted(int(targets), "target"))
	}
	if !known {
		return ""
	}
	return n.treesFault("target", targets)
}

func treeClassifierFault(n settings, _ int64) string {
	classes, known := n.length("classlabels_int64s", "classlabels_strings")
	if !known || classes == 0 {
		return ""
	}
	return n.treesFault("class", int64(classes))
}

// treesFault checks the references of nodes and leaves of trees. kind is the prefix of the names
// of the lists of leaves. Each leaf is for one of targets targets or classes.
func (n settings) treesFault(kind string, targets int64) string {
	nodes, known := n.lists("nodes_treeids", "nodes_nodeids", "nodes_truenodeids", "nodes_falsenodeids", "nodes_featureids")
	modes, ok := n.texts("nodes_modes")
	if !known || !ok || len(modes) != len(nodes[0]) {
		return ""
	}
	if f := n.sameLength("nodes_values", "nodes_values_as_tensor", len(modes)); f != "" {
		return f
	}
	places := map[[2]int64]bool{}
	for i := range modes {
		at := [2]int64{nodes[0][i], nodes[1][i]}
		switch {
		case at[1] < 0 || at[1] >= int64(len(modes)):
			return fmt.Sprintf("attribute \"nodes_nodeids\" has %d, expected less than the number of nodes, %d", at[1], len(modes))
		case places[at]:
			return fmt.Sprintf("attribute \"nodes_nodeids\" has node %d of tree %d twice", at[1], at[0])
		}
		places[at] = true
	}
	for i, mode := range modes {
		if f := branchFault(places, mode, nodes, i); f != "" {
			return f
		}
	}
	return n.leavesFault(kind, places, targets)
}

// sameLength checks a list that may also be given as a tensor.
func (n settings) sameLength(name, tensor string, want int) string {
	if got, known := n.length(name); known && !n.has(tensor) && got != want {
		return fmt.Sprintf("attribute %q has %s for %d nodes", name, counted(got, "element"), want)
	}
	return ""
}

func branchFault(places map[[2]int64]bool, mode string, nodes [][]int64, i int) string {
	tree, id := nodes[0][i], nodes[1][i]
	if !slices.Contains(treeModes, mode) {
		return fmt.Sprintf("attribute \"nodes_modes\" has %q, expected %s", mode, anyOf(treeModes))
	}
	if mode == "LEAF" {
		return ""
	}
	for _, list := range []struct {
		name string
		next int64
	}{{"nodes_truenodeids", nodes[2][i]}, {"nodes_falsenodeids", nodes[3][i]}} {
		if !places[[2]int64{tree, list.next}] {
			return fmt.Sprintf("attribute %q: node %d of tree %d continues at node %d, which the tree does not have", list.name, id, tree, list.next)
		}
		if list.next == id {
			return fmt.Sprintf("attribute %q: node %d of tree %d continues at itself", list.name, id, tree)
		}
	}
	if feature := nodes[4][i]; feature < 0 {
		return fmt.Sprintf("attribute \"nodes_featureids\": node %d of tree %d reads feature %d, expected 0 or more", id, tree, feature)
	}
	return ""
}

func (n settings) leavesFault(kind string, places map[[2]int64]bool, targets int64) string {
	leaves, known := n.lists(kind+"_treeids", kind+"_nodeids", kind+"_ids")
	if !known {
		return ""
	}
	if f := n.sameWeights(kind, len(leaves[0])); f != "" {
		return f
	}
	for i, target := range leaves[2] {
		switch at := [2]int64{leaves[0][i], leaves[1][i]}; {
		case !places[at]:
			return fmt.Sprintf("attribute \"%s_nodeids\" has node %d of tree %d, which the tree does not have", kind, at[1], at[0])
		case target < 0 || target >= targets:
			return fmt.Sprintf("attribute \"%s_ids\" has %d, expected 0 to %d", kind, target, targets-1)
		}
	}
	return ""
}

func (n settings) sameWeights(kind string, leaves int) string {
	got, known := n.length(kind + "_weights")
	if known && !n.has(kind+"_weights_as_tensor") && got != leaves {
		return fmt.Sprintf("attribute \"%s_weights\" has %s for %d leaves", kind, counted(got, "element"), leaves)
	}
	return ""
}
