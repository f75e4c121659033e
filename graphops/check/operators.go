package check

import (
	"maps"
	"slices"

	"lathe/graphops"
)

// Operators lists the operators, by domain and name, with rules of their own about attributes,
// about the requirements of their ONNX Runtime kernel, or about failures in a run.
func Operators() []graphops.Op {
	keys := slices.Concat(
		slices.Collect(maps.Keys(kernelDemands)), slices.Collect(maps.Keys(attributeDemands)), slices.Collect(maps.Keys(equalLengths)),
		slices.Collect(maps.Keys(runDemands)), slices.Collect(maps.Keys(crashing)), slices.Collect(maps.Keys(needed)))
	for name := range valueChecks {
		keys = append(keys, graphops.Op{Name: name})
	}
	return graphops.SortOps(slices.Values(keys))
}
