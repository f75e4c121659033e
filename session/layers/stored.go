package layers

import (
	"bytes"
	"context"
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
)

// follower is a writer for a value that is probably equal to a stored one. As long as the bytes are
// equal, it writes nothing. At the first difference, it copies the bytes so far to a range of its
// own and then writes the rest there.
type follower struct {
	store *store
	of    *extent // the stored value; nil if there is none
	own   *extent // nil as long as all bytes are equal
	n, at int64
	buf   []byte
}

// follow returns a writer for a value of n bytes. of has a stored value that is probably equal; it
// may be nil.
func (s *store) follow(n int64, of *extent) *follower {
	f := &follower{store: s, of: of, n: n}
	if of == nil || of.n != n {
		f.of, f.own = nil, s.take(n)
	}
	return f
}

// Write implements io.Writer. Errors of the file are kept for store.failed.
func (f *follower) Write(p []byte) (int, error) {
	if f.own == nil && !f.again(p) {
		f.own = f.store.take(f.n)
		f.copy()
	}
	if f.own != nil {
		f.own.writeAt(p, f.at)
	}
	f.at += int64(len(p))
	return len(p), nil
}

// again reports whether the next bytes are equal to those of the stored value.
func (f *follower) again(p []byte) bool {
	if cap(f.buf) < len(p) {
		f.buf = make([]byte, len(p))
	}
	n, err := f.of.ReadAt(f.buf[:len(p)], f.at)
	return err == nil && bytes.Equal(f.buf[:n], p)
}

// copy copies the bytes that were equal so far to the follower's own range.
func (f *follower) copy() {
	part := make([]byte, min(f.at, copyPiece))
	for at := int64(0); at < f.at; {
		n := min(int64(len(part)), f.at-at)
		if _, err := f.of.ReadAt(part[:n], at); err != nil {
			return // the store has the error
		}
		f.own.writeAt(part[:n], at)
		at += n
	}
}

// copyPiece is how many bytes of a stored value are read at a time.
const copyPiece = 256 << 10

// place returns the range of the file that has the value. It is that of the other value if both are
// equal.
func (f *follower) place() *extent {
	if f.own != nil {
		return f.own
	}
	return f.of
}

// receive runs a model and passes the wanted values to take, in order. A value of at least from
// bytes is written to the file. likes has for each a value to which it is probably equal, so that
// it need not be stored twice; it may be nil. Errors of the file are not returned but kept for
// failed.
func (s *store) receive(ctx context.Context, on execution.Runner, m *graphops.Model, in graphops.Feeds, wants []execution.Want, from int64, likes []graphops.Value, take func(i int, value graphops.Value)) error {
	comes := make([]*follower, len(wants))
	wants = slices.Clone(wants)
	for i := range wants {
		var like *extent
		if likes != nil {
			like = extentOf(likes[i])
		}
		wants[i].Into = func(n int64) io.Writer {
			if n < from {
				return nil
			}
			comes[i] = s.follow(n, like)
			return comes[i]
		}
	}
	at := 0
	return on.Run(ctx, m, in, wants, func(g execution.Got) error {
		if f := comes[at]; f != nil {
			g.Value = storedIn(g.Value, f.place())
		}
		take(at, g.Value)
		at++
		return ctx.Err()
	})
}

// extentOf returns the range of the file that has a value, or nil if the value is in memory.
func extentOf(v graphops.Value) *extent {
	e, _ := v.Stored.(*extent)
	return e
}

// bytesOf returns a reader of the bytes of a numeric tensor.
func bytesOf(v graphops.Value) io.ReaderAt {
	if v.Stored != nil {
		return v.Stored
	}
	return bytes.NewReader(v.Tensor.Data)
}

// sameStored reports whether the first n bytes of a and b are equal. It is false if they cannot be
// read.
func sameStored(a, b io.ReaderAt, n int64) bool {
	pa, pb := make([]byte, min(n, copyPiece)), make([]byte, min(n, copyPiece))
	for at := int64(0); at < n; at += int64(len(pa)) {
		pa, pb = pa[:min(int64(len(pa)), n-at)], pb[:min(int64(len(pb)), n-at)]
		_, errA := a.ReadAt(pa, at)
		_, errB := b.ReadAt(pb, at)
		if errA != nil || errB != nil || !bytes.Equal(pa, pb) {
			return false
		}
	}
	return true
}

// elementsOf returns a reader of the elements of a numeric tensor.
func elementsOf(v graphops.Value) (*tensor.Reader, error) {
	e := extentOf(v)
	if e == nil {
		return v.Tensor.Reader()
	}
	n, err := tensor.Elements(v.Tensor.Shape)
	if err != nil {
		return nil, err
	}
	return tensor.NewReader(&reading{of: e}, v.Tensor.DType, n)
}

// reading is an io.Reader of an extent.
type reading struct {
	of   *extent
	at   int64
	buf  []byte
	left []byte
}

// Read implements io.Reader.
func (r *reading) Read(p []byte) (int, error) {
	if len(r.left) == 0 {
		n := min(copyPiece, r.of.n-r.at)
		if n == 0 {
			return 0, io.EOF
		}
		if r.buf == nil {
			r.buf = make([]byte, n)
		}
		if _, err := r.of.ReadAt(r.buf[:n], r.at); err != nil {
			return 0, err
		}
		r.at += n
		r.left = r.buf[:n]
	}
	n := copy(p, r.left)
	r.left = r.left[n:]
	return n, nil
}

// scaleSamples is about how many elements of a stored value sampleOf returns.
const scaleSamples = 1 << 16

// sampleOf returns elements of a value, from which its magnitude can be computed. If the value is
// in memory, it returns all of them, and otherwise some at equal distances.
func sampleOf(v graphops.Value) tensor.Tensor {
	e := extentOf(v)
	width := int64(v.Tensor.DType.Bits() / 8)
	if e == nil || width == 0 {
		return v.Tensor
	}
	step := (e.n/width/scaleSamples + 1) * width
	out := tensor.Tensor{DType: v.Tensor.DType}
	part := make([]byte, copyPiece/step*step+step)
	for at := int64(0); at+width <= e.n; at += int64(len(part)) {
		n := min(int64(len(part)), e.n-at)
		if _, err := e.ReadAt(part[:n], at); err != nil {
			break
		}
		for i := int64(0); i+width <= n; i += step {
			out.Data = append(out.Data, part[i:i+width]...)
		}
	}
	out.Shape = []int64{int64(len(out.Data)) / width}
	return out
}
