package shape_test

import (
	"fmt"
	"os"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/shape"
)

func TestDump(t *testing.T) {
	path := os.Getenv("DUMP")
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var r *shape.Result
	for range 2 {
		start := time.Now()
		r, err = shape.Infer(t.Context(), m, shape.Options{Fresh: true})
		fmt.Println(time.Since(start), err)
	}
	p := m.Places()[0]
	x := m.Graph().Index()
	known, all := 0, 0
	missing := map[string]int{}
	for i, n := range m.Graph().Nodes() {
		for _, o := range n.Outputs() {
			if id, ok := x.Value(o); ok && o != "" {
				v := r.Value(p, id)
				if os.Getenv("ALL") != "" {
					fmt.Println(i, n.OpType(), n.Name(), v.Type)
				}
				if v.Dims == nil {
					missing[n.OpType()]++
				}
				for _, d := range v.Dims {
					all++
					if d.Known() {
						known++
					}
				}
			}
		}
	}
	fmt.Println(known, all, missing)
	for i, p := range r.Problems {
		if i < 5 {
			fmt.Println(p)
		}
	}
	fmt.Println(len(r.Problems), len(r.Demands))
}
