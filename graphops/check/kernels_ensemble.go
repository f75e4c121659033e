package check

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// trees checks the lists of a TreeEnsemble. nodes_splits determines the number of branches.
func (n settings) trees() string {
	if targets, ok := n.number("n_targets", 0); ok && targets < 1 {
		return fmt.Sprintf("n_targets is %d, expected at least 1", targets)
	}
	for _, lists := range [][]string{
		{
			"nodes_splits", "nodes_featureids", "nodes_modes", "nodes_truenodeids", "nodes_trueleafs", "nodes_falsenodeids", "nodes_falseleafs", "nodes_hitrates",
			"nodes_missing_value_tracks_true",
		},
		{"leaf_weights", "leaf_targetids"},
	} {
		length := n.count(lists[0])
		for _, name := range lists[1:] {
			if has := n.count(name); length >= 0 && has >= 0 && has != length {
				return fmt.Sprintf("attribute %q has %d elements, but %q has %d, expected the same number", lists[0], length, name, has)
			}
		}
	}
	if t := n.tensor("nodes_modes"); t != nil && t.DType() != tensor.U8 {
		return fmt.Sprintf("nodes_modes is of type %s, expected u8", t.DType())
	}
	splits, weights := n.tensor("nodes_splits"), n.tensor("leaf_weights")
	if splits != nil && weights != nil && splits.DType() != weights.DType() {
		return fmt.Sprintf("nodes_splits is of type %s, and leaf_weights of type %s, expected that of the input", splits.DType(), weights.DType())
	}
	return n.branches()
}

// tensor returns a tensor attribute, nil if there is none.
func (n settings) tensor(name string) *graphops.Tensor {
	if value, _ := n.own(name); value != nil {
		return value.Tensor()
	}
	return nil
}

// branches checks that the targets of branches and roots of a TreeEnsemble exist.
func (n settings) branches() string {
	nodes, leafs := int64(n.count("nodes_splits")), int64(n.count("leaf_weights"))
	if nodes < 0 || leafs < 0 {
		return ""
	}
	for _, side := range []string{"true", "false"} {
		isLeaf, _ := n.ints("nodes_" + side + "leafs")
		next, _ := n.ints("nodes_" + side + "nodeids")
		for i, to := range next {
			switch {
			case i >= len(isLeaf):
			case isLeaf[i] != 0 && (to < 0 || to >= leafs):
				return fmt.Sprintf("nodes_%snodeids refers to leaf %d, but there are only %d", side, to, leafs)
			case isLeaf[i] == 0 && (to < 0 || to >= nodes):
				return fmt.Sprintf("nodes_%snodeids refers to node %d, but there are only %d", side, to, nodes)
			}
		}
	}
	roots, _ := n.ints("tree_roots")
	for _, root := range roots {
		if root < 0 || root >= nodes {
			return fmt.Sprintf("tree_roots refers to node %d, but there are only %d", root, nodes)
		}
	}
	return ""
}
