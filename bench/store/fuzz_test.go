package store_test

import (
	"testing"
	"time"

	"lathe/bench/store"
)

// FuzzDecode reads results that somebody changed, and what each kind of document holds. Nothing may
// panic, and a result that is accepted has what lists of results show.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(measured(f, 4, "a.onnx 1 1", "b.onnx 8 2").Document))
	f.Add([]byte(`{"schema":"lathe.bench/1","runs":[]}`))
	for _, schema := range []string{store.Schema, "lathe.bench/1", "lathe.validate/1", "lathe.quantize/1", "lathe.profile/1", "lathe.sensitivity/1", "lathe.bench/9"} {
		f.Add([]byte(`{"schema":"` + schema + `","kind":"bench","document":{"schema":"lathe.bench/1","runs":[{}]},"runs":[{"model":"a.onnx"}],"cases":[null],"nodes":[{}],"sides":[{}]}`))
	}
	f.Add([]byte(`[{"cat":"Node","name":"a_kernel_time","dur":3,"args":{"op_name":"Add"}}]`))
	f.Fuzz(func(_ *testing.T, content []byte) {
		r, err := store.Decode(content)
		if err != nil {
			return
		}
		_ = r.Named(time.Unix(0, 0))
		// Each accepts one kind of document and returns an error for others.
		_, _ = r.Bench()
		_, _ = r.Validation()
		_, _ = r.Quantization()
		_, _ = r.Sensitivity()
		_, _ = r.Profile()
	})
}
