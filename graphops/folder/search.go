package folder

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/roles"
	"lathe/graphops/tensor"
)

// maxCompared is how many pairs of an input and an output are compared by their types alone.
const maxCompared = 1 << 20

// search finds the wires of a folder.
type search struct {
	f *Folder
	// outputs has the ports of outputs by name, and lower by name in lower case for each member.
	outputs map[string][]Port
	lower   map[*Member]map[string]string
	stems   map[*Member]map[string][]string // names of presents without the words for present
	left    int                             // of maxCompared
	read    map[Port]bool
}

// connect finds the wires, and what remains outside.
func (f *Folder) connect() {
	s := newSearch(f)
	for _, m := range f.Members {
		for _, in := range m.inputs {
			wires := s.feed(m, in)
			for _, w := range wires {
				s.read[w.From] = true
			}
			f.Wires = append(f.Wires, wires...)
		}
	}
	s.merge()
	s.share()
	s.outside()
	f.sortMembers()
	f.judge()
	if s.left <= 0 {
		f.Limits = append(f.Limits, "some inputs were not compared with all outputs by their types")
	}
}

func newSearch(f *Folder) *search {
	s := &search{f: f, outputs: map[string][]Port{}, lower: map[*Member]map[string]string{}, stems: map[*Member]map[string][]string{}, left: maxCompared, read: map[Port]bool{}}
	for _, m := range f.Members {
		s.lower[m], s.stems[m] = map[string]string{}, map[string][]string{}
		m.scores = map[string]bool{}
		for i := range m.roles().Outputs {
			p := &m.Roles.Outputs[i]
			m.scores[p.Name] = p.Kind == roles.Logits || p.Kind == roles.Present
		}
		for _, out := range m.outputs {
			s.outputs[out.Name] = append(s.outputs[out.Name], Port{m, out.Name})
			s.lower[m][strings.ToLower(out.Name)] = out.Name
			if k := cacheStem(out.Name); k != "" {
				s.stems[m][k] = append(s.stems[m][k], out.Name)
			}
		}
	}
	return s
}

// feed returns the wires into one input, by the strongest evidence.
func (s *search) feed(m *Member, in graphops.NamedType) []Wire {
	wires := s.configured(m, in)
	if len(wires) == 0 {
		wires = s.own(m, in)
	}
	if slices.ContainsFunc(wires, func(w Wire) bool { return w.Turn != Next }) {
		return wires
	}
	tries := []func(*Member, graphops.NamedType) []Wire{s.cached, s.ruled, s.sameName, s.sameType}
	if len(wires) > 0 {
		tries = tries[:2] // only what fills a cache in the first run
	}
	for _, try := range tries {
		more := try(m, in)
		if len(wires) > 0 {
			more = slices.DeleteFunc(more, func(w Wire) bool { return w.Turn != First })
		}
		if len(more) > 0 {
			return append(wires, more...)
		}
	}
	return wires
}

// own returns the wire of a cache or state to the next run of the same model.
func (s *search) own(m *Member, in graphops.NamedType) []Wire {
	to := Port{m, in.Name}
	if p := m.Roles.Input(in.Name); p != nil && p.Pair >= 0 && m.Roles.Pairs[p.Pair].Present != "" {
		w := Wire{From: Port{m, m.Roles.Pairs[p.Pair].Present}, To: to, Turn: Next, Evidence: ByStructure, Assumed: strings.Join(p.Assumed, "; ")}
		if p.Source() <= roles.ByName {
			w.Evidence = ByNameAndType
		}
		if len(p.Evidence) > 0 {
			w.Why = p.Evidence[len(p.Evidence)-1].Text
		}
		return []Wire{w}
	}
	if w := s.match(&scheduling, m, m, in); w != nil {
		return []Wire{*w}
	}
	if k := cacheStem(in.Name); k != "" && len(s.stems[m][k]) == 1 {
		return []Wire{{From: Port{m, s.stems[m][k][0]}, To: to, Turn: Next, Evidence: ByNameAndType, Why: "both names are those of the same cache", Assumed: onlyNames}}
	}
	for _, name := range []string{"new_" + in.Name, "next_" + in.Name, in.Name + "_out", in.Name + "_next", "out_" + strings.TrimPrefix(in.Name, "in_")} {
		if out := typeOf(m.outputs, name); out.Kind == graphops.TypeTensor && misfit(out, in.Type) == "" {
			return []Wire{{From: Port{m, name}, To: to, Turn: Next, Evidence: ByNameAndType, Why: "its name goes with that of the input", Assumed: onlyNames}}
		}
	}
	return nil
}

