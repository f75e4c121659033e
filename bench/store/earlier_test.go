package store_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"lathe/bench/store"
	"lathe/graphops"
)

// TestEarlier: results of the same content come first, then those of a file of the same name, each
// the newest first; other models are left out.
func TestEarlier(t *testing.T) {
	f := store.Folder{Path: t.TempDir(), Now: time.Now}
	keep := func(minute int, runs ...string) {
		r := measured(t, 4, runs...)
		r.Time = noon.Add(time.Duration(minute) * time.Minute)
		r.Subjects[0].Settings["threads"] = "1"
		if _, err := f.Keep(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	keep(1, "a 8 1", "b 8 2")
	keep(2, "a 4 1")
	keep(3, "other 4 1")
	keep(4, "b 4 3")
	digests := 0
	list, err := f.Earlier(t.Context(), "/elsewhere/b", store.Asked{Digest: func() (graphops.Digest, error) {
		digests++
		return graphops.Digest{Structure: "5a", Content: "ca00000000"}, nil
	}})
	if err != nil || digests != 1 {
		t.Errorf("%v, %d digests", err, digests)
	}
	var got []string
	for _, e := range list {
		got = append(got, e.Time.Format("04")+" "+e.Conditions()+" "+e.Outcome()+map[bool]string{true: " other"}[e.Other])
	}
	want := "02 cpu, batch 4, 1 thread 1.000 ms\n01 cpu, batch 8, 1 thread 1.000 ms\n04 cpu, batch 4, 1 thread 3.000 ms other"
	if s := strings.Join(got, "\n"); s != want {
		t.Errorf("got\n%s\nwant\n%s", s, want)
	}
	if list[1].More != 1 {
		t.Errorf("%d more runs", list[1].More)
	}
	broken := errors.New("no weights")
	list, err = f.Earlier(t.Context(), "/elsewhere/b", store.Asked{Digest: func() (graphops.Digest, error) { return graphops.Digest{}, broken }})
	if !errors.Is(err, broken) || len(list) != 2 {
		t.Errorf("without a digest: %d results, %v", len(list), err)
	}
}

// TestEarlierMade: results of models that were made from the asked one are listed with the steps that made
// them, also if only the metadata of their file says so, which has no structure. Others of their kind are
// left out.
func TestEarlierMade(t *testing.T) {
	f := store.Folder{Path: t.TempDir(), Now: time.Now}
	asked := graphops.Digest{Structure: "5a", Content: "ca", Covers: graphops.CoversAll, WeightBytes: 4096}
	for i, o := range []*store.Origin{
		{Digest: asked, Steps: []string{"prune", "quantize dynamic"}},
		{Digest: graphops.Digest{Content: "ca", Covers: graphops.CoversAll}, Steps: []string{"export"}},
		{Digest: graphops.Digest{Content: "other", Covers: graphops.CoversAll}, Steps: []string{"export"}},
		{Digest: asked, Steps: []string{"a", "b", "c", "prune"}},
		nil,
	} {
		r := measured(t, 4, "made 1 2")
		r.Models[0].Origin, r.Time = o, noon.Add(time.Duration(i)*time.Minute)
		if _, err := f.Keep(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
	list, err := f.Earlier(t.Context(), "a", store.Asked{WeightBytes: asked.WeightBytes, Digest: func() (graphops.Digest, error) { return asked, nil }})
	var got []string
	for _, e := range list {
		got = append(got, e.Made())
	}
	if want := "after 4 steps, the last prune; after export; after prune, quantize dynamic"; err != nil || strings.Join(got, "; ") != want {
		t.Errorf("got %q, want %q, %v", got, want, err)
	}
}

// TestEarlierProfile: the time of a run is that of a run without profiling.
func TestEarlierProfile(t *testing.T) {
	f := store.Folder{Path: t.TempDir(), Now: time.Now}
	r := &store.Result{Kind: store.KindProfile, Time: noon, Models: []store.Model{{Path: "m"}}, Document: json.RawMessage(`{"plain_us": 2500, "sizes": {"batch": 8}}`)}
	r.Subjects = []store.Subject{{Name: "m", Settings: store.Settings{"provider": "cpu"}}}
	if _, err := f.Keep(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if got, want := r.Named(noon.AddDate(1, 0, 0)), "profile of "+noon.Local().Format("2 Jan 2006")+", cpu, batch=8"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	list, err := f.Earlier(t.Context(), "m", store.Asked{})
	if err != nil || len(list) != 1 || list[0].Outcome() != "2.500 ms" || list[0].Conditions() != "cpu, batch=8" {
		t.Errorf("%+v, %v", list, err)
	}
}

// TestHistoryOfProfiles lists the time of a run without profiling. A trace of ONNX Runtime has none, and
// a time that is not possible counts as none.
func TestHistoryOfProfiles(t *testing.T) {
	for document, want := range map[string]string{
		`{"plain_us": 2500, "plain_ci95_us": [2400, 2600], "noise": "noisy: few runs"}`: "2.500 ms 2.400 … 2.600 noisy",
		`{"plain_us": 2500, "plain_ci95_us": null}`:                                     "2.500 ms",
		`{"nodes": []}`:      "profile m - - - -",
		`{"plain_us": -1}`:   "profile m - - - -",
		`{"plain_us": 1e30}`: "profile m - - - -",
		`{"plain_us": "x"}`:  "profile m - - - -",
	} {
		f := store.Folder{Path: t.TempDir(), Now: time.Now}
		r := &store.Result{Kind: store.KindProfile, Time: noon, Models: []store.Model{{Path: "m"}}, Document: json.RawMessage(document)}
		if _, err := f.Keep(t.Context(), r); err != nil {
			t.Fatal(err)
		}
		h, err := f.History(t.Context(), store.Query{All: true})
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := h.WriteText(&b); err != nil || !strings.Contains(strings.Join(strings.Fields(b.String()), " "), want) {
			t.Errorf("%s: %v\n%s", document, err, b.String())
		}
	}
}

func TestWhen(t *testing.T) {
	now := time.Date(2026, 11, 27, 18, 0, 0, 0, time.Local)
	for want, at := range map[string]time.Time{
		"17:59:01": now.Add(-59 * time.Second), "26 Nov 18:00": now.AddDate(0, 0, -1), "27 Nov 2025": now.AddDate(-1, 0, 0),
	} {
		if got := store.When(at, now); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
