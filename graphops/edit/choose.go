package edit

import (
	"fmt"

	"lathe/graphops"
)

// chosen returns the named values, or, if no names are given, all those for which the edit is
// possible. keeps returns the reason why it is not possible for a value, or "". For a named value,
// the reason is returned as an error, otherwise reported as a warning.
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

// leftovers has, by reason, the names of values for which an edit is not possible.
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

// warn adds one warning for each reason.
func (l *leftovers) warn(r *Report) {
	for _, why := range l.reasons {
		if names := l.names[why]; len(names) > 1 {
			r.warn("%s stay as they are: each %s", graphops.QuoteNames(names), why)
		} else {
			r.warn("%q stays as it is: it %s", names[0], why)
		}
	}
}

// mentionBodies warns that bodies inside the place contain more of what the edit changes, because
// an edit without names covers only one place. count returns their number in a body.
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
		e.report.warn("bodies contain %d more of these (each a %s), the first in %q; to edit a body, use --in", total, what, first)
	}
}
