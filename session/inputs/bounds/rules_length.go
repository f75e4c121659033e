package bounds

import "slices"

// lengths are from 1 to the size of an axis of another input.
func lengths(data int, axis axisOf) rule {
	return func(u use) Allowed {
		at := axis(u)
		if n, ok := u.dimOf(data, at); ok && n > 0 {
			return between(1, n, u.because("length within the %d of %q", n, u.input(data)))
		}
		return oneOf(u.because("length"), 1)
	}
}

func sequenceLengths(u use) Allowed {
	return lengths(0, fixedAxis(u.int("layout", 0)))(u)
}

// maxLength is the maximum length of an answer including its prompt; it is set a little longer than
// the prompt.
func maxLength(u use) Allowed {
	prompt, ok := u.dimOf(0, 1)
	if !ok {
		prompt = 1
	}
	return oneOf(u.because("longest answer, after a prompt of %d", prompt), prompt+4)
}

// attentionMask is a mask of ones in the general case. If it has one number for each text, these
// are the lengths of the keys. Longer forms also contain the starts.
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
		// lengths, then the starts of queries and keys
		case known && own[0] == 3*batch+2 && u.isWhole():
			return exactly(slices.Concat(filled(batch, n), steps(batch+1, u.present()), steps(batch+1, n)), u.because("lengths and starts of texts"))
		}
		return oneOf(u.because("length of each text"), n)
	}
}

// present returns the number of positions in the first input of an attention.
func (u use) present() int64 {
	n, _ := u.dimOf(0, 1)
	return n
}

// keyLength returns the number of positions in an input with keys: a batch of sequences, or of
// heads with sequences.
func (u use) keyLength(keys int) (int64, bool) {
	switch len(u.shape(u.frame(), u.input(keys))) {
	case 4:
		return u.dimOf(keys, 2)
	case 3:
		return u.dimOf(keys, 1)
	}
	return u.dimOf(0, 1) // packed with the queries
}

// cacheLength is the number of keys.
func cacheLength(keys int) rule {
	return func(u use) Allowed {
		n, ok := u.keyLength(keys)
		if !ok {
			return oneOf(u.because("number of keys"), 1)
		}
		return oneOf(u.because("all of the %d keys", n), n)
	}
}

// cachedLength is how much of a cache is filled: all except the positions of the present queries.
func cachedLength(cache int, axis int64) rule {
	return func(u use) Allowed {
		n, _ := u.dimOf(cache, axis)
		return oneOf(u.because("length of the past in a cache of %d", n), max(0, n-max(1, u.present())))
	}
}

// steps returns n multiples of a number, starting with 0.
func steps(n, by int64) []int64 {
	out := make([]int64, n)
	for i := range out {
		out[i] = int64(i) * by
	}
	return out
}

// pastLength is the length of past and present together, plus more. If there is a batch of longer
// texts and a past, it is the length of the present alone, because the operator supports such
// batches only at the beginning, without a past.
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
