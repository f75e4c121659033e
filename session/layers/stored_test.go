package layers

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/execution"
	"lathe/graphops/tensor"
	"lathe/session/proof"
)

// TestStore checks that ranges of the file keep their content, and that the file grows only to what
// is needed at one time.
func TestStore(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var s store
	defer s.close()
	rng := rand.New(rand.NewPCG(1, 2))
	kept := map[*extent][]byte{}
	for range 300 {
		data := make([]byte, rng.IntN(1000))
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		e := s.take(int64(len(data)))
		e.writeAt(data, 0)
		kept[e] = data
		for old := range kept {
			if len(kept) > 8 {
				delete(kept, old)
			}
		}
		needed := map[*extent]bool{}
		for e, data := range kept {
			needed[e] = true
			got := make([]byte, len(data))
			if _, err := e.ReadAt(got, 0); err != nil || !bytes.Equal(got, data) {
				t.Fatalf("an extent at %d changed, %v", e.at, err)
			}
		}
		s.keep(needed)
	}
	if s.size > 3*9*1000 {
		t.Errorf("the file has %d bytes, of %d that are needed", s.size, 9*1000)
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(left) > 0 {
		t.Errorf("%q are left", left)
	}
}

func TestStoreWithoutRoom(t *testing.T) {
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	var s store
	f := s.follow(4, nil)
	if _, err := f.Write([]byte("abcd")); err != nil || s.failed() == nil {
		t.Errorf("without a folder: %v, %v", err, s.failed())
	}
}

// TestFollow checks that a value equal to a stored one is not stored again, and that a value with a
// difference is stored completely.
func TestFollow(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	var s store
	defer s.close()
	was := bytes.Repeat([]byte("0123456789"), 100)
	of := s.take(1000)
	of.writeAt(was, 0)
	for _, at := range []int{-1, 0, 1, 499, 500, 999} {
		is := bytes.Clone(was)
		if at >= 0 {
			is[at]++
		}
		f := s.follow(1000, of)
		for part := range 10 {
			if _, err := f.Write(is[100*part : 100*part+100]); err != nil {
				t.Fatal(err)
			}
		}
		if (f.place() == of) != (at < 0) {
			t.Errorf("with a difference at %d it is the same place: %v", at, f.place() == of)
		}
		got, err := io.ReadAll(&reading{of: f.place()})
		if err != nil || !bytes.Equal(got, is) {
			t.Errorf("with a difference at %d it is another value: %v", at, err)
		}
	}
	if f := s.follow(999, of); f.place() == of {
		t.Error("what is of another size is taken for the same")
	}
}

// TestStoredElements checks that comparing gives the same result whether the values are in memory
// or in the file.
func TestStoredElements(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	c := &comparison{}
	defer c.store.close()
	half16 := Layer{TypeB: graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F16}}
	stored := func(v graphops.Value) graphops.Value {
		e := c.store.take(bytesIn(v))
		e.writeAt(v.Tensor.Data, 0)
		return storedIn(v, e)
	}
	for _, n := range []int64{0, 1, 5000, 200000} {
		list := make([]float64, n)
		rng := rand.New(rand.NewPCG(3, uint64(n)))
		for i := range list {
			list[i] = rng.NormFloat64()
		}
		ta, err := tensor.FromFloat64s(tensor.F32, list, n)
		if err != nil {
			t.Fatal(err)
		}
		if n > 0 {
			list[n/2] += 0.5
		}
		tb, err := tensor.FromFloat64s(tensor.F32, list, n)
		if err != nil {
			t.Fatal(err)
		}
		a, b := graphops.TensorValue(ta), graphops.TensorValue(tb)
		tolerance := tensor.Tolerance{RTol: 1e-5, ATol: 1e-6}
		want, err := tensor.Compare(ta, tb, tolerance)
		if err != nil {
			t.Fatal(err)
		}
		for _, pair := range [][2]graphops.Value{{a, stored(b)}, {stored(a), b}, {stored(a), stored(b)}} {
			got, err := compareValues(pair[0], pair[1], tolerance)
			if err != nil || got.Mismatched != want.Mismatched || got.RMS != want.RMS || got.MaxAbs != want.MaxAbs {
				t.Errorf("of %d elements: %+v, %v; want %+v", n, got, err, want)
			}
			if sameBits(pair[0], pair[1]) != (n == 0) || !sameBits(a, stored(a)) || !sameBits(stored(b), b) {
				t.Errorf("of %d elements: equal bits are not told from others", n)
			}
		}
		if is, was := proof.Scale(sampleOf(stored(a))), proof.Scale(ta); is > 1.1*was || is < 0.9*was {
			t.Errorf("of %d elements: the magnitude is %v, and %v stored", n, was, is)
		}
		half, err := c.store.convert(a, half16)
		if err != nil {
			t.Fatal(err)
		}
		again, err := c.store.convert(stored(a), half16)
		if err != nil || !sameBits(half, again) || bytesIn(again) != 2*n {
			t.Errorf("of %d elements: converted in a file they are others, %v", n, err)
		}
	}
}

// TestTaken checks that a note says so if more memory was used than allowed.
func TestTaken(t *testing.T) {
	if ownMemory() == 0 {
		t.Skip("the system does not tell what is in memory")
	}
	side := &greedy{took: 3 << 20}
	c := &comparison{a: Side{On: side}, b: Side{On: side}, o: Options{Memory: 4 << 20}}
	c.took.begin()
	c.took.peak = 1 << 20
	if notes := c.notes(); len(notes) > 0 {
		t.Errorf("within the memory: %q", notes)
	}
	held := make([]byte, 32<<20)
	for i := range held {
		held[i] = 1
	}
	c.took.look()
	runtime.KeepAlive(held)
	if notes := c.notes(); len(notes) != 1 || !strings.Contains(notes[0], "above the 4.0 MiB") {
		t.Errorf("past it: %q", notes)
	}
}

// greedy is a runner that reports how much memory it took.
type greedy struct {
	execution.Runner
	took int64
}

func (g *greedy) Took() int64 { return g.took }
