package store

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// Difference is what was not as it is now. An empty value stands for what was left to the
// runtime.
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

// Pairing says what of a measurement is compared with what of a baseline.
type Pairing struct {
	Pairs []Pair
	// Differences are those for which numbers mean something else: the machine, and settings
	// of any pair.
	Differences []Difference
	// OnlyBaseline and OnlyHere are the subjects that have no counterpart.
	OnlyBaseline, OnlyHere []string
}

// Pair is a subject of the baseline and one of here, by their places.
type Pair struct{ Baseline, Here int }

// Problem says why the two are not to be compared, "" where they are. Differences are let
// pass where different is set.
func (p Pairing) Problem(different bool) string {
	var list []string
	switch {
	case len(p.Pairs) == 0:
		return fmt.Sprintf("nothing measured here is in it: it has %s, measured is %s", strings.Join(p.OnlyBaseline, ", "), strings.Join(p.OnlyHere, ", "))
	case different:
		return ""
	}
	for _, d := range p.Differences {
		list = append(list, d.String())
	}
	return strings.Join(list, "; ")
}

// PairUp finds for every subject the one of the baseline that it is to be compared with.
//
// Models belong together that hold the same, else that have the same path, else the same
// file name; and where one is left on both sides, those two. Under a model the subjects of
// one chain of providers and one batch do; where that finds none and there is one subject on
// both sides, those two, so that what differs is told by name.
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

// title names a subject with what a sweep sets.
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

// sweeps are the settings that one measurement can have several values of.
var sweeps = []string{SettingEP, SettingBatch}

// differ adds the settings that differ, each difference once.
func (p *Pairing) differ(was, is Settings) {
	for _, name := range namesOf(was, is) {
		p.add(Difference{name, was[name], is[name]})
	}
}

// differInShape adds the inputs whose shapes are known of both and differ.
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

// differingTraits are those of two machines.
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

// pairModels gives places of models that belong together.
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

// pairSubjects pairs subjects of one model.
func pairSubjects(baseline, here *Result, was, is []int) []Pair {
	var out []Pair
	taken := map[int]bool{}
	for _, i := range is {
		for _, j := range was {
			if !taken[j] && sameSweep(baseline.Subjects[j].Settings, here.Subjects[i].Settings) {
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

func sameSweep(a, b Settings) bool {
	return !slices.ContainsFunc(sweeps, func(key string) bool { return a[key] != b[key] })
}
