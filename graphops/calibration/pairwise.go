package calibration

// number is a float of a width in which sums are made.
type number interface{ float32 | float64 }

// pairwise adds up numbers in the order of numpy.sum: eight sums side by side in a
// block, blocks in halves.
func pairwise[N number](list []N) N {
	const block = 128
	n := len(list)
	switch {
	case n < 8:
		var sum N
		for _, x := range list {
			sum += x
		}
		return sum
	case n <= block:
		var r [8]N
		copy(r[:], list)
		at := 8
		for ; at < n-n%8; at += 8 {
			for k := range r {
				r[k] += list[at+k]
			}
		}
		sum := ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]))
		for _, x := range list[at:] {
			sum += x
		}
		return sum
	}
	half := n / 2
	half -= half % 8
	return pairwise(list[:half]) + pairwise(list[half:])
}
