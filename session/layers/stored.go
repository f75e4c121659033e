package layers

import (
	"bytes"
	"context"
	"io"
	"slices"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// follower receives a value that is probably equal to a stored one. It writes nothing until the
// first difference; then it copies what was equal and writes the rest.
type follower struct {
	store *store
	of    *extent // the stored value; nil if there is none
	own   *extent // nil as long as all bytes are equal
	n, at int64
	buf   []byte
}

// follow returns a writer for n bytes that may equal those of another extent.
func (s *store) follow(n int64, of *extent) *follower {
	f := &follower{store: s, of: of, n: n}
	if of == nil || of.n != n {
		f.of, f.own = nil, s.take(n)
	}
	return f
}

// Write implements io.Writer. Errors are stored in the store.
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

// again reports whether the next bytes equal those of the other value.
func (f *follower) again(p []byte) bool {
	if cap(f.buf) < len(p) {
		f.buf = make([]byte, len(p))
	}
	n, err := f.of.ReadAt(f.buf[:len(p)], f.at)
	return err == nil && bytes.Equal(f.buf[:n], p)
}

// copy copies the part that was equal so far.
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

// copyPiece is how much of a stored value is read at a time.
const copyPiece = 256 << 10

// place returns the extent that contains the bytes.
func (f *follower) place() *extent {
	if f.own != nil {
		return f.own
	}
	return f.of
}

// receive runs a model and delivers the wanted values in order. Elements of at least from bytes are
// received into the file and compared with those of likes on the way; likes may be nil. Errors of
// the file are returned by failed.
func (s *store) receive(ctx context.Context, on graphops.Runner, m *graphops.Model, in graphops.Feeds, wants []graphops.Want, from int64, likes []graphops.Value, take func(i int, value graphops.Value)) error {
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
	return on.Run(ctx, m, in, wants, func(g graphops.Got) error {
		if f := comes[at]; f != nil {
			g.Value = storedIn(g.Value, f.place())
		}
		take(at, g.Value)
		at++
		return ctx.Err()
	})
}

// extentOf returns where a value is stored, or nil if it is in memory.
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

// sameStored reports whether the first n bytes are equal. Read errors are stored in the store.
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

// reading reads an extent from its start.
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

// scaleSamples is how many elements of a stored value are sampled.
const scaleSamples = 1 << 16

// sampleOf returns a tensor with elements of a value: all of them if it is in memory, otherwise
// some at equal distances.
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
