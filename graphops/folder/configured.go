package folder

import (
	"fmt"
	"slices"
	"strings"

	"lathe/graphops"
)

// configured returns the wires into an input that the configuration states.
func (s *search) configured(m *Member, in graphops.NamedType) []Wire {
	if m.config == nil {
		return nil
	}
	if m.config.stage != nil {
		if wires := s.staged(m, in); len(wires) > 0 {
			return wires
		}
	}
	for i := range configRules {
		if wires := s.byKeys(&configRules[i], m, in); len(wires) > 0 {
			return wires
		}
	}
	return nil
}

// byKeys returns the wires into an input that one row of configRules states.
func (s *search) byKeys(row *configRule, m *Member, in graphops.NamedType) (wires []Wire) {
	layer, ok := layerOf(in.Name, m.config.inputs[row.in])
	if !ok || row.to != m.Role && m.Role != Stage {
		return nil
	}
	for _, from := range s.f.Members {
		if from.config == nil || from.Role != row.from && from.Role != Stage {
			continue
		}
		turn := row.turn
		if turn == Next && from != m {
			if !m.config.stage.continues(from.config.stage) {
				continue
			}
			turn = First
		}
		name := strings.Replace(from.config.outputs[row.out], "%d", layer, 1)
		if name == "" || typeOf(from.outputs, name).Kind != graphops.TypeTensor {
			continue
		}
		why := fmt.Sprintf("%s: %s and %s", m.config.file, row.out, row.in)
		wires = append(wires, Wire{From: Port{from, name}, To: Port{m, in.Name}, Evidence: ByConfiguration, Why: why, Turn: turn})
	}
	return wires
}

// continues reports whether a stage runs for every token after another one ran on the prompt.
func (s *stage) continues(other *stage) bool {
	return s != nil && other != nil && s.OnPrompt != nil && !*s.OnPrompt && other.OnTokenGen != nil && !*other.OnTokenGen
}

// layerOf returns the number in a name that follows a pattern with %d. For a pattern without %d it
// returns "".
func layerOf(name, pattern string) (layer string, ok bool) {
	before, after, numbered := strings.Cut(pattern, "%d")
	switch {
	case pattern == "":
		return "", false
	case !numbered:
		return "", name == pattern
	}
	rest, ok1 := strings.CutPrefix(name, before)
	layer, ok2 := strings.CutSuffix(rest, after)
	digits := strings.Trim(layer, "0123456789") == "" && layer != ""
	return layer, ok1 && ok2 && digits
}

// staged returns the wires between the stages of a decoder: the configuration lists the names of
// their ports, and equal names are one value.
func (s *search) staged(m *Member, in graphops.NamedType) (wires []Wire) {
	if len(m.config.stage.Inputs) > 0 && !slices.Contains(m.config.stage.Inputs, in.Name) {
		return nil
	}
	for _, from := range s.f.Members {
		if from == m {
			break // the stages run in the order of the configuration
		}
		if from.config == nil || from.config.stage == nil {
			continue
		}
		for _, out := range from.outputs {
			st := from.config.stage
			if out.Name != in.Name && st.Forwarder[out.Name] != in.Name || len(st.Outputs) > 0 && !slices.Contains(st.Outputs, out.Name) {
				continue
			}
			w := Wire{From: Port{from, out.Name}, To: Port{m, in.Name}, Evidence: ByConfiguration, Why: m.config.file + ": the stages of the decoder"}
			if st.OnTokenGen != nil && !*st.OnTokenGen {
				w.Turn = First
			}
			wires = append(wires, w)
		}
	}
	return wires
}

// missing reports the names of the configuration that a model lacks.
func (f *Folder) missing(m *Member) {
	if m.config == nil || m.Model == nil {
		return
	}
	check := func(what string, list []graphops.NamedType, names map[string]string) {
		for _, key := range sortedKeys(names) {
			pattern := names[key]
			if pattern == "" || slices.ContainsFunc(list, func(t graphops.NamedType) bool { _, ok := layerOf(t.Name, pattern); return ok }) {
				continue
			}
			f.problemOf(m, Warning, "%s: the %s %s is called %s, which the model does not have", m.config.file, what, key, graphops.ShortQuoted(pattern))
		}
	}
	if m.config.stage == nil {
		check("input", m.inputs, m.config.inputs)
		check("output", m.outputs, m.config.outputs)
		return
	}
	check("input", m.inputs, byThemselves(m.config.stage.Inputs))
	check("output", m.outputs, byThemselves(m.config.stage.Outputs))
}

func byThemselves(list []string) map[string]string {
	out := map[string]string{}
	for _, name := range list {
		out[name] = name
	}
	return out
}
