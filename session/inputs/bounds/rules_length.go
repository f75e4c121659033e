package bounds

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

// maxLength is how long an answer with its prompt may be: a little longer than
// the prompt.
func maxLength(u use) Allowed {
	prompt, ok := u.dimOf(0, 1)
	if !ok {
		prompt = 1
	}
	return oneOf(u.because("longest answer, after a prompt of %d", prompt), prompt+4)
}

// attentionMask is either ones or, where there is one number for each text, its
// length.
func attentionMask(u use) Allowed {
	own := u.shape(u.frame(), u.input(u.at))
	if n, ok := u.dimOf(0, 1); ok && len(own) == 1 {
		return oneOf(u.because("length of each text"), n)
	}
	return oneOf(u.because("mask"), 1)
}

// pastLength is the length of the past and the present together, and a little more
// or less.
func pastLength(more int64) rule {
	return func(u use) Allowed {
		present, ok := u.dimOf(0, 1)
		if !ok {
			return Allowed{}
		}
		past, _ := u.dimOf(3, 2)
		return oneOf(u.because("length of past and present"), past+present+more)
	}
}
