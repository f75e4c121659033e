package filter

import (
	"encoding/binary"
	"math"
	"math/bits"
	"runtime"
	"strings"
	"sync"

	"lathe/graphops"
)

// typing has the types of a graph's values. Many values have the same type, so each different type
// is stored once.
type typing struct {
	of    []int32 // index into kinds, by value
	kinds []typeFact
}

// typeFact is a type in the form in which filters compare it.
type typeFact struct {
	name     string // "f32", "seq(f32)"; "?" if unknown
	shape    string // "batch×3"; "" if the rank is unknown
	written  string // the shape with the exact texts of the file, if they differ
	rank     int    // -1 if unknown
	elements int64  // -1 if a dimension is not a number
	bytes    int64  // -1 likewise
}

func factOf(t graphops.Type) typeFact {
	f := typeFact{name: t.String(), rank: -1, elements: -1, bytes: -1}
	if t.Shape == nil {
		return f
	}
	f.shape, f.rank = t.Shape.String(), len(t.Shape)
	if w := written(t.Shape); w != f.shape {
		f.written = w
	}
	f.elements = elementsOf(t.Shape)
	if f.elements < 0 || t.Kind != graphops.TypeTensor {
		return f
	}
	if n, err := t.Elem.ByteLen(f.elements); err == nil {
		f.bytes = n
	}
	return f
}

// written returns a shape as text, in which symbols and expressions are written as in the file.
func written(s graphops.Shape) string {
	dims := make([]string, len(s))
	for i, d := range s {
		if dims[i] = d.Symbol; d.Symbol == "" {
			dims[i] = d.String()
		}
	}
	return strings.Join(dims, times)
}

// elementsOf returns the number of elements; -1 if a dimension is not a number or the product
// overflows.
func elementsOf(s graphops.Shape) int64 {
	n := uint64(1)
	for _, d := range s {
		if !d.IsFixed() {
			return -1
		}
		hi, lo := bits.Mul64(n, uint64(d.Value))
		if hi != 0 || lo > math.MaxInt64 {
			return -1
		}
		n = lo
	}
	return int64(n)
}

// types determines the types of all values. It uses all processor cores, because this is most of
// the work of a filter by shape.
func (f *Facts) types() *typing {
	return f.typing.get(func() *typing {
		n := f.index.Values()
		parts := make([]typing, max(1, min(runtime.GOMAXPROCS(0), n/1024)))
		size := (n + len(parts) - 1) / len(parts)
		var all sync.WaitGroup
		for i := range parts {
			all.Go(func() { parts[i] = f.typesOf(min(n, i*size), min(n, (i+1)*size)) })
		}
		all.Wait()
		return join(parts)
	})
}

// typesOf determines the types of the values from from up to but not including to.
func (f *Facts) typesOf(from, to int) typing {
	t := typing{of: make([]int32, 0, to-from)}
	known := map[string]int32{}
	var key []byte
	for v := from; v < to; v++ {
		typ := f.o.TypeOf(graphops.ValueID(v))
		key = appendTypeKey(key[:0], typ)
		k, ok := known[string(key)]
		if !ok {
			k = int32(len(t.kinds))
			known[string(key)] = k
			t.kinds = append(t.kinds, factOf(typ))
		}
		t.of = append(t.of, k)
	}
	return t
}

// appendTypeKey appends bytes that are the same only for the same type and shape.
func appendTypeKey(b []byte, t graphops.Type) []byte {
	b = binary.AppendVarint(append(b, byte(t.Kind)), int64(t.Elem))
	if t.Shape == nil {
		b = append(b, '?')
	}
	b = binary.AppendUvarint(b, uint64(len(t.Shape)))
	for _, d := range t.Shape {
		b = binary.AppendVarint(b, d.Value)
		b = append(binary.AppendUvarint(b, uint64(len(d.Symbol))), d.Symbol...)
	}
	if t.Of != nil {
		b = appendTypeKey(append(b, '('), *t.Of)
	}
	return b
}

// join combines the results of typesOf for consecutive ranges of values.
func join(parts []typing) *typing {
	if len(parts) == 1 {
		return &parts[0]
	}
	out := &typing{}
	known := map[typeFact]int32{}
	for _, p := range parts {
		renumbered := make([]int32, len(p.kinds))
		for i, k := range p.kinds {
			to, ok := known[k]
			if !ok {
				to = int32(len(out.kinds))
				known[k] = to
				out.kinds = append(out.kinds, k)
			}
			renumbered[i] = to
		}
		for _, k := range p.of {
			out.of = append(out.of, renumbered[k])
		}
	}
	return out
}
