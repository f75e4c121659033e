package summary

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/cost"
)

// packedTensors returns the number of bits of an element of those initializers that nodes read as
// packed.
func packedTensors(m *graphops.Model) map[*graphops.Tensor]int64 {
	out := map[*graphops.Tensor]int64{}
	for _, p := range m.Places() {
		for _, n := range p.Graph.Nodes() {
			if n.Domain() == graphops.DefaultDomain {
				continue // no standard operator unpacks bytes
			}
			for _, name := range n.Inputs() {
				bits := cost.PackedBits(n, name)
				if bits == 0 {
					continue
				}
				if t, _ := p.Constant(name); t != nil {
					out[t] = bits
				}
			}
		}
	}
	return out
}

// packedName is the name of a type with this number of bits.
func packedName(bits int64) string { return fmt.Sprintf("int%d", bits) }
