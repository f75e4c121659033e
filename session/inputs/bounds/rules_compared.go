package bounds

import (
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// compared is the rule for comparisons for equality with constants. If the input is a single
// number, such as a sample rate, the comparison decides what is computed, and the constants are
// suggested as values. If the node looks for a number in each row, such as the token that ends a
// text, each row gets this number at its end. From any other comparison nothing follows.
func compared(u use) Allowed {
	known, ok := u.frame().ints(u.input(1 - u.at))
	switch {
	case !ok || len(known) == 0:
		return Allowed{}
	case u.isSetting():
		a := oneOf(u.because("compared with %s", numbers(known)), known...)
		a.Suggested = true
		return a
	case len(known) == 1 && len(u.sizes) > 1 && u.isWhole() && u.isLookedFor():
		return Allowed{End: &End{known[0], u.because("each row ends with %d, which is searched for", known[0])}}
	}
	return Allowed{}
}

// isSetting reports whether the input always has exactly one element.
func (u use) isSetting() bool {
	return u.count == 1 && !slices.ContainsFunc(u.declared, func(d graphops.Dim) bool { return !d.IsFixed() })
}

// isWhole reports whether the node reads all elements of the input, unchanged and in the same
// order.
func (u use) isWhole() bool {
	return u.point.ordered && u.point.columns == 0 && u.point.scale == 1 && u.point.offset == 0
}

// isLookedFor reports whether the position at which a comparison is true is used, as by an ArgMax
// or NonZero.
func (u use) isLookedFor() bool {
	x := u.frame().graph.Index()
	todo := slices.Clone(u.node.Outputs())
	for steps := 0; len(todo) > 0 && steps < maxDepth; steps++ {
		name := todo[0]
		todo = todo[1:]
		v, ok := x.Value(name)
		if !ok {
			continue
		}
		for _, i := range x.Readers(v) {
			switch n := u.frame().graph.Nodes()[i]; n.StandardOp() {
			case "ArgMax", "NonZero", "Compress":
				return true
			case "Cast", "Identity", "Unsqueeze", "Squeeze", "Reshape", "Transpose":
				todo = append(todo, n.Outputs()...)
			}
		}
	}
	return false
}

// counted is the rule for a length that is compared with the positions 0, 1, 2 and so on. It
// suggests the number of positions.
func counted(u use) Allowed {
	if len(u.sizes) > 1 || !u.counts(u.input(1-u.at)) {
		return Allowed{}
	}
	n, ok := u.dimOf(1-u.at, -1)
	if kind := u.elem.Kind(); !ok || n < 1 || kind != tensor.KindSigned && kind != tensor.KindUnsigned {
		return Allowed{}
	}
	a := oneOf(u.because("length of %d positions", n), n)
	a.Suggested = true
	return a
}

// counts reports whether the elements of a value are 0, 1, 2 and so on.
func (u use) counts(name string) bool {
	f := u.frame()
	if list, ok := f.ints(name); ok {
		for i, n := range list {
			if n != int64(i) {
				return false
			}
		}
		return len(list) > 1
	}
	for range maxDepth {
		at, v, ok := f.origin(name)
		if !ok {
			return false
		}
		n := at.producer(v)
		switch {
		case n == nil || len(n.Inputs()) == 0:
			return false
		case operator(n) == "Range":
			return true
		case !passes[operator(n)].whole && !n.Is("Expand"):
			return false
		}
		f, name = at, n.Input(0)
	}
	return false
}

// branch is the rule for the condition of an If, if exactly one of its two branches reads a cache.
// If the cache has elements, that branch is chosen, and otherwise the other one.
func branch(u use) Allowed {
	then, other := u.cacheOf("then_branch"), u.cacheOf("else_branch")
	if (then == "") == (other == "") {
		return Allowed{}
	}
	cache, reads := then, int64(1)
	if then == "" {
		cache, reads = other, 0
	}
	if slices.Contains(u.fed[cache], 0) {
		return oneOf(u.because("%q has no elements, so for the branch that does not read it", cache), 1-reads)
	}
	return oneOf(u.because("for the branch that reads %q", cache), reads)
}

// cacheOf returns the model input that this branch reads and the other one does not, if its name is
// that of a cache. Otherwise it returns "".
func (u use) cacheOf(branch string) string {
	reads := func(name string) []string {
		a, ok := u.node.Attribute(name)
		if !ok || len(a.Graphs()) == 0 {
			return nil
		}
		x := a.Graphs()[0].Index()
		var out []string
		for _, v := range x.Captured() {
			out = append(out, x.Name(v))
		}
		return out
	}
	other := map[string]string{"then_branch": "else_branch", "else_branch": "then_branch"}[branch]
	beside := reads(other)
	for _, name := range reads(branch) {
		lower := strings.ToLower(name)
		if _, fed := u.fed[name]; fed && (strings.Contains(lower, "past") || strings.Contains(lower, "cache")) && !slices.Contains(beside, name) {
			return name
		}
	}
	return ""
}

// numerals is the rule for texts that a Cast converts to numbers.
func numerals(u use) Allowed {
	if u.elem != tensor.String {
		return Allowed{}
	}
	to := tensor.DType(u.int("to", 0))
	if at, v, ok := u.frame().origin(u.input(1)); ok {
		to = at.graph.Index().Type(v).Elem // CastLike
	}
	words := []string{"0", "1", "2", "7", "42"}
	switch to.Kind() {
	case tensor.KindString:
		return Allowed{}
	case tensor.KindFloat:
		words = append(words, "0.5", "-1.25")
	}
	return Allowed{Kind: Words, Words: words, Why: u.because("texts of numbers")}
}

// anyElement is the rule for an index that counts all elements of the data, over all axes.
func anyElement(u use) Allowed {
	sizes := u.data()
	n := int64(1)
	for _, size := range sizes {
		n *= size
	}
	if sizes == nil || n < 1 {
		return oneOf(u.because("position in something of unknown size"), 0)
	}
	return between(0, n-1, u.because("one of %d positions", n))
}

// unpooledShape is the rule for the output shape of a MaxUnpool: the declared shape, or one that is
// larger than the data by the strides.
func unpooledShape(u use) Allowed {
	n, ok := u.list()
	why := u.because("shape of the output")
	if out := u.output(); ok && int64(len(out)) == n && n > 0 {
		return exactly(out, why)
	}
	data := u.data()
	if !ok || int64(len(data)) != n || n < 3 {
		return counts(1, 4, "sizes")(u)
	}
	sizes := slices.Clone(data)
	strides, _ := u.node.Attribute("strides")
	for axis := 2; axis < len(sizes); axis++ {
		if strides != nil && axis-2 < len(strides.Ints()) {
			sizes[axis] *= max(1, min(strides.Ints()[axis-2], maxConstant))
		}
	}
	return exactly(sizes, why)
}

// gridSize is the rule for the size that an AffineGrid reads: the batch size of its
// transformations, 2 channels and small image sizes.
func gridSize(u use) Allowed {
	n, ok := u.list()
	batch, known := u.dimOf(0, 0)
	if !ok || !known || n < 3 {
		return counts(1, 4, "sizes")(u)
	}
	size := []int64{batch, 2}
	for axis := int64(2); axis < n; axis++ {
		size = append(size, axis+2)
	}
	return exactly(size, u.because("batch, channels and plane"))
}
