package nbits

import "lathe/graphops"

// Padding returns how many weights of MatMulNBits have columns whose last block is not full, and how many
// bytes their codes hold for numbers that do not exist.
func Padding(m *graphops.Model) (weights int, bytes int64) {
	seen := map[string]bool{}
	for n := range m.AllNodes() {
		if n.Op() != (graphops.Op{Domain: graphops.MicrosoftDomain, Name: "MatMulNBits"}) || len(n.Inputs()) < 2 || seen[n.Input(1)] {
			continue
		}
		seen[n.Input(1)] = true
		sizes := map[string]int64{"bits": 4}
		for _, name := range []string{"K", "N", "bits", "block_size"} {
			if a, ok := n.Attribute(name); ok {
				sizes[name] = a.Int()
			}
		}
		rows, columns, block := sizes["K"], sizes["N"], sizes["block_size"]
		if !isSize(rows) || !isSize(columns) || !isSize(block) || sizes["bits"] < 1 || sizes["bits"] > 8 || rows%block == 0 {
			continue
		}
		weights++
		bytes += columns * (block - rows%block) * sizes["bits"] / 8
	}
	return weights, bytes
}

// isSize reports whether an attribute can be a size. The product of two sizes and of the bits may not overflow.
func isSize(n int64) bool { return n > 0 && n < 1<<24 }
