package session

import (
	"fmt"
	"strings"
)

// Keyed is an option of assignments, KEY=VALUE, one each time it is given. A key has one value: a
// second one that differs is an error, as it is not known which of the two is meant.
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

// RefuseSecond returns an error if the key of an assignment, KEY=VALUE, has another value already.
func RefuseSecond(given []string, assignment string) error {
	key, _, ok := strings.Cut(assignment, "=")
	for _, before := range given {
		if strings.HasPrefix(before, key+"=") && ok && before != assignment {
			return fmt.Errorf("%q: %s is given twice, before as %q; it takes one value", assignment, key, before)
		}
	}
	return nil
}
