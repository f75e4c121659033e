package layers

import (
	"context"
	"errors"
	"fmt"

	"lathe/graphops"
	"lathe/graphops/execution"
)

// Values computes the value of a layer again on both sides, with the inputs of the comparison. If
// local is set, B computes it from A's values, otherwise from its own. onA and onB run the two
// models. A large value is in a temporary file, which is freed together with the value.
func (r *Result) Values(ctx context.Context, onA, onB execution.Runner, layer int, local bool) (a, b graphops.Value, err error) {
	again := &rerun{Result: r, ctx: ctx}
	return again.values(onA, onB, layer, local)
}

// storedAgain is the size, in bytes, from which on a value that is computed again is stored in a
// file.
const storedAgain = 32 << 20

// rerun computes values again, after the comparison.
type rerun struct {
	*Result
	ctx   context.Context
	store store
}

func (r *rerun) values(onA, onB execution.Runner, layer int, local bool) (a, b graphops.Value, err error) {
	if layer < 0 || layer >= len(r.Layers) {
		return a, b, fmt.Errorf("there is no layer %d among %d", layer, len(r.Layers))
	}
	l := r.Layers[layer]
	local = local && len(l.RegionB) > 0 // constants have no local error
	wanted := []string{l.A}
	if local {
		for _, i := range l.Inputs {
			wanted = append(wanted, r.Layers[i].A)
		}
	}
	besideA, besideB := r.beside(layer)
	values, err := r.made(Side{r.A, onA, r.inA}, wanted, besideA)
	if err != nil {
		return a, b, fmt.Errorf("a: %w", err)
	}
	a = values[l.A]
	if local {
		b, err = r.local(onB, layer, values)
	} else if values, err = r.made(Side{r.B, onB, r.inB}, []string{l.B}, besideB); err == nil {
		b = values[l.B]
	}
	if err != nil {
		return a, b, fmt.Errorf("b: %w", err)
	}
	return a, b, nil
}

// besideBytes limits the total size, in bytes, of the values that become additional outputs, see
// beside.
const besideBytes = 256 << 20

// beside returns the values from which a layer is computed, for each model, the nearest first.
// During the comparison they were outputs, and that has an effect on how a value is computed. For
// example, a runtime removes two Casts that undo each other, but not if the value between them is
// an output. So these values become outputs again, as far as memory allows.
func (r *Result) beside(layer int) (a, b []string) {
	list, seen := []int{layer}, map[int]bool{layer: true}
	room := int64(besideBytes)
	for k := 0; k < len(list); k++ {
		l := r.Layers[list[k]]
		a = append(append(a, l.A), names(r.A, r.Map.Alternates(l.Pair))...)
		b = append(append(b, l.B), names(r.B, r.Map.AlternatesOfB(l.Pair))...)
		for _, i := range l.Inputs {
			if room -= r.Layers[i].Bytes; room >= 0 && !seen[i] {
				seen[i] = true
				list = append(list, i)
			}
		}
	}
	return a, b
}

// local returns the value that B computes for a layer from A's values.
func (r *rerun) local(on execution.Runner, layer int, values map[string]graphops.Value) (graphops.Value, error) {
	var none graphops.Value
	part, err := r.Region(layer)
	if err != nil {
		return none, err
	}
	feeds := fedOf(part, r.inB)
	for _, i := range r.Layers[layer].Inputs {
		from := r.Layers[i]
		if feeds[from.B], err = r.store.convert(values[from.A], from); err != nil {
			return none, err
		}
	}
	output := part.Graph().Outputs()[0].Name()
	got, err := r.run(on, part, feeds, execution.Whole(output))
	return got[output], err
}

// made returns values of a model by name. Inputs and constants are not computed. The values in
// beside become outputs too, but are not returned.
func (r *rerun) made(side Side, names, beside []string) (map[string]graphops.Value, error) {
	m := side.Model
	x := m.Graph().Index()
	out := map[string]graphops.Value{}
	var ask []string
	for _, name := range names {
		if _, known := out[name]; known {
			continue
		}
		v, err := x.Lookup("value", name)
		if err != nil {
			return nil, err
		}
		fed, isFed := side.In[name]
		t, isConstant := constantOf(m, v)
		switch {
		case x.Producer(v) < 0 && isFed:
			out[name] = fed
		case isConstant:
			value, err := t.Read()
			if err != nil {
				return nil, err
			}
			out[name] = graphops.TensorValue(value)
		default:
			out[name] = graphops.Value{}
			ask = append(ask, name)
		}
	}
	if len(ask) == 0 {
		return out, nil
	}
	want := execution.Whole(ask...)
	for _, name := range beside {
		_, known := out[name]
		if v, ok := x.Value(name); ok && !known && x.Producer(v) >= 0 && !isConstant(m, v) {
			out[name] = graphops.Value{}
			want = append(want, execution.Want{Name: name})
		}
	}
	var outputs []string
	for _, w := range want {
		outputs = append(outputs, w.Name)
	}
	part, _, err := graphops.Prune(m, graphops.PruneOptions{Outputs: outputs})
	if err != nil {
		return nil, err
	}
	got, err := r.run(side.On, part, fedOf(part, side.In), want)
	for _, name := range ask {
		out[name] = got[name]
	}
	return out, err
}

// fedOf returns those inputs of the whole model that a part of it needs.
func fedOf(part *graphops.Model, in graphops.Feeds) graphops.Feeds {
	feeds := graphops.Feeds{}
	for _, v := range part.Graph().Inputs() {
		if fed, ok := in[v.Name()]; ok {
			feeds[v.Name()] = fed
		}
	}
	return feeds
}

func (r *rerun) run(on execution.Runner, m *graphops.Model, in graphops.Feeds, want []execution.Want) (map[string]graphops.Value, error) {
	out := map[string]graphops.Value{}
	err := r.store.receive(r.ctx, on, m, in, want, storedAgain, nil, func(i int, value graphops.Value) { out[want[i].Name] = value })
	return out, errors.Join(err, r.store.failed())
}
