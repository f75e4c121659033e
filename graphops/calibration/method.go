package calibration

import (
	"fmt"
	"strings"
)

// Method is a way to choose the range of a tensor from its elements.
type Method string

// The methods, with the names that command line and recipes use.
const (
	MethodMinMax       Method = "minmax"
	MethodEntropy      Method = "entropy"
	MethodPercentile   Method = "percentile"
	MethodDistribution Method = "distribution"
)

// Methods lists all of them.
func Methods() []Method {
	return []Method{MethodMinMax, MethodEntropy, MethodPercentile, MethodDistribution}
}

// ParseMethod returns the method with the given name, or an error that lists all names.
func ParseMethod(name string) (Method, error) {
	var known []string
	for _, m := range Methods() {
		if name == string(m) {
			return m, nil
		}
		known = append(known, string(m))
	}
	return "", fmt.Errorf("no calibration method %q, expected one of %s", name, strings.Join(known, ", "))
}
