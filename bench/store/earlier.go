package store

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lathe/bench"
	"lathe/graphops"
	"lathe/graphops/dim"
)

// Earlier is a stored result of a model, as a list shows it.
type Earlier struct {
	Entry // of the model, or of the first run of it
	// Other is set if the model had other content, and only its file has the same name.
	Other bool
	// More is how many more runs the result has.
	More  int
	Sizes dim.Sizes // that the free axes had, if the result says so
}

// maxEarlier is the maximum number of files among which results of a model are searched for.
const maxEarlier = 2000

// Earlier lists the stored results of a model: first those of the same content, then those of
// another content in a file of the same name, each the newest first. digest computes the digest of the
// model, which is only compared with models of its size; it is called at most once.
func (f Folder) Earlier(ctx context.Context, path string, bytes int64, digest func() (graphops.Digest, error)) ([]Earlier, error) {
	var here *Model
	var fault error
	isSame := func(m Model) bool {
		if m.Bytes != bytes || m.Structure == "" || fault != nil {
			return false
		}
		if here == nil {
			d, err := digest()
			if err != nil {
				fault = err
				return false
			}
			here = &Model{Digest: d}
		}
		return here.Same(m)
	}
	var same, named []Earlier
	files := 0
	err := f.eachNamed(ctx, func(string) bool { files++; return files <= maxEarlier }, func(_ string, r *Result, err error) {
		if err != nil {
			return // History reports it
		}
		at := slices.IndexFunc(r.Models, isSame)
		isOther := at < 0
		if isOther {
			at = slices.IndexFunc(r.Models, func(m Model) bool { return path != "" && filepath.Base(m.Path) == filepath.Base(path) })
		}
		if at < 0 {
			return
		}
		e, ok := earlierOf(r, at)
		e.Other = isOther
		switch {
		case !ok:
		case isOther:
			named = append(named, e)
		default:
			same = append(same, e)
		}
	})
	if err == nil {
		err = fault
	}
	return append(same, named...), err
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
