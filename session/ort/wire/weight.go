package wire

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// The kinds of CBOR items that a weigher distinguishes.
const (
	cborBytes = 2
	cborText  = 3
	cborList  = 4
	cborMap   = 5
	cborTag   = 6
)

// What the decoder takes, besides the item itself.
const (
	mapWeight  = 64  // for a map
	slots      = 8   // of the smallest map
	pairWeight = 64  // for a pair that is not a field
	keyWeight  = 256 // for each byte of the key of such a pair
)

// weigh returns how much memory an encoded item takes, at most, if it is decoded into a value of
// type t. So a message can be refused before it is decoded: an empty element of a list takes one byte
// in the message, and more than a hundred in memory. What is not well formed weighs nothing, because
// the decoder refuses it before it allocates memory. weigh stops when the weight exceeds most.
func weigh(data []byte, t reflect.Type, most int64) int64 {
	w := weigher{rest: data, most: most}
	if !w.item(t, 0) && w.sum <= most {
		return 0
	}
	return w.sum
}

// weigher reads an encoded message.
type weigher struct {
	rest []byte
	sum  int64
	most int64
}

// add adds the weight of an allocation, which the system rounds up. It returns false if the sum exceeds
// the limit.
func (w *weigher) add(size int64) bool {
	w.sum += size + size/8 + 16
	return w.sum <= w.most
}

// head reads the kind of an item and its number: a length, a count, or the value itself. It returns
// false if the item is not well formed, or has a form that the decoder refuses.
func (w *weigher) head() (kind byte, number uint64, ok bool) {
	if len(w.rest) == 0 {
		return 0, 0, false
	}
	kind, low := w.rest[0]>>5, w.rest[0]&31
	w.rest = w.rest[1:]
	if low < 24 {
		return kind, uint64(low), kind != cborTag
	}
	size := 1 << (low - 24)
	if low > 27 || size > len(w.rest) {
		return 0, 0, false
	}
	var wide [8]byte
	copy(wide[8-size:], w.rest[:size])
	w.rest = w.rest[size:]
	return kind, binary.BigEndian.Uint64(wide[:]), kind != cborTag
}

// item reads an item and adds its weight, without what the variable itself takes. If t is nil, the
// decoder skips the item.
func (w *weigher) item(t reflect.Type, depth int) bool {
	kind, n, ok := w.head()
	if !ok || depth > maxNesting {
		return false
	}
	for t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
		if !w.add(int64(t.Size())) {
			return false
		}
	}
	switch kind {
	case cborBytes, cborText:
		return w.skip(n, t != nil)
	case cborList:
		return w.list(n, t, depth)
	case cborMap:
		return w.pairs(n, t, depth)
	}
	return true
}

func (w *weigher) skip(n uint64, kept bool) bool {
	if n > uint64(len(w.rest)) {
		return false
	}
	w.rest = w.rest[n:]
	return !kept || w.add(int64(n))
}

func (w *weigher) list(n uint64, t reflect.Type, depth int) bool {
	if n > uint64(len(w.rest)) { // an item takes at least one byte
		return false
	}
	var element reflect.Type
	if t != nil && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array) {
		element = t.Elem()
		if !w.add(int64(n) * int64(element.Size())) {
			return false
		}
	}
	for range n {
		if !w.item(element, depth+1) {
			return false
		}
	}
	return true
}

func (w *weigher) pairs(n uint64, t reflect.Type, depth int) bool {
	if n > uint64(len(w.rest)) {
		return false
	}
	if t != nil && t.Kind() == reflect.Map {
		// A map has up to 16/7 times as many slots as pairs.
		pair := int64(t.Key().Size()) + int64(t.Elem().Size()) + 1
		if !w.add(mapWeight + pair*max(slots, 3*int64(n))) {
			return false
		}
	}
	for range n {
		value, ok := w.key(t, depth+1)
		if !ok || !w.item(value, depth+1) {
			return false
		}
	}
	return true
}

// key reads the key of a pair and returns the type of the value. The type is nil if the decoder skips
// the value.
func (w *weigher) key(t reflect.Type, depth int) (value reflect.Type, ok bool) {
	switch {
	case t == nil:
	case t.Kind() == reflect.Map:
		return t.Elem(), w.item(t.Key(), depth)
	case t.Kind() == reflect.Struct:
		value, known := fieldsOf(t)[w.peekKey()]
		before := len(w.rest)
		ok := w.item(nil, depth)
		if !known {
			ok = ok && w.add(pairWeight+keyWeight*int64(before-len(w.rest)))
		}
		return value, ok
	}
	return nil, w.item(nil, depth)
}

// peekKey returns the next item as a key of fieldsOf. It returns "" if the item is neither a number nor
// a text.
func (w *weigher) peekKey() string {
	next := weigher{rest: w.rest}
	kind, n, ok := next.head()
	switch {
	case !ok:
	case kind == 0:
		return strconv.FormatUint(n, 10)
	case kind == cborText && n <= uint64(len(next.rest)):
		return strings.ToLower(string(next.rest[:n])) // as the decoder compares them
	}
	return ""
}

// fields has the result of fieldsOf for each type.
var fields sync.Map

// fieldsOf returns the types of the fields of a struct, by their number or by their name in lower case.
func fieldsOf(t reflect.Type) map[string]reflect.Type {
	if found, ok := fields.Load(t); ok {
		return found.(map[string]reflect.Type)
	}
	out := map[string]reflect.Type{}
	for _, f := range reflect.VisibleFields(t) {
		tag, ok := f.Tag.Lookup("cbor")
		if !ok {
			tag = f.Tag.Get("json")
		}
		name, _, _ := strings.Cut(tag, ",")
		if name == "" {
			name = f.Name
		}
		out[strings.ToLower(name)] = f.Type
	}
	fields.Store(t, out)
	return out
}

// checkWeight returns an error if a message takes more memory than most bytes.
func checkWeight(weight, most int64) error {
	if weight > most {
		return fmt.Errorf("%w: its message takes %d bytes of memory, at most %d are allowed", ErrTooLarge, weight, most)
	}
	return nil
}
