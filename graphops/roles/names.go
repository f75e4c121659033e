package roles

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
)

// numberIn returns the only number in a name.
func numberIn(name string) (int, bool) {
	fields := strings.FieldsFunc(name, func(r rune) bool { return r < '0' || r > '9' })
	if len(fields) != 1 || len(fields[0]) > 6 {
		return 0, false
	}
	n, err := strconv.Atoi(fields[0])
	return n, err == nil
}

// contentInName returns keys or values if a name has one of these words.
func contentInName(name string) Content {
	has := map[Content]bool{}
	for _, w := range wordsOf(name) {
		switch w {
		case "key", "keys", "k":
			has[Key] = true
		case "value", "values", "v":
			has[Value] = true
		}
	}
	switch {
	case has[Key] && !has[Value]:
		return Key
	case has[Value] && !has[Key]:
		return Value
	default:
		// "past_key_values.0.key" has each word: the last one says it.
		words := wordsOf(name)
		if len(words) > 0 && has[Key] {
			switch words[len(words)-1] {
			case "key", "k":
				return Key
			case "value", "v":
				return Value
			}
		}
		return NoContent
	}
}

// wordsOf returns the words of a name in lower case.
func wordsOf(name string) []string {
	return strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
}

// before and after are words of names for a cache or state before and after a run.
var (
	before = []string{"past", "in", "input", "prev", "previous", "old", "initial"}
	after  = []string{"present", "out", "output", "new", "next", "updated", "final"}
	// lasting are words for what is kept from run to run. A name that has none of them must have
	// past or present.
	lasting = []string{"cache", "state", "states", "hidden", "cell", "memory", "mem", "h", "c", "h0", "c0", "hn", "cn"}
)

// stem returns a name without the words for before and after, if it has a word of the list and is
// the name of something that is kept.
func stem(name string, list []string) (string, bool) {
	if contentInName(name) == NoContent { // a state, although it is called past_key_values.0.recurrent_state
		name = strings.Replace(name, "past_key_values", "past", 1)
	}
	var rest []string
	had, kept := false, false
	for _, w := range wordsOf(name) {
		kept = kept || w == "past" || w == "present" || slices.Contains(lasting, w)
		switch {
		case slices.Contains(list, w):
			had = true
		case w == "h0" || w == "hn":
			had = true
			rest = append(rest, "h")
		case w == "c0" || w == "cn":
			had = true
			rest = append(rest, "c")
		default:
			rest = append(rest, w)
		}
	}
	return strings.Join(rest, "."), had && kept
}

// findNames pairs inputs and outputs that are left, if their types agree and their names differ in
// words for before and after only.
func (f *finder) findNames() {
	type key struct {
		stem string
		elem string
		rank int
	}
	outs := map[key][]int{}
	for out := range f.out {
		t := f.typeOf(f.out[out])
		if s, had := stem(f.roles.Outputs[out].Name, after); had && f.roles.Outputs[out].Kind == Unknown {
			k := key{s, t.Elem.String(), len(t.Shape)}
			outs[k] = append(outs[k], out)
		}
	}
	for in := range f.in {
		t := f.types[in]
		name := f.roles.Inputs[in].Name
		s, had := stem(name, before)
		list := outs[key{s, t.Elem.String(), len(t.Shape)}]
		if !had || len(list) != 1 || !holdsNumbers(t) || f.roles.Inputs[in].Kind != Unknown || f.r.use[f.in[in]]&(useInto|useQuery) != 0 {
			continue
		}
		other := f.roles.Outputs[list[0]].Name
		c := found{form: named, content: contentInName(name), node: int32(len(f.nodes)), axis: -1}
		if c.content == NoContent {
			c.content = State
		}
		c.past = []Evidence{{ByName, fmt.Sprintf("its name goes with that of output %s", graphops.ShortQuoted(other))}}
		c.present = []Evidence{{ByName, fmt.Sprintf("its name goes with that of input %s", graphops.ShortQuoted(name))}}
		c.assumed = []string{"that one continues the other: only their names say so"}
		f.pair(in, list[0], c)
	}
}

// findPastNames gives the role of a past to inputs that have only its name.
func (f *finder) findPastNames() {
	for in := range f.in {
		p := &f.roles.Inputs[in]
		name := strings.ToLower(p.Name)
		if p.Kind != Unknown || !strings.Contains(name, "past") || strings.Contains(name, "length") || !holdsNumbers(f.types[in]) || len(f.types[in].Shape) < 3 {
			continue
		}
		f.pair(in, -1, found{
			form: named, content: contentInName(name), node: int32(len(f.nodes)), axis: -1,
			past:    []Evidence{{ByName, "its name has past"}},
			assumed: []string{"past: only its name says so"},
		})
	}
}

func (f *finder) typeOf(v value) graphops.Type {
	if v == nothing {
		return graphops.Type{}
	}
	h := f.homes[v]
	return h.place.Type(h.id)
}

// PresentByName returns the only output whose name has the numbers and the words of the past of a pair,
// if it can be a present. It is empty if no output, or more than one, has such a name. A caller that
// goes by names takes it for the next past, which is wrong if the pair has another present.
func (r *Roles) PresentByName(pair int) string {
	past, found := r.Pairs[pair].Past, ""
	for i := range r.Outputs {
		o := &r.Outputs[i]
		if past == "" || o.Kind != Present && o.Kind != Unknown || nameKey(o.Name) != nameKey(past) {
			continue
		}
		if found != "" {
			return ""
		}
		found = o.Name
	}
	return found
}

// nameKey returns what the names of a past and its present have in common: numbers, the content, and
// whether it is that of an encoder.
func nameKey(name string) string {
	key := contentInName(name).String()
	for _, w := range wordsOf(name) {
		if w == "encoder" || w == "cross" {
			key += "." + w
		}
	}
	for _, n := range strings.FieldsFunc(name, func(r rune) bool { return r < '0' || r > '9' }) {
		key += "." + n
	}
	return key
}
