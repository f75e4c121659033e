package edit_test

import (
	"bytes"
	"testing"

	"lathe/graphops"
	"lathe/graphops/edit"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
)

// FuzzConstants moves constants about in models as broken as they like. Nothing
// panics, the original stays, and what was valid stays so.
func FuzzConstants(f *testing.F) {
	for _, text := range []string{everyConstant, weighted, branching} {
		for kind := range uint8(5) {
			f.Add(graphtest.Bytes(f, text), kind, uint16(kind), uint16(kind*3))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, kind uint8, place, value uint16) {
		m, err := graphops.Decode(data)
		if err != nil || len(m.Places()) > 1000 {
			return
		}
		p := m.Places()[int(place)%len(m.Places())]
		var names []string
		if x := p.Graph.Index(); kind&8 != 0 && x.Values() > 0 {
			names = []string{x.Name(graphops.ValueID(int(value) % x.Values()))}
		}
		before := graphtest.Encode(t, m)
		next, err := oneMove(m, p, kind%8, names)
		if err != nil {
			return
		}
		checkNext(t, m, next, before)
	})
}

func oneMove(m *graphops.Model, p *graphops.Place, kind uint8, names []string) (next *graphops.Model, err error) {
	switch kind {
	case 0:
		next, _, err = edit.ConstantsToInitializers(m, p, names)
	case 1:
		next, _, err = edit.InitializersToConstants(m, p, names)
	case 2, 3:
		next, _, _, err = edit.InitializersToInputs(m, p, edit.InputOptions{Values: names, Optional: kind == 3})
	case 4:
		next, _, err = edit.InputsToInitializers(m, p, edit.FixOptions{Inputs: names})
	default:
		data := map[string]tensor.Tensor{}
		for _, v := range p.Graph.Inputs() {
			data[v.Name()] = tensor.FromSlice([]float32{1, 2}, 1, 2)
		}
		next, _, err = edit.InputsToInitializers(m, p, edit.FixOptions{Inputs: names, Data: data})
	}
	return next, err
}

// checkNext makes sure that an edit left the original alone and a valid model
// valid.
func checkNext(t *testing.T, m, next *graphops.Model, before []byte) {
	t.Helper()
	if !bytes.Equal(before, graphtest.Encode(t, m)) {
		t.Error("the original changed")
	}
	graphtest.Encode(t, next)
	if problems := graphtest.Problems(next); len(problems) > 0 && len(graphtest.Problems(m)) == 0 {
		t.Errorf("is not valid: %q", problems)
	}
}

// FuzzMerge puts models together that are as broken as they like.
func FuzzMerge(f *testing.F) {
	texts := []string{encoder, head, branching, everyConstant, weighted, twoBodies}
	for _, first := range texts {
		for _, second := range texts {
			f.Add(graphtest.Bytes(f, first), graphtest.Bytes(f, second), uint8(len(first)), uint16(len(second)), uint16(len(first)))
		}
	}
	f.Fuzz(func(t *testing.T, a, b []byte, kind uint8, from, to uint16) {
		first, err := graphops.Decode(a)
		if err != nil || len(first.Places()) > 1000 {
			return
		}
		second, err := graphops.Decode(b)
		if err != nil || len(second.Places()) > 1000 {
			return
		}
		o := edit.MergeOptions{KeepOutputs: kind&1 != 0}
		if kind&2 != 0 {
			o.Prefix = "p/"
		}
		x, inputs := first.Graph().Index(), second.Graph().Inputs()
		if kind&4 != 0 && x.Values() > 0 && len(inputs) > 0 {
			o.Connect = []edit.Connection{{
				From: x.Name(graphops.ValueID(int(from) % x.Values())),
				To:   inputs[int(to)%len(inputs)].Name(),
			}}
		}
		before, beside := graphtest.Encode(t, first), graphtest.Encode(t, second)
		next, _, err := edit.Merge(t.Context(), first, second, o)
		if err != nil {
			return
		}
		if !bytes.Equal(beside, graphtest.Encode(t, second)) {
			t.Error("the second model changed")
		}
		if len(graphtest.Problems(second)) == 0 {
			checkNext(t, first, next, before)
		}
	})
}
