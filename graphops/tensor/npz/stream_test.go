package npz

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lathe/graphops/tensor"
)

// TestNext reads arrays that follow each other, and tells one that is cut off, or claims
// more than there is, from the end.
func TestNext(t *testing.T) {
	var b bytes.Buffer
	want := []tensor.Tensor{tensor.FromSlice([]float32{1, 2}, 2), tensor.FromSlice([]int64{3}), tensor.FromSlice([]float32{}, 0, 4)}
	for _, x := range want {
		if err := WriteArray(&b, x); err != nil {
			t.Fatal(err)
		}
	}
	raw := b.Bytes()
	r := bytes.NewReader(raw)
	for _, x := range want {
		got, err := Next(r, Options{})
		if d := cmp.Diff(x, got, cmpopts.EquateEmpty()); err != nil || d != "" {
			t.Errorf("%v: %s", err, d)
		}
	}
	if _, err := Next(r, Options{}); !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("at the end: %v", err)
	}
	for cut := 1; cut < 136; cut++ {
		if _, err := Next(bytes.NewReader(raw[:cut]), Options{}); err == nil || errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatalf("of %d bytes: %v", cut, err)
		}
	}
	for claim, want := range map[string]string{"(100000000,)": "cut off", "(1000000000000,)": "more than the", "(9223372036854775807, 9)": ""} {
		if _, err := Next(bytes.NewReader(npy(dict("<f4", claim))), Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", claim, err)
		}
	}
}
