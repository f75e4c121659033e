package summary

import (
	"fmt"

	"lathe/graphops"
)

// packing says which inputs of an operator have several elements in a byte.
type packing struct {
	inputs    []int
	attribute string // the number of bits of an element
	bits      int64  // if there is no such attribute
}

// packings are the operators that read such weights.
var packings = map[graphops.Op]packing{
	{Domain: graphops.MicrosoftDomain, Name: "GatherBlockQuantized"}: {[]int{0}, "bits", 4},
	{Domain: graphops.MicrosoftDomain, Name: "MatMulBnb4"}:           {[]int{1}, "", 4},
	{Domain: graphops.MicrosoftDomain, Name: "MatMulFpQ4"}:           {[]int{1}, "", 4},
	{Domain: graphops.MicrosoftDomain, Name: "MatMulNBits"}:          {[]int{1}, "bits", 4},
	{Domain: graphops.MicrosoftDomain, Name: "MatMulNBitsMlp"}:       {[]int{3, 6}, "bits", 4},
	{Domain: graphops.MicrosoftDomain, Name: "MatMulNBitsQkv"}:       {[]int{3, 6, 9}, "bits", 4},
	{Domain: graphops.MicrosoftDomain, Name: "QMoE"}:                 {[]int{2, 5, 8}, "expert_weight_bits", 4},
}

// packedTensors returns the number of bits of an element of those initializers that nodes read as
// packed.
func packedTensors(m *graphops.Model) map[*graphops.Tensor]int64 {
	out := map[*graphops.Tensor]int64{}
	for _, p := range m.Places() {
		for _, n := range p.Graph.Nodes() {
			form, ok := packings[n.Op()]
			if !ok {
				continue
			}
			bits := form.bits
			if form.attribute != "" {
				bits = number(n, form.attribute, form.bits)
			}
			if bits != 2 && bits != 4 {
				continue
			}
			for _, nth := range form.inputs {
				if nth < len(n.Inputs()) {
					if t, _ := p.Constant(n.Inputs()[nth]); t != nil {
						out[t] = bits
					}
				}
			}
		}
	}
	return out
}

// packedName is the name of a type with this number of bits.
func packedName(bits int64) string { return fmt.Sprintf("int%d", bits) }
