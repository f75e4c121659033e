package origin

import (
	"slices"

	"lathe/graphops"
)

// Said is what an entry of metadata says. Raw stays what the file holds whether or
// not it was understood.
type Said[T any] struct {
	Raw        string
	Value      T
	Present    bool // there is such an entry
	Understood bool // Value is what Raw says; otherwise Value may be a part of it
}

// view is the metadata of one part of a model.
type view struct {
	entries []graphops.Entry
	known   []string
}

// Entries are all entries in the order of the file.
func (v view) Entries() []graphops.Entry { return v.entries }

// Rest are the entries that no method of the view reads, in the order of the file.
func (v view) Rest() []graphops.Entry {
	var out []graphops.Entry
	for _, e := range v.entries {
		if !slices.Contains(v.known, e.Key) {
			out = append(out, e)
		}
	}
	return out
}

// Lookup is the value of a key. Where a key stands more than once, which ONNX
// forbids, the last one counts, as it does for ONNX Runtime and onnx-ir.
func Lookup(entries []graphops.Entry, key string) (string, bool) {
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].Key == key {
			return entries[i].Value, true
		}
	}
	return "", false
}

// Repeated are the keys that stand more than once, in the order in which they
// first stand again.
func Repeated(entries []graphops.Entry) []string {
	if len(entries) < 2 {
		return nil
	}
	var out []string
	seen := make(map[string]bool, len(entries)) // whether it is among those found
	for _, e := range entries {
		if again, ok := seen[e.Key]; ok && !again {
			out = append(out, e.Key)
		}
		_, ok := seen[e.Key]
		seen[e.Key] = ok
	}
	return out
}

// read parses the entry of the first of some keys that is there.
func read[T any](v view, parse func(string) (T, bool), keys ...string) Said[T] {
	for _, key := range keys {
		if raw, ok := Lookup(v.entries, key); ok {
			value, understood := parse(raw)
			return Said[T]{raw, value, true, understood}
		}
	}
	return Said[T]{}
}

func asText(s string) (string, bool) { return s, true }
