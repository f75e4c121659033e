//go:build cgo

package worker_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
)

// A value that is fed from a reader and goes to a writer is never in memory here, and
// what cannot be read ends the run and not the worker.
func TestStoredValues(t *testing.T) {
	client := start(t)
	session := load(t, client, identity(t, tensor.F32, "n"))
	in := pattern(t, tensor.F32, 700_001) // of some frames, the last one not full
	stored := graphops.TensorValue(tensor.Tensor{DType: in.DType, Shape: in.Shape})
	var out bytes.Buffer
	for _, to := range []io.Writer{&out, nil} {
		for _, from := range []io.ReaderAt{bytes.NewReader(in.Data), bytes.NewReader(in.Data[:1<<20+5])} {
			out.Reset()
			stored.Stored = from
			announced := int64(0)
			want := execution.Want{Name: "y", Elements: true, Into: func(n int64) io.Writer { announced = n; return to }}
			got, err := collect(func(yield func(execution.Got) error) error {
				return session.Run(t.Context(), graphops.Feeds{"x": stored}, []execution.Want{want}, yield)
			})
			if from.(*bytes.Reader).Size() < int64(len(in.Data)) {
				if !errors.Is(err, io.EOF) {
					t.Errorf("what cannot be read gives %v", err)
				}
				continue
			}
			if err != nil {
				t.Fatal(err)
			}
			came := got[0].Value.Tensor
			if to != nil && (!bytes.Equal(out.Bytes(), in.Data) || came.Data != nil) || to == nil && !bytes.Equal(came.Data, in.Data) {
				t.Errorf("%d bytes came back, %d of them in memory", out.Len(), len(came.Data))
			}
			if announced != int64(len(in.Data)) || came.Shape[0] != in.Shape[0] {
				t.Errorf("announced were %d bytes of shape %v", announced, came.Shape)
			}
		}
	}
}
