package store

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// series are the entries that one chart shows, the oldest first: one model on one machine, measured
// with the same settings. Entries that differ in anything that determines what is measured are
// never in the same series.
type series struct {
	title   string
	entries []Entry
}

// measured is everything in which the entries of a series have to be equal, including the version
// of ONNX Runtime and the shapes of the inputs.
type measured struct {
	Kind, Absolute, Model, Machine string
	Settings                       Settings
	Shapes                         Shapes
}

// key returns a text that is equal for entries of the same series.
func (e Entry) key() string {
	m := measured{e.Kind, e.Absolute, e.Model, e.MachineID, e.Settings, e.Shapes}
	if e.Absolute != "" {
		m.Model = "" // how the path was written does not matter
	}
	b, _ := json.Marshal(m) // cannot fail for texts and numbers
	return string(b)
}

// seriesOf groups entries into series, ordered by their newest entries.
func seriesOf(entries []Entry) []*series {
	var out []*series
	at := map[string]*series{}
	for _, e := range entries {
		key := e.key()
		if at[key] == nil {
			at[key] = &series{}
			out = append(out, at[key])
		}
		at[key].entries = append(at[key].entries, e)
	}
	varied := variedOf(entries)
	for _, s := range out {
		s.title = s.entries[0].title(varied[s.entries[0].Absolute])
		slices.Reverse(s.entries)
	}
	return out
}

// title returns the title of the entry's series: the model, the provider, and the settings and
// shapes in which results of this model differ.
func (e Entry) title(v *varied) string {
	var of []string
	if e.Kind != KindBench {
		of = append(of, e.Kind)
	}
	of = append(of, e.words(func(name string) bool { return slices.Contains(always, name) || v.settings[name] })...)
	for _, name := range slices.Sorted(maps.Keys(v.shapes)) {
		if s := e.Shapes.text(name); s != "" {
			of = append(of, name+" "+s)
		}
	}
	return strings.TrimSpace(e.Model + " " + strings.Join(of, ", "))
}

// always lists the settings that a title contains even if they are equal in all results.
var always = []string{SettingProvider, SettingBatch, "mode"}

// words returns the settings whose names are wanted, as texts such as "batch 8". The provider comes
// first, as its value only.
func (e Entry) words(wanted func(name string) bool) []string {
	var out []string
	for _, name := range e.Settings.Names() {
		switch v := e.Settings[name]; {
		case !wanted(name) || v == "":
		case name == SettingEP && v == e.Settings[SettingProvider]:
		case name == SettingProvider:
			out = append([]string{v}, out...)
		default:
			out = append(out, name+" "+v)
		}
	}
	return out
}

// varied contains the names of the settings, and of the inputs whose shapes, differ between results
// of a model.
type varied struct {
	settings, shapes map[string]bool
	first            Entry
}

// variedOf returns what varies between the results of each model, by the model's absolute path.
func variedOf(entries []Entry) map[string]*varied {
	out := map[string]*varied{}
	for _, e := range entries {
		v := out[e.Absolute]
		if v == nil {
			out[e.Absolute] = &varied{map[string]bool{}, map[string]bool{}, e}
			continue
		}
		for _, name := range namesOf(e.Settings, v.first.Settings) {
			v.settings[name] = v.settings[name] || e.Settings[name] != v.first.Settings[name]
		}
		for _, shapes := range []Shapes{e.Shapes, v.first.Shapes} {
			for name := range shapes {
				if !slices.Equal(e.Shapes[name], v.first.Shapes[name]) {
					v.shapes[name] = true
				}
			}
		}
	}
	return out
}

// shortSettings is the largest number of characters of the settings in a table.
const shortSettings = 120

// settingsText writes the settings on one line, and the shapes of inputs that differ from those of
// other results.
func (e Entry) settingsText(v *varied) string {
	words := e.words(func(string) bool { return true })
	for _, name := range slices.Sorted(maps.Keys(v.shapes)) {
		words = append(words, name+" "+cmp.Or(e.Shapes.text(name), "of unknown shape"))
	}
	said := []rune(strings.Join(words, ", "))
	if len(said) > shortSettings {
		return string(said[:shortSettings-1]) + "…"
	}
	return string(said)
}
