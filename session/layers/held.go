package layers

import (
	"io"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// held has the values of one model that are still needed. Large values are in a file, and others
// too if they would exceed the limit.
type held struct {
	here map[graphops.ValueID]graphops.Value
	// fixed are the values that are never moved to the file. Something else refers to them, so
	// moving them would free no memory.
	fixed map[graphops.ValueID]bool
	limit int64
	store *store
	// spilled counts the bytes that were moved from memory to the file to keep the limit.
	spilled int64
}

func newHeld(limit int64, s *store) *held {
	return &held{here: map[graphops.ValueID]graphops.Value{}, fixed: map[graphops.ValueID]bool{}, limit: limit, store: s}
}

func (h *held) put(v graphops.ValueID, value graphops.Value) { h.here[v] = value }

// fix adds a value that is never moved to the file.
func (h *held) fix(v graphops.ValueID, value graphops.Value) {
	h.here[v], h.fixed[v] = value, true
}

func (h *held) has(v graphops.ValueID) bool {
	_, here := h.here[v]
	return here
}

// get returns a value, or the zero value if it is not in h.
func (h *held) get(v graphops.ValueID) graphops.Value { return h.here[v] }

// settle is called at the end of a segment. It drops the values that are not needed any more. Then
// it moves values to the file, the largest first, until the rest is within the limit.
func (h *held) settle(needed func(graphops.ValueID) bool) {
	used := int64(0)
	for v, value := range h.here {
		switch {
		case !needed(v):
			delete(h.here, v)
		case !h.fixed[v] && value.Stored == nil:
			used += bytesIn(value)
		}
	}
	for used > h.limit {
		v, ok := h.largest()
		if !ok {
			return
		}
		value := h.here[v]
		n := bytesIn(value)
		e := h.store.take(n)
		e.writeAt(value.Tensor.Data, 0)
		h.here[v] = storedIn(value, e)
		used -= n
		h.spilled += n
	}
}

// storedIn returns the tensor v with its elements replaced by those in e.
func storedIn(v graphops.Value, e io.ReaderAt) graphops.Value {
	v.Tensor.Data, v.Stored = nil, e
	return v
}

// largest returns the largest of the tensors that can be moved to the file.
func (h *held) largest() (largest graphops.ValueID, ok bool) {
	most := int64(0)
	for v, value := range h.here {
		n := bytesIn(value)
		if h.fixed[v] || value.Stored != nil || !value.IsTensor() || value.Tensor.DType == tensor.String || n < most || n == most && (!ok || v > largest) {
			continue
		}
		largest, most, ok = v, n, true
	}
	return largest, ok
}

// extents adds to a set the ranges of the file in which values are stored.
func (h *held) extents(to map[*extent]bool) {
	for _, value := range h.here {
		if e := extentOf(value); e != nil {
			to[e] = true
		}
	}
}
