package calibration

import "lathe/graphops/tensor"

// pairwise sums numbers in the same order as numpy.sum.
func pairwise[N float32 | float64](list []N) N {
	sum := tensor.NewPairwise[N](len(list))
	for _, x := range list {
		sum.Add(x)
	}
	return sum.Sum()
}
