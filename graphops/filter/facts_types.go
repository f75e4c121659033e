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

// typing is the types of a graph's values. Few of them differ, so a test looks
// at each kind once and at a value by number.
type typing struct {
	of    []int32 // by value, into kinds
	kinds []typeFact
}

// typeFact is a type with its shape, as filters see it.
type typeFact struct {
	name     string // "f32", "seq(f32)"; "?" for none
	shape    string // "batch×3"; "" where the rank is not known
	written  string // the shape with the file's own texts, where they differ
	rank     int    // -1 where it is not known
	elements int64  // -1 where a dimension is no number
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

// written is a shape with the symbols as the file has them.
func written(s graphops.Shape) string {
	dims := make([]string, len(s))
	for i, d := range s {
		if dims[i] = d.Symbol; d.Symbol == "" {
			dims[i] = d.String()
		}
	}
	return strings.Join(dims, times)
}

// elementsOf is the product of dimensions that are all numbers, else -1.
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

// types asks for the type of every value, on every core: of 200,000 values that
// is nearly all that a filter by shape has to do.
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

// typesOf asks for the types of the values from..to.
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

// appendTypeKey writes what tells a type and its shape from another.
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

// join puts the parts of a graph together; a kind that several have is one.
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
