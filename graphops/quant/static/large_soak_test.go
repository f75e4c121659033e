//go:build soak

package static

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"lathe/graphops/graphtest"
)

// TestLarge keeps to time that grows with the size of a graph: of 50,000 nodes that move one
// value on, that read one value, that add one bias, or
// that one node reads.
func TestLarge(t *testing.T) {
	const nodes, most = 50_000, time.Minute
	for name, node := range map[string]func(*strings.Builder, int){
		"moved on": func(b *strings.Builder, i int) { fmt.Fprintf(b, "h%d = Transpose(h%d)\n", i+1, i) },
		"read by":  func(b *strings.Builder, i int) { fmt.Fprintf(b, "h%d = Sigmoid(h0)\n", i+1) },
		"moved by": func(b *strings.Builder, i int) { fmt.Fprintf(b, "h%d = Transpose(h0)\n", i+1) },
		"one bias": func(b *strings.Builder, i int) { fmt.Fprintf(b, "h%d = Gemm(h0, w, b)\n", i+1) },
		"joined": func(b *strings.Builder, i int) {
			if i+1 < nodes {
				fmt.Fprintf(b, "h%d = Sigmoid(h0)\n", i+1)
			}
		},
		"summed up": func(b *strings.Builder, i int) { fmt.Fprintf(b, "h%d = Add(h%d, h0)\n", i+1, i) },
	} {
		var b strings.Builder
		b.WriteString("input x f32[3,3]\ninit w f32[3,3] 0.5 -1\ninit b f32[3] 1\nh0 = MatMul(x, w)\n")
		for i := range nodes {
			node(&b, i)
		}
		if name == "joined" {
			fmt.Fprintf(&b, "h%d = Concat(h0", nodes)
			for i := range nodes - 1 {
				fmt.Fprintf(&b, ", h%d", i+1)
			}
			b.WriteString(") axis=0\n")
		}
		fmt.Fprintf(&b, "output h%d f32[3,3]\n", nodes)
		m := graphtest.Model(t, b.String())
		for _, format := range []Format{FormatQDQ, FormatOperators} {
			o := DefaultOptions()
			o.Format = format
			table := tableFor(t, m, o, unit)
			from := time.Now()
			_, _, err := Quantize(context.Background(), m, table, o)
			took := time.Since(from)
			if err != nil || took > most {
				t.Errorf("%s, format %d: %s, error %v", name, format, took, err)
			}
			t.Logf("%s, format %d: %s", name, format, took.Round(time.Millisecond))
		}
	}
}
