//go:build cgo && soak

package shrink

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/cost"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/session/sessiontest"
)

// ONNX Runtime may produce more constant data than a protobuf message can hold; here it transposes
// nine matrices of 256 MiB. The result has a data file, is proved, and goes through this process in
// pieces only.
func TestOptimizeBeyondTwoGiB(t *testing.T) {
	const side, count = 8192, 9
	const each = 4 * side * side
	text := []string{fmt.Sprintf("input x f32[1,%d]", side)}
	last := "x"
	for i := range count {
		text = append(text, fmt.Sprintf("t%d = Transpose(w%d)\nv%d = MatMul(%s, t%d)", i, i, i, last, i))
		last = fmt.Sprintf("v%d", i)
	}
	text = append(text, fmt.Sprintf("output %s f32[1,%d]", last, side))
	e := graphops.Edit(graphtest.Model(t, strings.Join(text, "\n")))
	for i := range count {
		e.Initializers = append(e.Initializers, graphops.NewTensor(fmt.Sprintf("w%d", i), tensor.F32, []int64{side, side}, permutation(side, i)))
	}
	path := filepath.Join(t.TempDir(), "large.onnx")
	if _, err := graphops.Save(t.Context(), e.Model(), path, graphops.SaveOptions{Storage: graphops.StoreExternal}); err != nil {
		t.Fatal(err)
	}
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	got, r := optimized(t, sessiontest.Env(t), m, Optimize{Level: "basic"})
	if r.Removed["Transpose"] != count || r.Weights.Made != count || !r.Proof.Pass {
		t.Errorf("gone %v, weights %+v, proof %+v", r.Removed, r.Weights, r.Proof)
	}
	if !got.HasExternalData() || cost.Summarize(got).WeightBytes != count*each {
		t.Error("the weights are not in a data file")
	}
}

// permutation is a matrix that moves every number to another position and makes it a little larger.
func permutation(side, shift int) graphops.Payload {
	return graphops.TransformPayload(int64(4*side*side), func(w io.Writer) error {
		for row := range side {
			list := make([]byte, 4*side)
			at := (7*row + shift) % side
			binary.LittleEndian.PutUint32(list[4*at:], math.Float32bits(1+float32(row%17)/1000))
			if _, err := w.Write(list); err != nil {
				return err
			}
		}
		return nil
	})
}
