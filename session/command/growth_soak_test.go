//go:build soak

package command

import (
	"testing"

	"lathe/graphops/graphtest/growth"
)

// TestGrowthOfAll runs every command on models with 10,000 and 100,000 of everything. docs/reliability.md
// has what it found.
func TestGrowthOfAll(t *testing.T) {
	withoutRuntime(t)
	for _, b := range growth.Bombs {
		t.Run(b.Name, func(t *testing.T) { growthOf(t, b, growthLines, 10_000, 100_000) })
	}
}

// nodeLines are the command lines whose cost for each node is compared in graphs of 20,000 and of
// 200,000 nodes.
var nodeLines = []string{
	"inspect $m",
	"check $m",
	"diff $m $half",
	"axes $m --dynamic x:0=rows -o $new",
	"simplify $m --no-check -o $new",
	"export $m -o $new --opset 20 --no-check",
	"quantize float16 $m --no-check --no-scan -o $new",
}

// TestGrowthOfNodes runs them on a chain, on a wide graph and on nodes with bodies.
func TestGrowthOfNodes(t *testing.T) {
	growth.SkipRaced(t)
	withoutRuntime(t)
	const few, many = 20_000, 200_000
	for _, name := range []string{"chain", "chain of sums", "matrices", "nested subgraphs"} {
		b, dir := growth.Named(name), t.TempDir()
		models := map[int]string{}
		for _, k := range []int{few / 2, few, many / 2, many} {
			models[k] = b.Write(t, dir, k)
		}
		for _, line := range nodeLines {
			s := growth.Series{Few: few, Many: many, Run: func(k int) { growthRun(t, dir, line, models[k], models[k/2]) }}
			t.Logf("%s: %s: %s", name, line, s.Measure())
			if !s.IsLinear() {
				t.Errorf("lathe %s on %s: %s; expected at most twice the time for each", line, name, &s)
			}
		}
	}
}
