package shape_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/shape"
)

func TestLost(t *testing.T) {
	m, err := graphops.Open(os.Getenv("DUMP"), graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	k := 0
	_, err = shape.Infer(t.Context(), m, shape.Options{Fresh: true, Visit: func(v shape.Visit) {
		in, out := false, false
		s := ""
		for _, x := range v.In {
			if x != nil {
				s += x.Type.String() + " | "
				in = in || strings.Contains(x.Type.String(), "batch")
			}
		}
		s += " -> "
		for _, x := range v.Out {
			s += x.Type.String() + " | "
			out = out || strings.Contains(x.Type.String(), "batch")
		}
		if in && !out && k < 12 && v.Node.OpType() != "Shape" {
			k++
			fmt.Println(v.Index, v.Node.OpType(), v.Node.Name(), s)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
}
