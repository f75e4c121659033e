package bounds

import "slices"

// lengths returns the rule for lengths from 1 to the size of an axis of another input of the node,
// data.
func lengths(data int, axis axisOf) rule {
	return func(u use) Allowed {
		at := axis(u)
		if n, ok := u.dimOf(data, at); ok && n > 0 {
			return between(1, n, u.because("length of at most %d, a size of %q", n, u.input(data)))
		}
		return oneOf(u.because("length"), 1)
	}
}

func sequenceLengths(u use) Allowed {
	return lengths(0, fixedAxis(u.int("layout", 0)))(u)
}

// maxLength is the rule for the maximum length of a generated text, which includes the prompt. The
// value is a little longer than the prompt.
func maxLength(u use) Allowed {
	prompt, ok := u.dimOf(0, 1)
	if !ok {
		prompt = 1
	}
	return oneOf(u.because("longest answer, after a prompt of %d", prompt), prompt+4)
}

// attentionMask returns the rule for the mask of an attention. Usually it is all ones. If it has
// one axis, it has a length for each text instead, possibly followed by start positions. keys is
// the position of the node's input with the keys.
func attentionMask(keys int) rule {
	return func(u use) Allowed {
		own := fixed(u.shape(u.frame(), u.input(u.at)))
		n, ok := u.keyLength(keys)
		batch, known := u.dimOf(0, 0)
		switch {
		case len(own) != 1 || !ok:
			return oneOf(u.because("mask"), 1)
		case known && own[0] == 2*batch && u.isWhole(): // ends of texts, then starts
			return exactly(append(filled(batch, n), filled(batch, 0)...), u.because("ends and starts of texts"))
		// The form with 3*batch+2 numbers: the lengths, then the start positions of the queries and
		// of the keys.
		case known && own[0] == 3*batch+2 && u.isWhole():
			return exactly(slices.Concat(filled(batch, n), steps(batch+1, u.present()), steps(batch+1, n)), u.because("lengths and starts of texts"))
		}
		return oneOf(u.because("length of each text"), n)
	}
}

// present returns the number of positions in the first input of an attention, those that are new in
// this run.
func (u use) present() int64 {
	n, _ := u.dimOf(0, 1)
	return n
}

// keyLength returns the number of positions in the input with the keys. Its axes are batch,
// positions and elements, or batch, heads, positions and elements.
func (u use) keyLength(keys int) (int64, bool) {
	switch len(u.shape(u.frame(), u.input(keys))) {
	case 4:
		return u.dimOf(keys, 2)
	case 3:
		return u.dimOf(keys, 1)
	}
	return u.dimOf(0, 1) // packed with the queries
}

// cacheLength returns the rule for the number of valid keys, which is all of them.
func cacheLength(keys int) rule {
	return func(u use) Allowed {
		n, ok := u.keyLength(keys)
		if !ok {
			return oneOf(u.because("number of keys"), 1)
		}
		return oneOf(u.because("all of the %d keys", n), n)
	}
}

// cachedLength returns the rule for how many positions of a cache are filled. The rest has to have
// room for the positions of this run.
func cachedLength(cache int, axis int64) rule {
	return func(u use) Allowed {
		n, _ := u.dimOf(cache, axis)
		return oneOf(u.because("length of the past in a cache of %d", n), max(0, n-max(1, u.present())))
	}
}

// steps returns the first n multiples of a number: 0, by, 2*by and so on.
func steps(n, by int64) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(i) * by
	}
	return out
}

// pastLength returns the rule for the number of positions in the cache and in this run together,
// plus more. There is an exception if the batch has several texts of several positions and the
// cache is not empty. The operator does not support that, so the value is the number of positions
// in this run alone, as for the first run.
func pastLength(more int64) rule {
	return func(u use) Allowed {
		present, ok := u.dimOf(0, 1)
		if !ok {
			return oneOf(u.because("length of past and present"), max(0, 1+more))
		}
		past, _ := u.dimOf(3, 2)
		batch, _ := u.dimOf(0, 0)
		if batch > 1 && present > 1 && past > 0 {
			return oneOf(u.because("length of the first %d positions", present), present+more)
		}
		return oneOf(u.because("length of past and present"), past+present+more)
	}
}
