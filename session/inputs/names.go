package inputs

import (
	"fmt"

	"lathe/graphops"
)

// unknownInput tells of a name that no input has, and which are near it.
func unknownInput(name string, types []graphops.NamedType) error {
	return fmt.Errorf("no input is called %q; inputs are %s", name, quoteAll(inputNames(types)))
}

func inputNames(types []graphops.NamedType) []string {
	names := make([]string, len(types))
	for i, t := range types {
		names[i] = t.Name
	}
	return names
}
