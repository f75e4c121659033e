package graphops_test

import (
	"io"
	"os"
	"path/filepath"
	"testing"

	"lathe/graphops"
)

const benchBytes = 256 << 20

// BenchmarkSave writes a model of random weights, over nothing.
func BenchmarkSave(b *testing.B) {
	path := filepath.Join(b.TempDir(), "m.onnx")
	writeNoise(b, path, 1, benchBytes)
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		b.Fatal(err)
	}
	for name, storage := range map[string]graphops.Storage{"embedded": graphops.StoreEmbedded, "external": graphops.StoreExternal} {
		b.Run(name, func(b *testing.B) {
			benchmarkWrite(b, func(out string) error {
				_, err := graphops.Save(b.Context(), m, out, graphops.SaveOptions{Storage: storage})
				return err
			})
		})
	}
}

// BenchmarkPlainCopy is what BenchmarkSave is held against: the same bytes, read,
// written and synced.
func BenchmarkPlainCopy(b *testing.B) {
	path := filepath.Join(b.TempDir(), "m.onnx")
	writeNoise(b, path, 1, benchBytes)
	benchmarkWrite(b, func(out string) error {
		src, err := os.Open(path)
		if err != nil {
			return err
		}
		defer src.Close()
		dst, err := os.Create(out)
		if err != nil {
			return err
		}
		defer dst.Close()
		buf := make([]byte, 128<<10)
		if _, err := io.CopyBuffer(struct{ io.Writer }{dst}, struct{ io.Reader }{src}, buf); err != nil {
			return err
		}
		return dst.Sync()
	})
}

// benchmarkWrite times a write into a fresh folder each time.
func benchmarkWrite(b *testing.B, write func(out string) error) {
	b.SetBytes(benchBytes)
	b.ReportAllocs()
	dir := filepath.Join(b.TempDir(), "out")
	for b.Loop() {
		b.StopTimer()
		if err := os.RemoveAll(dir); err != nil {
			b.Fatal(err)
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			b.Fatal(err)
		}
		b.StartTimer()
		if err := write(filepath.Join(dir, "out.onnx")); err != nil {
			b.Fatal(err)
		}
	}
}
