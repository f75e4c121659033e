package graphops_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
)

// FuzzExternal reads references of external data, one of them as it comes, the
// other at any offset. What can be read lies in the model's folder and is what the
// file holds there; nothing is allocated for what a reference claims.
func FuzzExternal(f *testing.F) {
	f.Add("w.bin", "0", "4", "checksum", "00", int64(1), int64(2))
	root, err := filepath.EvalSymlinks(f.TempDir())
	if err != nil {
		f.Fatal(err)
	}
	dir := filepath.Join(root, "models")
	const content = "0123456789abcdef0123456789abcdef"
	tree(f, root, map[string]string{
		"secret": "secret!!", "outside/w.bin": "secret!!",
		"models/w.bin": content, "models/sub/w.bin": content, "models/a..b.bin": content, "models/empty": "",
		"models/in": "-> sub/w.bin", "models/out": "-> ../secret", "models/up": "-> ..", "models/loop": "-> loop", "models/gone": "-> nowhere",
	})
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
		f.Fatal(err)
	}
	path := filepath.Join(dir, "m.onnx")
	f.Fuzz(func(t *testing.T, location, offset, length, key, value string, dim, other int64) {
		p := graphtest.Proto(t, "opset 20\ninput x f32[2]\ninit w i8[2] 1 2\ninit v i8[2] 1 2\ny = Reshape(x, w)\noutput y")
		w, v := p.Graph.Initializer[0], p.Graph.Initializer[1]
		w.Dims = []int64{dim}
		outside(w, entries("location", location, "offset", offset, "length", length, key, value))
		outside(v, entries("location", "w.bin", "offset", fmt.Sprint(other)))
		b, err := proto.Marshal(p)
		if err != nil {
			t.Skip(err)
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		n := allocated(func() { err = readable(path, dir) })
		if err != nil {
			t.Error(err)
		}
		if limit := uint64(1<<20 + 64*len(b)); n > limit {
			t.Errorf("%d bytes were allocated for a model of %d", n, len(b))
		}
	})
}

// readable compares what can be read of a model's external data with the files.
func readable(path, dir string) error {
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		return nil // the model itself is not what this is about
	}
	_ = m.MissingExternal()
	_ = graphops.ExternalWarnings(m, func() string { return "" })
	for x := range m.Tensors() {
		p, err := x.Data()
		if err != nil {
			continue
		}
		at, offset, _ := p.Location()
		real, err := filepath.EvalSymlinks(at)
		if err != nil || !strings.HasPrefix(real, dir+"/") {
			return fmt.Errorf("%q leads to %s, %w", at, real, err)
		}
		file, errFile := os.ReadFile(real)
		got, errRead := p.Bytes()
		if err := errors.Join(errFile, errRead); err != nil {
			return err
		}
		if want, err := x.Elements(); err != nil || int64(len(got)) != want || string(got) != string(file[offset:offset+want]) {
			return fmt.Errorf("%q at %d reads %q, %w", at, offset, got, err)
		}
	}
	return nil
}
