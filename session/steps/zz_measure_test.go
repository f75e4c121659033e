//go:build cgo

package steps

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/session"
	"lathe/session/proof"
)

func TestMeasure(t *testing.T) {
	env := realRuntime(t)
	pairs, _ := filepath.Glob(os.Getenv("PAIRS"))
	for _, p := range pairs {
		base := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(p), ".slim.onnx"), ".sim.onnx")
		var src string
		for _, dir := range strings.Split(os.Getenv("SRC"), ":") {
			if l, _ := filepath.Glob(filepath.Join(dir, base+".onnx")); len(l) > 0 {
				src = l[0]
			}
		}
		a, err := graphops.Open(src, graphops.OpenOptions{})
		if err != nil {
			fmt.Println(p, src, err)
			continue
		}
		b, err := graphops.Open(p, graphops.OpenOptions{})
		if err != nil {
			fmt.Println(p, err)
			continue
		}
		start := time.Now()
		pr := newProving(env)
		runs := 0
		pr.Ran = func() { runs++ }
		n, err := pr.NearAt(t.Context(), a, b, nil)
		pr.close()
		took := time.Since(start)
		bare := time.Duration(0)
		if n != nil {
			start = time.Now()
			l, err := env.Runtime.Load(t.Context(), a, session.Execution{Opt: "disable"})
			if err == nil {
				pr2 := proof.Prover{Runner: &sessions{env: env}}
				_ = pr2
				l.Close()
			}
			bare = time.Since(start)
		}
		fmt.Printf("%-45s %7.0f ms (load alone %5.0f) %d runs", filepath.Base(p), took.Seconds()*1000, bare.Seconds()*1000, runs)
		if err != nil {
			fmt.Println(" ERR", strings.ReplaceAll(err.Error(), "\n", " ")[:min(150, len(err.Error()))])
			continue
		}
		if n.Difference != nil {
			fmt.Println(" DIFF", n.Difference)
		}
		r := newProofReport(&proof.Sound{Near: n})
		var out strings.Builder
		r.writeText(&out)
		fmt.Println(" ", strings.TrimSpace(out.String()))
		for _, o := range n.Outputs {
			if !o.BitsEqual {
				fmt.Printf("      %s abs %.2e rel %.2e own %+v\n", o.Output, o.MaxAbs, o.MaxRel, o.Rounding)
			}
		}
	}
}
