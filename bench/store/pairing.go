package store

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Difference is a condition of a measurement, such as a setting, that differs from the baseline's.
// An empty value means that the option was left to the runtime.
type Difference struct {
	What     string `json:"what"`
	Baseline string `json:"baseline"`
	Here     string `json:"here"`
}

func (d Difference) String() string {
	return fmt.Sprintf("%s: %s in the baseline, %s here", d.What, orUnset(d.Baseline), orUnset(d.Here))
}

func orUnset(v string) string {
	if v == "" {
		return "not set"
	}
	return fmt.Sprintf("%q", v)
}

// Pairing says which subject of a measurement is compared with which subject of a baseline.
type Pairing struct {
	Pairs []Pair
	// Differences lists the conditions that differ from the baseline and change the meaning of the
	// numbers: properties of the machine, and settings and input shapes of the pairs.
	Differences []Difference
	// OnlyBaseline and OnlyHere are the names of the subjects that are in no pair.
	OnlyBaseline, OnlyHere []string
}

// Pair is a subject of the baseline and one of this measurement, by index.
type Pair struct{ Baseline, Here int }

// Problem says why the measurement must not be compared with the baseline, or returns "". If
// different is set, differences between the two are accepted.
func (p Pairing) Problem(different bool) string {
	var list []string
	switch {
	case len(p.Pairs) == 0:
		return fmt.Sprintf("no run of it has the settings of a run of this measurement: it has %s, and this one %s", strings.Join(p.OnlyBaseline, ", "), strings.Join(p.OnlyHere, ", "))
	case different:
		return ""
	}
	for _, d := range p.Differences {
		list = append(list, d.String())
	}
	return strings.Join(list, "; ")
}

// PairUp finds for each subject of a measurement the subject of the baseline that it is compared
// with.
//
// Models are paired if they have the same content, else the same path, else the same file name. If
// one model is left on both sides, these two are paired. Within a model, subjects with the same
// provider chain, batch and number of threads are paired. The number of threads counts only if one
// side was measured with several. If nothing is paired and each side has one subject, these two are
// paired, and the differences are listed.
func PairUp(baseline, here *Result) Pairing {
	p := Pairing{Differences: differingTraits(baseline.Machine, here.Machine)}
	usedB, usedH := make([]bool, len(baseline.Subjects)), make([]bool, len(here.Subjects))
	for _, models := range pairModels(baseline.Models, here.Models) {
		of := func(r *Result, model int) (list []int) {
			for i, s := range r.Subjects {
				if s.Model == model {
					list = append(list, i)
				}
			}
			return list
		}
		was, is := of(baseline, models.Baseline), of(here, models.Here)
		for _, pair := range pairSubjects(baseline, here, was, is) {
			usedB[pair.Baseline], usedH[pair.Here] = true, true
			p.Pairs = append(p.Pairs, pair)
			p.differ(baseline.Subjects[pair.Baseline].Settings, here.Subjects[pair.Here].Settings)
			p.differInShape(baseline.Subjects[pair.Baseline].Shapes, here.Subjects[pair.Here].Shapes)
		}
	}
	for i, s := range baseline.Subjects {
		if !usedB[i] {
			p.OnlyBaseline = append(p.OnlyBaseline, s.title())
		}
	}
	for i, s := range here.Subjects {
		if !usedH[i] {
			p.OnlyHere = append(p.OnlyHere, s.title())
		}
	}
	return p
}

// title returns the name of a subject followed by its settings that are in sweeps.
func (s Subject) title() string {
	var of []string
	for _, key := range sweeps {
		if v := s.Settings[key]; v != "" {
			of = append(of, key+" "+v)
		}
	}
	if len(of) == 0 {
		return s.Name
	}
	return s.Name + " (" + strings.Join(of, ", ") + ")"
}

// sweeps lists the settings that identify a subject within a measurement, because one command can
// measure several values of them.
var sweeps = []string{SettingEP, SettingBatch, SettingThreads}

// differ adds the settings that differ to p.Differences, each difference once.
func (p *Pairing) differ(was, is Settings) {
	for _, name := range namesOf(was, is) {
		p.add(Difference{name, was[name], is[name]})
	}
}

// differInShape adds the inputs whose shapes differ to p.Differences. It ignores inputs whose shape
// is not known on both sides.
func (p *Pairing) differInShape(was, is Shapes) {
	for _, name := range slices.Sorted(maps.Keys(is)) {
		if old := was.text(name); old != "" {
			p.add(Difference{"shape of " + name, old, is.text(name)})
		}
	}
}

func (p *Pairing) add(d Difference) {
	if d.Baseline != d.Here && !slices.Contains(p.Differences, d) {
		p.Differences = append(p.Differences, d)
	}
}

// differingTraits returns the traits in which two machines differ.
func differingTraits(was, is Machine) []Difference {
	if was.ID == is.ID && was.ID != "" {
		return nil
	}
	old, now := Settings{}, Settings{}
	for _, t := range was.Traits() {
		old[t.Name] = t.Value
	}
	for _, t := range is.Traits() {
		now[t.Name] = t.Value
	}
	p := Pairing{}
	p.differ(old, now)
	for i := range p.Differences {
		p.Differences[i].What = "machine: " + p.Differences[i].What
	}
	return p.Differences
}

// pairModels returns pairs of the indices of corresponding models: see PairUp.
func pairModels(baseline, here []Model) []Pair {
	var out []Pair
	usedB, usedH := map[int]bool{}, map[int]bool{}
	match := func(same func(a, b Model) bool) {
		for i, b := range here {
			for j, a := range baseline {
				if !usedH[i] && !usedB[j] && same(a, b) {
					usedH[i], usedB[j] = true, true
					out = append(out, Pair{j, i})
				}
			}
		}
	}
	match(func(a, b Model) bool { return a.Same(b) && a.Path == b.Path })
	match(Model.Same)
	match(func(a, b Model) bool { return a.Path == b.Path })
	match(func(a, b Model) bool { return path.Base(a.Path) == path.Base(b.Path) })
	if len(here)-len(usedH) == 1 && len(baseline)-len(usedB) == 1 {
		match(func(Model, Model) bool { return true })
	}
	return out
}

// pairSubjects returns pairs of corresponding subjects of one model. was and is are the indices of
// its subjects in baseline and here.
func pairSubjects(baseline, here *Result, was, is []int) []Pair {
	var out []Pair
	taken := map[int]bool{}
	same := sweeps
	if isConstant(baseline, was, SettingThreads) && isConstant(here, is, SettingThreads) {
		same = slices.DeleteFunc(slices.Clone(sweeps), func(key string) bool { return key == SettingThreads })
	}
	for _, i := range is {
		for _, j := range was {
			if !taken[j] && areEqual(same, baseline.Subjects[j].Settings, here.Subjects[i].Settings) {
				taken[j] = true
				out = append(out, Pair{j, i})
				break
			}
		}
	}
	if len(out) == 0 && len(was) == 1 && len(is) == 1 {
		return []Pair{{was[0], is[0]}}
	}
	return out
}

// areEqual reports whether two subjects have the same values of some settings.
func areEqual(keys []string, a, b Settings) bool {
	return !slices.ContainsFunc(keys, func(key string) bool { return a[key] != b[key] })
}

// isConstant reports whether some subjects all have the same value of a setting.
func isConstant(r *Result, subjects []int, key string) bool {
	return !slices.ContainsFunc(subjects, func(i int) bool {
		return r.Subjects[i].Settings[key] != r.Subjects[subjects[0]].Settings[key]
	})
}
