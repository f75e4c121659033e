package origin

import (
	"slices"

	"lathe/graphops"
)

// Said is the content of a metadata entry. Raw is the text of the entry, even if the text was not
// understood.
type Said[T any] struct {
	Raw        string
	Value      T
	Present    bool // the entry exists
	Understood bool // Value is the content of Raw; otherwise Value may be a part of it
}

// view is the metadata of one part of a model. known are the keys that its methods read.
type view struct {
	entries []graphops.Entry
	known   []string
}

// Entries returns all entries in file order.
func (v view) Entries() []graphops.Entry { return v.entries }

// Rest returns the entries that no method of the view reads, in file order.
func (v view) Rest() []graphops.Entry {
	var out []graphops.Entry
	for _, e := range v.entries {
		if !slices.Contains(v.known, e.Key) {
			out = append(out, e)
		}
	}
	return out
}

// lookup returns the value for a key. ONNX does not allow a key to occur more than once. If it
// does, the last one applies, as in ONNX Runtime and onnx-ir.
func lookup(entries []graphops.Entry, key string) (string, bool) {
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].Key == key {
			return entries[i].Value, true
		}
	}
	return "", false
}

// Repeated returns the keys that occur more than once, in the order of their second occurrence.
func Repeated(entries []graphops.Entry) []string {
	if len(entries) < 2 {
		return nil
	}
	var out []string
	seen := make(map[string]bool, len(entries)) // whether it was already added
	for _, e := range entries {
		if again, ok := seen[e.Key]; ok && !again {
			out = append(out, e.Key)
		}
		_, ok := seen[e.Key]
		seen[e.Key] = ok
	}
	return out
}

// read parses the entry for the first of the keys that is present.
func read[T any](v view, parse func(string) (T, bool), keys ...string) Said[T] {
	for _, key := range keys {
		if raw, ok := lookup(v.entries, key); ok {
			value, understood := parse(raw)
			return Said[T]{raw, value, true, understood}
		}
	}
	return Said[T]{}
}

func asText(s string) (string, bool) { return s, true }
