package bench

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"lathe/bench/machine"
	"lathe/session/text"
)

// brief maps kinds of warning to a few words for a headline. Warnings of other kinds do not appear
// in headlines.
var brief = map[Kind]string{
	FewRuns:                     "few runs",
	FewBlocks:                   "too few blocks for an interval",
	CutShort:                    "broken off",
	Unsteady:                    "not warm yet",
	Drift:                       "it drifted",
	Spread:                      "blocks far apart",
	Outliers:                    "many outliers",
	Imprecise:                   "wide interval",
	BusyBefore:                  "busy machine",
	Growing:                     "growing memory",
	Overload:                    "overloaded",
	Kind(machine.OtherWork):     "busy machine",
	Kind(machine.Frequency):     "changing frequency",
	Kind(machine.Heat):          "hot processor",
	Kind(machine.Throttled):     "throttled processor",
	Kind(machine.Stolen):        "busy host",
	Kind(machine.Swapped):       "swapping",
	Kind(machine.DeviceSlowed):  "slowed device",
	Kind(machine.DeviceClock):   "changing device clock",
	Kind(machine.DeviceSharing): "shared device",
}

// rankOf sorts the reasons of a headline: what makes the numbers wrong comes before what only makes them
// uncertain. With a busy machine, two threads can take longer than one.
func rankOf(reason string) int {
	switch {
	case reason == brief[CutShort]:
		return 0
	case slices.ContainsFunc(waits, func(k Kind) bool { return brief[k] == reason }):
		return 1
	}
	return 2
}

// Noise says in a few words why the times of runs may be inaccurate. names selects the runs by
// name; without names Noise covers all. The result is empty if the runs are steady and the machine
// was idle.
func (r *Report) Noise(names ...string) string { return r.noise(nil, names) }

// PairNoise is Noise for the two runs of a comparison. Its first reason is that the ratio of the
// medians is not that of the rounds, if it is not.
func (r *Report) PairNoise(c Comparison) string {
	var first []string
	if c.IsApart() {
		first = []string{"the machine's speed changed"}
	}
	return r.noise(first, []string{c.A, c.B})
}

// noise says why the times of the runs with some names may be inaccurate. list are the first reasons.
func (r *Report) noise(list, names []string) string {
	add := func(warnings []Warning) {
		for _, w := range warnings {
			if said := brief[w.Kind]; said != "" && !slices.Contains(list, said) {
				list = append(list, said)
			}
		}
	}
	noisy, spread, firsts := false, 0.0, len(list)
	for _, run := range r.Runs {
		if len(names) > 0 && !slices.Contains(names, run.Name) {
			continue
		}
		add(run.Warnings)
		noisy, spread = noisy || isNoisy(run), max(spread, run.spread())
	}
	add(slices.DeleteFunc(slices.Clone(r.Warnings), func(w Warning) bool { return w.Kind != BusyBefore }))
	slices.SortStableFunc(list[firsts:], func(a, b string) int { return cmp.Compare(rankOf(a), rankOf(b)) })
	if len(list) == 0 && noisy {
		return "noisy"
	}
	return saidNoisy(list, spread)
}

// spread is how much the block medians of a run vary: their interquartile range, relative to their
// median. It is 0 if there are too few of them.
func (r *Run) spread() float64 {
	if len(r.BlockMedians) < enoughBlocks {
		return 0
	}
	medians := make([]float64, len(r.BlockMedians))
	for i, m := range r.BlockMedians {
		medians[i] = float64(m)
	}
	return relativeSpread(medians)
}

// isNoisy reports whether the verdict of a run is that it is noisy. A run without a verdict does
// not count as noisy; only files that were edited contain such runs.
func isNoisy(run Run) bool { return strings.HasPrefix(run.Verdict, "noisy") }

// mostReasons limits how many reasons a headline lists. The verdict lists all.
const mostReasons = 3

// saidNoisy says how noisy runs are, if it is 1 % or more, and why.
func saidNoisy(reasons []string, spread float64) string {
	if len(reasons) == 0 {
		return ""
	}
	by := ""
	if spread >= 0.01 && spread < 1e4 {
		by = fmt.Sprintf(" by %.0f %%", 100*spread)
	}
	said := "noisy" + by + ": " + strings.Join(reasons[:min(len(reasons), mostReasons)], ", ")
	if more := len(reasons) - mostReasons; more > 0 {
		said += fmt.Sprintf(" and %s", text.Plural(more, "more reason"))
	}
	return said
}

// withNoise appends what Noise returned to a headline.
func withNoise(headline, noise string) string {
	if noise == "" {
		return headline
	}
	return headline + "; " + noise
}

// waits are the kinds of warnings that a quieter machine resolves; longer are those that more runs
// resolve.
var (
	waits  = []Kind{BusyBefore, Kind(machine.OtherWork), Kind(machine.Stolen), Kind(machine.Swapped), Kind(machine.DeviceSharing)}
	longer = []Kind{FewRuns, FewBlocks, CutShort, Unsteady, Drift, Spread, Imprecise}
)

// Advice says what makes a noisy measurement more certain, in one line. It is empty if the runs are
// steady, or if there is no general advice.
func (r *Report) Advice() string {
	var parts []string
	if r.warnsOf(waits) {
		parts = append(parts, "end other work on this machine")
	}
	if r.WantsLonger() {
		parts = append(parts, "measure longer with --seconds")
	}
	if len(parts) == 0 {
		return ""
	}
	out := "for more certain times: " + strings.Join(parts, ", ")
	if len(r.Runs) == 1 {
		out += "; to compare two settings, measure both in one command: their runs alternate"
	}
	return out
}

// WantsLonger reports whether a longer measurement can give more certain times.
func (r *Report) WantsLonger() bool { return r.warnsOf(longer) }

// warnsOf reports whether a run, or the whole report, has a warning of one of some kinds.
func (r *Report) warnsOf(kinds []Kind) bool {
	is := func(w Warning) bool { return slices.Contains(kinds, w.Kind) }
	return slices.ContainsFunc(r.Warnings, is) || slices.ContainsFunc(r.Runs, func(run Run) bool { return slices.ContainsFunc(run.Warnings, is) })
}
