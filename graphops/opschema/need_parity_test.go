//go:build parity

package opschema

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"lathe/graphops/tensor"
)

// TestNeedParity compares the answers for nodes of many types and opsets with what ONNX Runtime
// does with them.
func TestNeedParity(t *testing.T) {
	in := json.NewDecoder(bytes.NewReader(python(t, "testdata/needs.py")))
	asked, missing := 0, 0
	for {
		var c struct {
			Op    string
			Opset int64
			In    []tensor.DType
			Out   tensor.DType
			Loads bool
		}
		if err := in.Decode(&c); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		schema, _ := Find("", c.Op, c.Opset)
		need := Need{Schema: schema, Version: c.Opset, Opset: c.Opset, Inputs: tensors(c.In), Outputs: tensors(list(c.Out))}
		way := need.On(CPU).Way
		if way == Undecided {
			continue
		}
		asked++
		if !c.Loads {
			missing++
		}
		if (way != Missing) != c.Loads {
			t.Errorf("%s in opset %d of %v to %s: way %d, but ONNX Runtime loads it: %t", c.Op, c.Opset, c.In, c.Out, way, c.Loads)
		}
	}
	if missing == 0 || missing == asked {
		t.Errorf("ONNX Runtime loads %d of %d nodes", asked-missing, asked)
	}
	t.Logf("%d nodes, of which ONNX Runtime does not load %d", asked, missing)
}