// onlyNames is what is assumed of a cache that is known by names.
const onlyNames = "that one continues the other: only their names say so"

// cached returns the wire of a cache that another model filled.
func (s *search) cached(m *Member, in graphops.NamedType) []Wire {
	k := cacheStem(in.Name)
	own := len(s.own(m, in)) > 0
	if own && m.Role != WithPast {
		return nil
	}
	for _, from := range s.f.Members {
		names := s.stems[from][k]
		if k == "" || from == m || len(names) != 1 || !before(from, m) {
			continue
		}
		w := Wire{From: Port{from, names[0]}, To: Port{m, in.Name}, Evidence: ByNameAndType, Why: "both names are those of the same cache"}
		if own {
			w.Turn = First
		}
		return []Wire{w}
	}
	return nil
}

// cacheWords are words of names that say only whether a cache is one before or after a run.
var cacheWords = []string{"past", "present", "key_values"}

// cacheStem returns what a name says about which cache it is, or "" if it does not name a cache.
func cacheStem(name string) string {
	rest := strings.ToLower(name)
	for _, w := range cacheWords {
		rest = strings.Replace(rest, w, "", 1)
	}
	if strings.Contains(strings.ToLower(name), "past") || strings.Contains(strings.ToLower(name), "present") {
		return strings.Join(strings.FieldsFunc(rest, func(r rune) bool { return strings.ContainsRune("._-/", r) }), ".")
	}
	return ""
}

// ruled returns the wires of the first rule that finds some.
func (s *search) ruled(m *Member, in graphops.NamedType) []Wire {
	for i := range rules {
		r := &rules[i]
		if !r.reads(m, in.Name) {
			continue
		}
		var found []Wire
		for _, from := range s.f.Members {
			if w := s.match(r, from, m, in); w != nil {
				found = append(found, *w)
			}
		}
		if len(found) > 0 {
			return s.choose(r, found)
		}
	}
	return nil
}

// reads reports whether an input is one of a rule.
func (r *rule) reads(m *Member, name string) bool {
	if !slices.Contains(r.to, m.Role) {
		return false
	}
	if slices.Contains(r.in, strings.ToLower(name)) {
		return true
	}
	p := m.Roles.Input(name)
	return r.kind != roles.Unknown && p != nil && p.Kind == r.kind
}

// match returns the wire of a rule from a member to an input, or nil. An output with the same name is
// the best one.
func (s *search) match(r *rule, from, m *Member, in graphops.NamedType) *Wire {
	if !slices.Contains(r.from, from.Role) || !r.reads(m, in.Name) || from == m && r.turn != Next || from != m && r.turn == Next {
		return nil
	}
	for _, name := range append([]string{strings.ToLower(in.Name)}, r.out...) {
		out, has := s.lower[from][name]
		if !has || !slices.Contains(r.out, name) || holdsScores(from, out) {
			continue
		}
		w := &Wire{From: Port{from, out}, To: Port{m, in.Name}, Evidence: ByNameAndType, Turn: r.turn, Via: r.via}
		w.Why = fmt.Sprintf("a %s gives %s to a %s as %s", from.Role, graphops.ShortQuoted(out), m.Role, graphops.ShortQuoted(in.Name))
		if from != m && r.via != "" && !r.joins && strings.HasPrefix(r.via, "one ") && misfit(typeOf(from.outputs, out), in.Type) == "" {
			w.Via = ""
		}
		return w
	}
	return nil
}

// holdsScores reports whether an output has the scores of tokens or a cache, which no other model
// reads as hidden states.
func holdsScores(m *Member, out string) bool { return m.scores[out] }

