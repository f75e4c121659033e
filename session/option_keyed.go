package session

import (
	"fmt"
	"strings"
)

// Keyed is an option for assignments, KEY=VALUE, that may be repeated. Two different values for one
// key are an error, because it is unclear which one is meant.
func Keyed(p *[]string, name, usage string) Option {
	o := List(p, name, usage)
	set := o.set
	o.set = func(v string) error {
		if err := RefuseSecond(*p, v); err != nil {
			return err
		}
		return set(v)
	}
	return o
}

// RefuseSecond returns an error if the key of an assignment, KEY=VALUE, already has another value.
func RefuseSecond(given []string, assignment string) error {
	key, _, ok := strings.Cut(assignment, "=")
	for _, before := range given {
		if strings.HasPrefix(before, key+"=") && ok && before != assignment {
			return fmt.Errorf("%q: %s is given twice, first as %q; it takes one value", assignment, key, before)
		}
	}
	return nil
}
