package graphops

import (
	"slices"

	"lathe/graphops/fieldnum"
)

// Renamed returns the graph with values renamed. names maps old names to new ones. References from
// bodies are renamed too, unless the body defines a value with the old name itself. The caller must
// ensure that the new names are not in use.
func (g *Graph) Renamed(names map[string]string) *Graph {
	e := EditGraph(g)
	for _, list := range [][]*ValueInfo{e.Inputs, e.Outputs, e.ValueInfo} {
		for i, v := range list {
			if to, ok := names[v.name]; ok {
				list[i] = v.WithName(to)
			}
		}
	}
	for i, t := range e.Initializers {
		if to, ok := names[t.name]; ok {
			e.Initializers[i] = t.WithName(to)
		}
	}
	for i, s := range e.Sparse {
		if to, ok := names[s.Name()]; ok {
			e.Sparse[i] = &SparseTensor{values: s.values.WithName(to), indices: s.indices, head: s.head}
		}
	}
	for i, n := range e.Nodes {
		e.Nodes[i] = n.Renamed(names)
	}
	e.renameAnnotations(names)
	return e.Graph()
}

// Renamed returns the node with its inputs and outputs renamed, including the values that its
// bodies capture. names maps old names to new ones.
func (n *Node) Renamed(names map[string]string) *Node {
	if inputs, changed := renamedAll(n.inputs, names); changed {
		n = n.WithInputs(inputs)
	}
	if outputs, changed := renamedAll(n.outputs, names); changed {
		n = n.WithOutputs(outputs)
	}
	n = n.RenamedDevices(names)
	if len(n.Captured()) == 0 {
		return n
	}
	return n.mapBodies(func(g *Graph) *Graph {
		if captured := amongst(g.Captured(), names); len(captured) > 0 {
			return g.Renamed(captured)
		}
		return g
	})
}

func renamedAll(list []string, names map[string]string) ([]string, bool) {
	var out []string
	for i, s := range list {
		if to, ok := names[s]; ok && s != "" {
			if out == nil {
				out = slices.Clone(list)
			}
			out[i] = to
		}
	}
	return out, out != nil
}

// amongst returns those entries of names whose keys are in list.
func amongst(list []string, names map[string]string) map[string]string {
	out := map[string]string{}
	for _, s := range list {
		if to, ok := names[s]; ok {
			out[s] = to
		}
	}
	return out
}

// RenamedDevices returns the node with tensors renamed in its device configurations.
func (n *Node) RenamedDevices(names map[string]string) *Node {
	if _, ok := lastBytes(n.rest(), fieldnum.NodeDevice); !ok {
		return n
	}
	c := *n
	c.head = patch(n.head, fieldnum.NodeDevice, func(d []byte) []byte {
		return patch(d, fieldnum.DeviceSharding, func(s []byte) []byte {
			return patch(s, fieldnum.ShardingTensor, func(v []byte) []byte {
				if to, ok := names[text(v)]; ok {
					return []byte(to)
				}
				return v
			})
		})
	})
	return &c
}