// choose returns the wires that fit, if only one member can be meant, and all if they are joined.
func (s *search) choose(r *rule, found []Wire) []Wire {
	var fit []Wire
	for _, w := range found {
		if misfit(typeOf(w.From.Member.outputs, w.From.Name), typeOf(w.To.Member.inputs, w.To.Name)) == "" {
			fit = append(fit, w)
		}
	}
	switch {
	case r.joins && len(found) > 1 && (len(fit) != 1 || strings.Contains(s.f.class, joiningClass)):
		for i := range found {
			found[i].joined = true
		}
		return found
	case len(fit) == 1:
		if r.joins {
			fit[0].Via = ""
		}
		if r.joins && len(found) > 1 {
			fit[0].Assumed = "that the pipeline does not join it with that of the other text encoders, whose sizes differ"
		}
		return fit
	case len(fit) > 1:
		return ambiguous(fit)
	case r.joins:
		found[0].Via = ""
	}
	return found[:1]
}

// joiningClass is a word of the pipelines of diffusers that fill up the states of smaller text encoders
// and join all of them.
const joiningClass = "StableDiffusion3"

// ambiguous returns the first of several wires, and says which others there are.
func ambiguous(list []Wire) []Wire {
	w := list[0]
	var others []string
	for _, o := range list[1:] {
		others = append(others, graphops.ShortQuoted(o.From.String()))
	}
	w.Assumed = fmt.Sprintf("the first of several that fit; the others are %s", strings.Join(others, ", "))
	return []Wire{w}
}

// sameName returns the wire from an output that has the name of the input.
func (s *search) sameName(m *Member, in graphops.NamedType) []Wire {
	var fit, other []Wire
	for _, from := range s.outputs[in.Name] {
		if from.Member == m || !before(from.Member, m) || isOwnInput(from.Member, in.Name) {
			continue
		}
		w := Wire{From: from, To: Port{m, in.Name}, Evidence: ByNameAndType, Why: "both have the same name"}
		if w.Misfit() == "" {
			fit = append(fit, w)
		} else {
			other = append(other, w)
		}
	}
	switch {
	case len(fit) > 1:
		return ambiguous(fit)
	case len(fit) == 1:
		return fit
	case len(other) == 1 && !callersOnly(m, in.Name):
		return other
	}
	return nil
}

// isOwnInput reports whether a model returns one of its inputs under the same name, which is not its
// result.
func isOwnInput(m *Member, name string) bool { return m.Roles.Input(name) != nil }

// callersOnly reports whether only a caller gives a model an input, such as token ids.
func callersOnly(m *Member, name string) bool {
	p := m.Roles.Input(name)
	return p != nil && p.Kind != roles.Unknown && p.Kind != roles.Encoded && p.Kind != roles.Embeddings && p.Kind != roles.Past && p.Kind != roles.Features
}

// sameType returns the wire from the only output whose type fits, if the type says something.
func (s *search) sameType(m *Member, in graphops.NamedType) []Wire {
	if callersOnly(m, in.Name) || callers[strings.ToLower(in.Name)] != "" || in.Type.Elem.Kind() != tensor.KindFloat || len(in.Type.Shape) < 2 {
		return nil
	}
	if p := m.Roles.Input(in.Name); p != nil && (p.Kind == roles.Past || p.Kind == roles.Features) {
		return nil
	}
	var found []Wire
	for _, from := range s.f.Members {
		if from == m || !before(from, m) || order[from.Role] == 0 && order[m.Role] == 0 && s.f.reaches(m, from) {
			continue
		}
		for _, out := range from.outputs {
			if s.left--; s.left < 0 {
				return nil
			}
			if agree(out.Type, in.Type) && misfit(out.Type, in.Type) == "" && !holdsScores(from, out.Name) {
				found = append(found, Wire{From: Port{from, out.Name}, To: Port{m, in.Name}, Evidence: ByType, Why: "no other output has a type that fits"})
			}
		}
	}
	if len(found) != 1 {
		return nil
	}
	found[0].Assumed = fmt.Sprintf("that %s is %s: only the type says so", graphops.ShortQuoted(found[0].From.String()), graphops.ShortQuoted(found[0].To.String()))
	return found
}

// reaches reports whether wires lead from one member to another.
func (f *Folder) reaches(from, to *Member) bool {
	seen := map[*Member]bool{from: true}
	for changed := true; changed; {
		changed = false
		for _, w := range f.Wires {
			if w.Turn != Next && seen[w.From.Member] && !seen[w.To.Member] {
				seen[w.To.Member], changed = true, true
			}
		}
	}
	return seen[to]
}
