package session

import (
	"fmt"
	"slices"
	"strings"
)

// Several is an option for members of a fixed set. They are separated by commas, or the option is
// repeated.
func Several(p *[]string, name, usage string, choices ...string) Option {
	o := List(p, name, usage)
	o.Choices = choices
	o.set = func(v string) error {
		var named []string
		for _, c := range strings.Split(v, ",") {
			if !slices.Contains(choices, c) {
				return fmt.Errorf("%q is not one of %s%s", c, strings.Join(choices, ", "), meantChoice(c, choices))
			}
			if !slices.Contains(*p, c) && !slices.Contains(named, c) {
				named = append(named, c)
			}
		}
		*p = append(slices.Clip(*p), named...)
		return nil
	}
	return o
}
