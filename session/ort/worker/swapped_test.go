//go:build cgo

package worker_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
	"lathe/session/ort"
	"lathe/session/ort/sandbox"
	"lathe/session/ort/workertest"
)

// outsideData is a model in a folder with its weights, and a secret of the same size in another folder.
type outsideData struct{ model, weights, secret string }

const weightCount = 64

func newOutsideData(t *testing.T) outsideData {
	t.Helper()
	d := outsideData{secret: filepath.Join(t.TempDir(), "secret")}
	folder := t.TempDir()
	d.model, d.weights = filepath.Join(folder, "model.onnx"), filepath.Join(folder, "weights")
	w := &onnxpb.TensorProto{
		Name: proto.String("w"), DataType: proto.Int32(int32(tensor.U8)), Dims: []int64{weightCount},
		DataLocation: onnxpb.TensorProto_EXTERNAL.Enum(),
		ExternalData: []*onnxpb.StringStringEntryProto{{Key: proto.String("location"), Value: proto.String("weights")}},
	}
	content := modelBytes(t, &onnxpb.GraphProto{
		Node:        []*onnxpb.NodeProto{node("Identity", []string{"w"}, []string{"y"})},
		Output:      []*onnxpb.ValueInfoProto{value("y", tensor.U8, weightCount)},
		Initializer: []*onnxpb.TensorProto{w},
	})
	for path, content := range map[string][]byte{d.model: content, d.weights: bytes.Repeat([]byte("w"), weightCount), d.secret: bytes.Repeat([]byte("s"), weightCount)} {
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(d.secret, old, old); err != nil {
		t.Fatal(err)
	}
	return d
}

// load opens the model as a command does, calls between, and runs it in a limited worker.
func (d outsideData) load(t *testing.T, between func()) (string, error) {
	t.Helper()
	m, err := graphops.Open(d.model, graphops.OpenOptions{})
	if err != nil {
		return "", err
	}
	sources := graphops.StoredFiles(m)
	between()
	o := workertest.Options(t)
	o.Sandbox = sandbox.Require
	client, err := ort.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	}()
	session, err := client.Load(t.Context(), ort.Model{Path: d.model, Sources: sources}, ort.SessionOptions{})
	if err != nil {
		return "", err
	}
	got, err := run(t.Context(), session, nil, nil)
	if err != nil {
		return "", err
	}
	return string(got[0].Value.Tensor.Data), nil
}

// TestSwappedData puts something else in the place of a model's weights after Lathe looked at them.
func TestSwappedData(t *testing.T) {
	for name, swap := range map[string]func(d outsideData) error{
		"a link": func(d outsideData) error { return os.Symlink(d.secret, d.weights) },
		"a file": func(d outsideData) error { return os.WriteFile(d.weights, []byte("other"), 0o600) },
		"a hard link": func(d outsideData) error {
			return os.Link(d.secret, d.weights)
		},
		"nothing": func(outsideData) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			d := newOutsideData(t)
			got, err := d.load(t, func() {
				if err := errors.Join(os.Remove(d.weights), swap(d)); err != nil {
					t.Fatal(err)
				}
			})
			if err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%q, %v, want one line that says what happened", got, err)
			}
		})
	}
	d := newOutsideData(t)
	if got, err := d.load(t, func() {}); err != nil || got != strings.Repeat("w", weightCount) {
		t.Errorf("unchanged weights: %q, %v", got, err)
	}
}

// TestSwappedInARace swaps the weights for a link to a secret, and back, all the time. The model may be
// refused, but never has the secret.
func TestSwappedInARace(t *testing.T) {
	d := newOutsideData(t)
	kept := d.weights + ".kept"
	if err := os.Link(d.weights, kept); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- swapForEver(ctx, d.weights, kept, d.secret) }()
	loaded := 0
	for range 25 {
		got, err := d.load(t, func() {})
		if err == nil {
			loaded++
		}
		if strings.Contains(got, "s") {
			t.Fatal("the model has the secret")
		}
	}
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	t.Logf("%d of 25 were loaded", loaded)
}

func swapForEver(ctx context.Context, place, kept, secret string) error {
	for i := 0; ctx.Err() == nil; i++ {
		next := place + ".next"
		var err error
		if i%2 == 0 {
			err = os.Symlink(secret, next)
		} else {
			err = os.Link(kept, next)
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err := os.Rename(next, place); err != nil {
			return err
		}
	}
	return nil
}

// A limited worker that writes files leaves none behind.
func TestLimitedWorkerRemovesItsFolder(t *testing.T) {
	folder := t.TempDir()
	o := workertest.Options(t)
	o.Sandbox, o.Env = sandbox.Require, append(o.Env, "TMPDIR="+folder)
	client, err := ort.Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	model := ort.Model{Bytes: addOne(t), Name: "a model"}
	if _, err := client.Load(t.Context(), model, ort.SessionOptions{Profile: true, Dump: true}); err != nil {
		t.Fatal(err)
	}
	if made, err := os.ReadDir(folder); err != nil || len(made) != 1 {
		t.Errorf("while it runs, the folder has %v, %v, want one", made, err)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("after its end, the folder has %v, %v", left, err)
	}
}
