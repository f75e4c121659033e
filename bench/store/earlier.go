package store

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lathe/bench"
	"lathe/graphops/dim"
)

// Earlier is a stored result of a model, as a list shows it.
type Earlier struct {
	Entry // of the model, or of the first run of it
	// Other is set if the model had other content, and only its file has the same name.
	Other bool
	// After are the names of the steps that made the measured model from the one that is asked about. It
	// is empty if that one was measured.
	After []string
	// More is how many more runs the result has.
	More  int
	Sizes dim.Sizes // that the free axes had, if the result says so
}

// maxEarlier is the maximum number of files among which results of a model are searched for.
const maxEarlier = 2000

// Earlier lists the stored results of a model: first those of the same content and of models that were
// made from it, then those of another content in a file of the same name, each the newest first.
func (f Folder) Earlier(ctx context.Context, path string, asked Asked) ([]Earlier, error) {
	var same, named []Earlier
	known := identified{Asked: asked}
	files := 0
	err := f.eachNamed(ctx, func(string) bool { files++; return files <= maxEarlier }, func(_ string, r *Result, err error) {
		if err != nil {
			return // History reports it
		}
		switch e, found, ok := known.earlier(path, r); {
		case !ok:
		case found:
			same = append(same, e)
		default:
			e.Other = true
			named = append(named, e)
		}
	})
	return append(same, named...), cmp.Or(err, known.fault)
}

// earlier returns what a list shows of a result. found is set if the result is of the model that is
// asked about, or of one that was made from it, and not only of a file of its name.
func (d *identified) earlier(path string, r *Result) (e Earlier, found, ok bool) {
	var after []string
	at := slices.IndexFunc(r.Models, d.is)
	if at < 0 {
		if at = slices.IndexFunc(r.Models, d.isOrigin); at >= 0 {
			after = r.Models[at].Origin.Steps
		}
	}
	found = at >= 0
	if !found {
		at = slices.IndexFunc(r.Models, func(m Model) bool { return path != "" && filepath.Base(m.Path) == filepath.Base(path) })
	}
	if at < 0 {
		return e, false, false
	}
	e, ok = earlierOf(r, at)
	e.After = after
	return e, found, ok
}

// Named says when a result was measured and with what, such as "profile of 27 Nov 18:03, cpu, batch=8,
// 1 thread".
func (r *Result) Named(now time.Time) string {
	out := r.Kind + " of " + When(r.Time, now)
	if len(r.Models) == 0 {
		return out
	}
	if e, ok := earlierOf(r, len(r.Models)-1); ok && e.Conditions() != "" {
		out += ", " + e.Conditions()
	}
	return out
}

// earlierOf returns what a list shows of a result for one of its models.
func earlierOf(r *Result, model int) (Earlier, bool) {
	entries, err := entriesOf(r)
	if err != nil || len(entries) == 0 {
		return Earlier{}, false
	}
	at := max(slices.IndexFunc(entries, func(e placed) bool { return e.model == model }), 0)
	out := Earlier{Entry: entries[at].Entry, More: len(entries) - 1}
	var said struct {
		Sizes dim.Sizes `json:"sizes"`
		Runs  []struct {
			Sizes dim.Sizes `json:"sizes"`
		} `json:"runs"`
	}
	if json.Unmarshal(r.Document, &said) != nil {
		return out, true // what is above does not need it
	}
	out.Sizes = said.Sizes
	if at < len(said.Runs) && r.Kind == KindBench {
		out.Sizes = said.Runs[at].Sizes
	}
	return out, true
}

// When returns the local time in few letters: the time of today, or the day, with the year if it is not this
// year's.
func When(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	switch {
	case t.Year() != now.Year():
		return t.Format("2 Jan 2006")
	case t.YearDay() == now.YearDay():
		return t.Format("15:04:05")
	}
	return t.Format("2 Jan 15:04")
}

// Setting returns a setting of the run, or other if it was left to the runtime.
func (e Earlier) Setting(name, other string) string {
	if v := e.Settings[name]; v != "" {
		return v
	}
	return other
}

// mostSteps is how many steps Made names.
const mostSteps = 3

// Made says how the measured model was made from the one that is asked about, such as "after prune,
// quantize dynamic". It is "" if that one was measured.
func (e Earlier) Made() string {
	switch n := len(e.After); {
	case n == 0:
		return ""
	case n > mostSteps:
		return fmt.Sprintf("after %d steps, the last %s", n, e.After[n-1])
	}
	return "after " + strings.Join(e.After, ", ")
}

// Conditions returns the provider, the sizes, the batch and the threads in words, such as "cpu, batch=8,
// sequence=64, 1 thread".
func (e Earlier) Conditions() string {
	words := []string{e.Setting(SettingProvider, e.Setting(SettingEP, ""))}
	seen := false
	for _, s := range e.Sizes[:min(len(e.Sizes), mostConditions)] {
		words = append(words, fmt.Sprintf("%s=%d", s.Name, s.N))
		seen = seen || fmt.Sprint(s.N) == e.Settings[SettingBatch]
	}
	if n := e.Settings[SettingBatch]; !seen && n != "" && n != "1" {
		words = append(words, "batch "+n)
	}
	switch n := e.Settings["threads"]; n {
	case "":
	case "1":
		words = append(words, "1 thread")
	default:
		words = append(words, n+" threads")
	}
	if mode := e.Settings["mode"]; mode != "" {
		words = append(words, mode)
	}
	return strings.Join(slices.DeleteFunc(words, func(w string) bool { return w == "" }), ", ")
}

// mostConditions is how many sizes are named.
const mostConditions = 4

// Outcome returns the median time with its interval, or the verdict.
func (e Earlier) Outcome() string {
	var words []string
	if e.Judged != "" {
		words = append(words, e.Judged)
	}
	if e.P50 != nil {
		words = append(words, bench.MedianText(*e.P50, e.CI95))
	}
	switch {
	case e.BrokenOff:
		words = append(words, "broken off")
	case e.Noise != "" && e.P50 != nil:
		words = append(words, "noisy")
	}
	return strings.Join(words, ", ")
}
