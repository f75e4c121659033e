//go:build soak

package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"lathe/graphops/graphtest"
)

// TestLargeAndHostile has models in which every node has a problem: what one of
// them costs must not grow with their number.
func TestLargeAndHostile(t *testing.T) {
	const n = 100000
	texts := map[string]func(b *strings.Builder){
		"undefined names":        func(b *strings.Builder) { each(b, n, "y%d = Neg(gone%d)\n") },
		"one cycle":              func(b *strings.Builder) { each(b, n, "v%d = Neg(v%d)\n", +1, n) },
		"many cycles":            func(b *strings.Builder) { each(b, n, "v%d = Add(v%d, x)\n") },
		"turned around":          func(b *strings.Builder) { each(b, n, "v%d = Neg(v%d)\n", +1, n+1) },
		"one name for all nodes": func(b *strings.Builder) { each(b, n, "same: v%d = Neg(x)\n") },
		"one value":              func(b *strings.Builder) { each(b, n, "v = Neg(x)\n") },
		"names without width":    func(b *strings.Builder) { each(b, n, "v\u200b%d = Neg(x)\n") },
		"functions in a circle": func(b *strings.Builder) {
			b.WriteString("opset loc 1\n")
			each(b, n/10, "function loc F%d(a) -> (b)\nb = loc::F%d(a)\nend\n", +1, n/10)
		},
		"calls of unknown functions": func(b *strings.Builder) {
			b.WriteString("opset loc 1\n")
			each(b, n/10, "function loc F%d(a) -> (b)\nb = Neg(a)\nend\n")
			each(b, n, "v%d = loc::G%d(x)\n")
		},
		"bodies that shadow": func(b *strings.Builder) {
			b.WriteString("graph then\nh = Neg(x)\nz = Neg(h)\noutput z\nend\ninput c bool[]\np = Neg(x)\nh = Neg(p)\n")
			each(b, n/2, "q%d = Neg(h)\nv%d = If(c) then_branch=@then else_branch=@then\n")
		},
	}
	for name, write := range texts {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("input x f32[2]\n")
			write(&b)
			m := graphtest.Model(t, b.String())
			start := time.Now()
			list, err := Model(t.Context(), m, Options{})
			if err != nil || len(list) == 0 {
				t.Fatalf("%d problems, error %v; expected problems", len(list), err)
			}
			if took := time.Since(start); took > 20*time.Second {
				t.Errorf("took %s for %d nodes", took, n)
			}
		})
	}
}

// each writes a line n times with the number of each in place of %d; where offsets
// are given, the second %d is the number plus the first, below the second.
func each(b *strings.Builder, n int, line string, wrap ...int) {
	for i := range n {
		args := slices.Repeat([]any{i}, strings.Count(line, "%d"))
		if len(wrap) == 2 {
			args[1] = (i + wrap[0]) % wrap[1]
		}
		fmt.Fprintf(b, line, args...)
	}
}
