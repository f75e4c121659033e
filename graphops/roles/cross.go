package roles

import (
	"cmp"
	"slices"

	"lathe/graphops"
)

func (f *finder) crossFound(in int) found {
	u := f.r.use[f.in[in]]
	c := found{form: cross, content: contentOf(u), cross: true, axis: -1, node: f.r.by[f.in[in]]}
	c.past = []Evidence{structure("%s", reading(c.content)), structure("nothing is joined with it")}
	if c.node >= 0 && f.nodes[c.node].op != nil && operators()[f.nodes[c.node].op.Op()] != nil {
		c.past[0] = byOperator("%s reads it as %s", f.node(c.node), c.content)
	}
	if len(f.dims(f.in[in])) == 4 {
		c.assumed = append(c.assumed, "the keys and values are those of an encoder, or of a fixed prompt")
	}
	return c
}

// queriesAreInputs reports whether the queries of an attention are an input too. The model is then a
// part of a layer, whose keys and values need not be a cache.
func (f *finder) queriesAreInputs() bool {
	for _, v := range f.in {
		if v != nothing && f.r.use[v]&useQuery != 0 {
			return true
		}
	}
	return false
}

// findPasts finds the inputs that are a past without an output for the present.
func (f *finder) findPasts() {
	for i := range f.nodes {
		n := &f.nodes[i]
		if n.op == nil {
			continue
		}
		form := operators()[n.op.Op()]
		if form == nil {
			continue
		}
		for _, s := range form.operator(n.op.Op()).caches {
			if x := f.o.at(at(n.in, s.past)); x != nil && x.from == fromPort && f.roles.Inputs[x.port].Kind == Unknown {
				f.pair(int(x.port), -1, f.slotFound(form, int32(i), s))
			}
		}
	}
	for i := range f.o.list {
		x := f.o.list[i]
		if x.from != fromJoin || f.roles.Inputs[x.port].Kind != Unknown {
			continue
		}
		in := int(x.port)
		if u := f.r.use[f.in[in]]; holdsNumbers(f.types[in]) && u&(useKey|useValue) != 0 && u&(useQuery|useInto) == 0 {
			f.pair(in, -1, f.joinFound(in, x))
		}
	}
}

// findCross finds the inputs that are keys and values without new ones.
func (f *finder) findCross() {
	if f.queriesAreInputs() {
		return
	}
	for in, v := range f.in {
		u := use(0)
		if v != nothing {
			u = f.r.use[v]
		}
		if u&(useKey|useValue) == 0 || u&(useQuery|useInto) != 0 || !holdsNumbers(f.types[in]) || len(f.dims(v)) < 3 {
			continue
		}
		if p := &f.roles.Inputs[in]; len(f.dims(v)) == 3 && contentOf(u) == KeyAndValue {
			if p.Kind == Unknown {
				p.Kind, p.Evidence = Encoded, []Evidence{structure("%s", reading(KeyAndValue))}
			}
		} else {
			f.pair(in, -1, f.crossFound(in))
		}
	}
}

// findFilled finds the outputs that an attention reads as keys or values, in a model or a branch
// without an input for them.
func (f *finder) findFilled() {
	var encoded []bool
	for out, v := range f.out {
		if v == nothing || f.roles.Outputs[out].Kind != Unknown {
			continue
		}
		c := contentOf(f.usesOf(v))
		if c == NoContent || len(f.dims(v)) < 3 {
			continue
		}
		if encoded == nil {
			encoded = f.encoded()
		}
		x := found{form: filled, content: c, axis: -1, node: f.r.by[f.source(v)], cross: encoded[f.source(v)]}
		x.growth, x.present = Grows, []Evidence{structure("%s", reading(c))}
		if x.cross {
			x.growth = Unchanged
			x.present = append(x.present, structure("it is computed from the encoder states"))
			if f.mayBeConstant(v) {
				x.present = append(x.present, structure("the other branch returns a constant: after a run with a past it has no keys and values"))
			}
		}
		f.pair(-1, out, x)
	}
	f.joinFilled(Key)
	f.joinFilled(Value)
}

// mayBeConstant reports whether a branch returns a constant.
func (f *finder) mayBeConstant(v value) bool {
	m := f.maker[v]
	if m < 0 || f.nodes[m].op != nil {
		return false
	}
	return slices.ContainsFunc(f.nodes[m].in, func(in value) bool { return in != nothing && f.constant[in] })
}

// joinFilled joins keys or values of an encoder that one branch reads with those that the other
// branch computes, layer by layer.
func (f *finder) joinFilled(c Content) {
	var pasts, presents []int
	for i := range f.roles.Pairs {
		switch p := &f.roles.Pairs[i]; {
		case !p.Cross || p.Content != c:
		case p.Present == "" && p.Form == cross:
			pasts = append(pasts, i)
		case p.Past == "" && p.Form == filled:
			presents = append(presents, i)
		}
	}
	if len(pasts) != len(presents) {
		return
	}
	byNode := func(a, b int) int { return cmp.Compare(f.order[a], f.order[b]) }
	slices.SortStableFunc(pasts, byNode)
	slices.SortStableFunc(presents, byNode)
	for k, i := range pasts {
		from, to := &f.roles.Pairs[presents[k]], &f.roles.Pairs[i]
		port := f.roles.Output(from.Present)
		port.Evidence = append(port.Evidence, structure("it is the cross attention of the same layer that reads input %s if there is a past", graphops.ShortQuoted(to.Past)))
		past := f.roles.Input(to.Past)
		past.Evidence = append(past.Evidence, structure("the branch without a past computes it from the encoder states"))
		past.Assumed = nil
		to.Present, from.Present, port.Pair = from.Present, "", i
	}
}
