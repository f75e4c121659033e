package edit

import (
	"fmt"

	"lathe/graphops"
)

// chosen returns the named values, or, without names, all values on which the edit can work. keeps
// returns why a value is not possible, or "". That is an error for a named value, and a warning for
// others.
func (e *edit) chosen(named []string, all []graphops.ValueID, keeps func(graphops.ValueID) string) ([]graphops.ValueID, error) {
	var out []graphops.ValueID
	taken := map[graphops.ValueID]bool{}
	for _, name := range named {
		id, err := e.index.Lookup("value", name)
		if err != nil {
			return nil, err
		}
		if why := keeps(id); why != "" {
			return nil, fmt.Errorf("value %q: %s", name, why)
		}
		if !taken[id] {
			taken[id] = true
			out = append(out, id)
		}
	}
	if len(named) > 0 {
		return out, nil
	}
	left := leftovers{}
	for _, id := range all {
		if why := keeps(id); why != "" {
			left.add(why, e.index.Name(id))
			continue
		}
		out = append(out, id)
	}
	left.warn(e.report)
	return out, nil
}

// leftovers has the values that an edit of all values leaves unchanged, by reason.
type leftovers struct {
	reasons []string // in the order of their first value
	names   map[string][]string
}

func (l *leftovers) add(why, name string) {
	if l.names == nil {
		l.names = map[string][]string{}
	}
	if l.names[why] == nil {
		l.reasons = append(l.reasons, why)
	}
	l.names[why] = append(l.names[why], name)
}

// warn reports each reason once.
func (l *leftovers) warn(r *Report) {
	for _, why := range l.reasons {
		if names := l.names[why]; len(names) > 1 {
			r.warn("%s stay as they are: each %s", graphops.QuoteNames(names), why)
		} else {
			r.warn("%q stays as it is: it %s", names[0], why)
		}
	}
}

// mentionBodies warns that bodies inside the place contain more of what an edit of all values works
// on, because an edit covers only one place.
func (e *edit) mentionBodies(named []string, what string, count func(*graphops.Graph) int) {
	if len(named) > 0 {
		return
	}
	total, first := 0, ""
	var below func(p *graphops.Place)
	below = func(p *graphops.Place) {
		for _, b := range p.Bodies {
			if n := count(b.Graph); n > 0 {
				total += n
				if first == "" {
					first = b.String()
				}
			}
			below(b)
		}
	}
	below(e.place)
	if total > 0 {
		e.report.warn("bodies hold %d more of these, a %s each, the first in %q; name a body with --in", total, what, first)
	}
}
