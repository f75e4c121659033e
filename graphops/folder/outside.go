package folder

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/roles"
)

// merge adds the wires of pictures and sound whose values no model reads: the pipeline puts them in
// place of tokens, before the first model that takes embeddings.
func (s *search) merge() {
	for _, from := range s.f.Members {
		if slices.ContainsFunc(from.outputs, func(o graphops.NamedType) bool { return s.read[Port{from, o.Name}] }) {
			continue
		}
		if w := s.merged(from); w != nil {
			s.f.Wires = append(s.f.Wires, *w)
			s.read[w.From] = true
		}
	}
}

func (s *search) merged(from *Member) *Wire {
	for _, m := range s.f.Members {
		for _, in := range m.inputs {
			if w := s.match(&merging, from, m, in); w != nil && w.Misfit() == "" {
				return w
			}
		}
	}
	return nil
}

// share finds the inputs that get one value: the mask of an encoder, and that of the decoder's
// attention to it.
func (s *search) share() {
	for _, enc := range s.f.Members {
		if enc.Role != Encoder || enc.Roles == nil {
			continue
		}
		for i := range enc.Roles.Inputs {
			mask := &enc.Roles.Inputs[i]
			if mask.Kind != roles.Mask {
				continue
			}
			ports := []Port{{enc, mask.Name}}
			for _, m := range s.f.Members {
				ports = append(ports, crossMasks(m)...)
			}
			if len(ports) > 1 {
				s.f.Shared = append(s.f.Shared, Shared{ports, "the attention to the encoder needs the mask of the encoder"})
			}
		}
	}
}

// crossMasks returns the masks of a decoder's attention to an encoder.
func crossMasks(m *Member) (ports []Port) {
	if m.Roles == nil || !slices.Contains(decoders, m.Role) {
		return nil
	}
	for i := range m.Roles.Inputs {
		p := &m.Roles.Inputs[i]
		if p.Kind == roles.Mask && (p.Cross || strings.Contains(strings.ToLower(p.Name), "encoder")) {
			ports = append(ports, Port{m, p.Name})
		}
	}
	return ports
}

// outside lists the inputs that come from the caller, and the outputs that nobody reads.
func (s *search) outside() {
	fed, later := map[Port]bool{}, map[Port]bool{}
	for _, w := range s.f.Wires {
		fed[w.To] = true
		later[w.To] = later[w.To] || w.Turn == Always || w.Turn == First
	}
	for _, m := range s.f.Members {
		for _, in := range m.inputs {
			p := Port{m, in.Name}
			kind, about := aboutInput(m, in.Name)
			if about == "" && s.f.isFirst(m) {
				about = "no other model runs before this one"
			}
			switch {
			case !fed[p]:
			case later[p] || kind == roles.Past:
				continue
			default:
				about += " of the first run"
			}
			s.f.Callers = append(s.f.Callers, Outside{p, kind, about})
		}
		for _, out := range m.outputs {
			if p := (Port{m, out.Name}); !s.read[p] {
				s.f.Results = append(s.f.Results, Outside{p, kindOf(m.Roles.Output(out.Name)), aboutOutput(m.Roles.Output(out.Name))})
			}
		}
	}
}

// isFirst reports whether no other member can run before one.
func (f *Folder) isFirst(m *Member) bool {
	return !slices.ContainsFunc(f.Members, func(other *Member) bool { return other != m && before(other, m) })
}

func kindOf(p *roles.Port) roles.Kind {
	if p == nil {
		return roles.Unknown
	}
	return p.Kind
}

// aboutInput returns the role of an input, and what it is in a few words.
func aboutInput(m *Member, name string) (roles.Kind, string) {
	kind := kindOf(m.Roles.Input(name))
	switch {
	case kind == roles.Encoded || kind == roles.Embeddings:
		return kind, "" // another model makes these, and which one is not known
	case kind == roles.Past:
		return kind, kind.Title()
	case kind != roles.Unknown:
		return kind, kind.Title()
	}
	if key := m.keyOf(name); key != "" {
		return kind, cmp.Or(callers[key], "called "+key+" by the configuration")
	}
	about := callers[strings.ToLower(name)]
	if slices.Contains(decoders, m.Role) && about == "sound" {
		return kind, "" // a decoder reads what another model made of it
	}
	return kind, about
}

// keyOf returns the key of the configuration that an input has, if that says what it is.
func (m *Member) keyOf(name string) string {
	if m.config == nil {
		return ""
	}
	for _, key := range sortedKeys(m.config.inputs) {
		_, ok := layerOf(name, m.config.inputs[key])
		if ok && !slices.ContainsFunc(configRules, func(r configRule) bool { return r.to == m.Role && r.in == key }) {
			return key
		}
	}
	return ""
}

func aboutOutput(p *roles.Port) string {
	if k := kindOf(p); k != roles.Unknown {
		return k.Title()
	}
	return ""
}

// judge reports the wires that cannot fit, and names of the configuration that models lack.
func (f *Folder) judge() {
	for _, m := range f.Members {
		if m.Err != nil {
			f.problemOf(m, Error, "%s", m.Err)
		}
		f.missing(m)
	}
	for i := range f.Wires {
		w := &f.Wires[i]
		if why := w.Misfit(); why != "" {
			f.problemOf(w.To.Member, Error, "%s cannot be %s: %s", graphops.ShortQuoted(w.From.String()), graphops.ShortQuoted(w.To.String()), why)
		}
	}
}

// sortMembers puts members in an order in which each one runs after those that it reads.
func (f *Folder) sortMembers() {
	var out []*Member
	placed := map[*Member]bool{}
	for len(out) < len(f.Members) {
		at := slices.IndexFunc(f.Members, func(m *Member) bool { return !placed[m] && f.ready(m, placed) })
		if at < 0 {
			at = slices.IndexFunc(f.Members, func(m *Member) bool { return !placed[m] })
			f.problemOf(f.Members[at], Warning, "the wires lead in a circle")
		}
		placed[f.Members[at]] = true
		out = append(out, f.Members[at])
	}
	f.Members = out
}

// ready reports whether all members that another one reads are placed.
func (f *Folder) ready(m *Member, placed map[*Member]bool) bool {
	return !slices.ContainsFunc(f.Into(m), func(w Wire) bool { return !placed[w.From.Member] })
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
