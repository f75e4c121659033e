package axes

import (
	"slices"

	"lathe/graphops"
	"lathe/graphops/dim"
	"lathe/graphops/shape"
)

// expected returns equations for operators that accept any size of an axis, and would therefore
// lose or cut a freed axis without making a demand.
func (t *tagger) expected(v shape.Visit) []equation {
	if v.Node.Domain() != graphops.DefaultDomain || len(v.In) == 0 || v.In[0] == nil || len(v.Out) == 0 {
		return nil
	}
	switch v.Node.OpType() {
	case "Reshape":
		return t.reshaped(v)
	case "Slice":
		return t.sliced(v)
	case "Resize":
		return t.resized(v)
	case "GatherElements", "ScatterElements", "Scatter":
		return t.indexed(v)
	default:
		return nil
	}
}

// reshaped returns, for a Reshape, an equation for each group of axes that contains a freed axis
// which the output does not have: the products of the sizes before and after must be equal.
func (t *tagger) reshaped(v shape.Visit) (out []equation) {
	in, made := v.In[0].Dims, v.Out[0].Dims
	if in == nil || made == nil || !slices.ContainsFunc(in, t.depends) {
		return nil
	}
	var target []dim.Dim
	if len(v.In) > 1 && v.In[1] != nil {
		target = v.In[1].Sizes()
	}
	for _, g := range t.groups(in, made) {
		from, to := in[g.in:g.inEnd], made[g.out:g.outEnd]
		if !slices.ContainsFunc(from, t.depends) || slices.ContainsFunc(to, t.depends) || len(target) != len(made) {
			continue
		}
		if t.absorbed(g, in, made) {
			continue
		}
		if among := t.in(target[g.out:g.outEnd]...); len(among) > 0 {
			e := equation{a: dim.Product(from...), b: dim.Product(target[g.out:g.outEnd]...), among: among}
			if t.ambiguous(g, from, made) {
				e.wider = &equation{a: dim.Product(in...), b: dim.Product(target...), among: t.in(target...)}
			}
			out = append(out, e)
		}
	}
	return out
}

// absorbed reports whether the output has no separate axis for a freed axis of size 1, because a
// neighbouring axis contains it. For example, if [4,1,6] becomes [-1,6], the first output axis is
// 4*batch, and nothing is lost.
func (t *tagger) absorbed(g group, in, made []dim.Dim) bool {
	freed := 0
	for _, d := range in[g.in:g.inEnd] {
		if t.depends(d) {
			freed++
		}
	}
	return g.outEnd-g.out <= g.inEnd-g.in-freed && slices.ContainsFunc(made, t.depends)
}

// ambiguous reports whether it is unclear which output axis belongs to the freed axis. That is the
// case if the freed axis has size 1, or if an output axis of size 1 is next to the group.
func (t *tagger) ambiguous(g group, from, made []dim.Dim) bool {
	if slices.ContainsFunc(from, func(d dim.Dim) bool { return t.depends(d) && t.old(d).Is(1) }) {
		return true
	}
	return g.out > 0 && t.old(made[g.out-1]).Is(1) || g.outEnd < len(made) && t.old(made[g.outEnd]).Is(1)
}

// widened returns the equation to solve for a Reshape: that of the group, or, if it is ambiguous
// and all its tags are anchored, that of all axes. The freed axis may then belong to a neighbouring
// group.
func (t *tagger) widened(e equation) equation {
	if e.wider == nil || slices.ContainsFunc(e.among, func(g *tag) bool { return !g.anchored }) {
		return e
	}
	return *e.wider
}

// group is a range of consecutive input axes of a Reshape, and the range of output axes with the
// same number of elements. The ends are exclusive.
type group struct{ in, inEnd, out, outEnd int }

// groups splits the input and output axes of a Reshape into the shortest ranges that have the same
// number of elements at the old sizes. Axes that remain at the end have size 1 and belong to the
// last group.
func (t *tagger) groups(in, out []dim.Dim) []group {
	var list []group
	i, j := 0, 0
	for i < len(in) && j < len(out) {
		g, ok := t.nextGroup(in, out, i, j)
		if !ok {
			g = group{i, len(in), j, len(out)}
		}
		list = append(list, g)
		i, j = g.inEnd, g.outEnd
	}
	if n := len(list); n > 0 {
		list[n-1].inEnd, list[n-1].outEnd = len(in), len(out)
	}
	return list
}

func (t *tagger) nextGroup(in, out []dim.Dim, i, j int) (group, bool) {
	for size := 2; size <= len(in)-i+len(out)-j; size++ {
		for a := 1; a < size; a++ {
			b := size - a
			if i+a > len(in) || j+b > len(out) {
				continue
			}
			if t.old(dim.Product(in[i : i+a]...)).Equal(t.old(dim.Product(out[j : j+b]...))) {
				return group{i, i + a, j, j + b}, true
			}
		}
	}
	return group{}, false
}

// sliced returns, for a Slice, an equation for each range that ended exactly at the end of a freed
// axis: it shall end there at other sizes too.
func (t *tagger) sliced(v shape.Visit) (out []equation) {
	in := v.In[0].Dims
	if in == nil || len(v.In) < 3 || v.In[2] == nil {
		return nil
	}
	ends := v.In[2].Sizes()
	axes := make([]dim.Dim, len(ends))
	for i := range axes {
		axes[i] = dim.Number(int64(i))
	}
	if len(v.In) > 3 && v.In[3] != nil {
		axes = v.In[3].Sizes()
	}
	for i, end := range ends {
		if i >= len(axes) {
			break
		}
		n, ok := axes[i].Number()
		if n < 0 {
			n += int64(len(in))
		}
		if ok && n >= 0 && n < int64(len(in)) && t.ended(in[n], end) {
			out = append(out, equation{a: in[n], b: end, among: t.in(end)})
		}
	}
	return out
}

// ended reports whether a constant with an unsolved tag equals the size of a freed axis at the old
// sizes.
func (t *tagger) ended(size, constant dim.Dim) bool {
	return t.depends(size) && !t.depends(t.closed(constant, nil)) && len(t.in(constant)) > 0 && t.old(size).Equal(t.old(constant))
}

// resized returns, for a Resize, an equation for each freed axis that kept its size: it shall keep
// it at other sizes too.
func (t *tagger) resized(v shape.Visit) (out []equation) {
	in := v.In[0].Dims
	if len(v.In) < 4 || v.In[3] == nil {
		return nil
	}
	sizes := v.In[3].Sizes()
	if len(sizes) != len(in) {
		return nil
	}
	for i, n := range sizes {
		if t.ended(in[i], n) {
			out = append(out, equation{a: in[i], b: n, among: t.in(n)})
		}
	}
	return out
}
