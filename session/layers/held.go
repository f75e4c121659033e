package layers

import (
	"fmt"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// held are values that are needed later. What goes beyond a limit lies in a file.
type held struct {
	here    map[graphops.ValueID]graphops.Value
	away    map[graphops.ValueID]away
	fixed   map[graphops.ValueID]bool // of which there is no other copy to save
	limit   int64
	scratch graphops.Scratch
	spilled int64 // bytes that went to the file
	err     error // the first of reading or writing it
}

// away is a tensor in the file.
type away struct {
	t    graphops.Type
	data graphops.Payload
}

func newHeld(limit int64) *held {
	return &held{here: map[graphops.ValueID]graphops.Value{}, away: map[graphops.ValueID]away{}, fixed: map[graphops.ValueID]bool{}, limit: limit}
}

func (h *held) put(v graphops.ValueID, value graphops.Value) { h.here[v] = value }

// fix puts a value that stays in memory anyway.
func (h *held) fix(v graphops.ValueID, value graphops.Value) {
	h.here[v], h.fixed[v] = value, true
}

func (h *held) has(v graphops.ValueID) bool {
	_, here := h.here[v]
	_, away := h.away[v]
	return here || away
}

// get is a value, read from the file if it lies there; the zero value where there is none.
func (h *held) get(v graphops.ValueID) graphops.Value {
	if value, ok := h.here[v]; ok {
		return value
	}
	a, ok := h.away[v]
	if !ok {
		return graphops.Value{}
	}
	data, err := a.data.Bytes()
	if err != nil {
		h.fail(err)
	}
	t := tensor.Tensor{DType: a.t.Elem, Data: data, Shape: []int64{}}
	for _, d := range a.t.Shape {
		t.Shape = append(t.Shape, d.Value)
	}
	value := graphops.TensorValue(t)
	h.here[v] = value // until the segment ends
	return value
}

func (h *held) fail(err error) {
	if h.err == nil {
		h.err = fmt.Errorf("values that are needed later: %w", err)
	}
}

// settle ends a segment: what is needed no more goes, and the largest of the others go to
// the file until the rest is within the limit.
func (h *held) settle(needed func(graphops.ValueID) bool) {
	used := int64(0)
	for v, value := range h.here {
		_, stored := h.away[v]
		switch {
		case !needed(v), stored:
			delete(h.here, v)
		case !h.fixed[v]:
			used += bytesIn(value)
		}
	}
	for v := range h.away {
		if !needed(v) {
			delete(h.away, v)
		}
	}
	for used > h.limit && h.err == nil {
		v, ok := h.largest()
		if !ok {
			return
		}
		value := h.here[v]
		data, err := h.scratch.Keep(value.Tensor.Data)
		if err != nil {
			h.fail(err)
			return
		}
		h.away[v] = away{value.Type, data}
		delete(h.here, v)
		used -= bytesIn(value)
		h.spilled += bytesIn(value)
	}
}

// largest is the largest tensor that can go to the file.
func (h *held) largest() (largest graphops.ValueID, ok bool) {
	most := int64(0)
	for v, value := range h.here {
		n := bytesIn(value)
		if h.fixed[v] || !value.IsTensor() || value.Tensor.DType == tensor.String || n < most || n == most && (!ok || v > largest) {
			continue
		}
		largest, most, ok = v, n, true
	}
	return largest, ok
}
