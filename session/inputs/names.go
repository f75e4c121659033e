package inputs

import (
	"fmt"
	"slices"

	"lathe/graphops"
)

// unknownInput returns the error for a name that no input has. It lists similar names, or else all
// names.
func unknownInput(name string, types []graphops.NamedType) error {
	names := inputNames(types)
	if near := graphops.NearestNames(name, slices.Values(names)); len(near) > 0 {
		return fmt.Errorf("no input is called %q; nearest names: %s", name, graphops.QuoteNames(near))
	}
	return fmt.Errorf("no input is called %q; inputs are %s", name, graphops.QuoteNames(names))
}

func inputNames(types []graphops.NamedType) []string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.Name
	}
	return names
}
