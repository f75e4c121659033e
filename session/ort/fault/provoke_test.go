//go:build cgo

package fault_test

import (
	"cmp"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops/execution"
	"lathe/session/ort"
	"lathe/session/ort/fault"
)

var record = flag.Bool("record", false, "keep what the runtime that is found says in testdata/texts.txt")

// provoke loads and runs a broken model and returns what the runtime says of it;
// the phase is "none" where that is nothing.
func (b *broken) provoke(t *testing.T, client *ort.Client, version string) (said, error) {
	t.Helper()
	folder := t.TempDir()
	level, err := ort.ParseOptimization(b.opt)
	if err != nil {
		t.Fatal(err)
	}
	session, err := client.Load(t.Context(), ort.Model{Path: b.write(t, folder)}, ort.SessionOptions{Optimization: level, IntraThreads: 1})
	if err == nil {
		err = session.Run(t.Context(), b.feeds, nil, func(execution.Got) error { return nil })
		_ = session.Close()
	}
	var refused *ort.Error
	if !errors.As(err, &refused) {
		return said{name: b.name, version: version, phase: "none"}, err
	}
	phase := "load"
	if refused.Phase == ort.Running {
		phase = "run"
	}
	text := strings.ReplaceAll(refused.Message, folder, "/folder")
	return said{b.name, version, phase, int(refused.Code), strings.TrimRight(text, "\n")}, nil
}

// TestProvoke breaks every model anew. What the runtime that is found says must
// mean what a recorded text of the same model means: a version that words a fault
// in another way fails here, and is then recorded with
//
//	LATHE_ORT_LIB=… go test ./session/ort/fault -run TestProvoke -args -record
//	go test ./session/ort/fault -update
func TestProvoke(t *testing.T) {
	client := start(t)
	version := client.Info().LibraryVersion
	recorded := readTexts(t, "texts.txt")
	var fresh []said
	for _, b := range readBroken(t) {
		s, err := b.provoke(t, client, version)
		if err != nil { // some versions crash on some models
			t.Logf("%s: %v", b.name, err)
			client = start(t)
		}
		fresh = append(fresh, s)
		if !*record {
			compareMeaning(t, s, recorded)
		}
	}
	if *record {
		keepTexts(t, version, recorded, fresh)
	}
}

// compareMeaning fails where no recorded text of the model means the same; the
// texts of the same version count alone, if there are any.
func compareMeaning(t *testing.T, s said, recorded []said) {
	t.Helper()
	var same, others []string
	for _, r := range recorded {
		if r.name == s.name {
			others = append(others, meaning(r))
			if r.version == s.version {
				same = append(same, meaning(r))
			}
		}
	}
	if len(same) > 0 {
		others = same
	}
	if got := meaning(s); !slices.Contains(others, got) {
		t.Errorf("%s: version %s says something else (see TestProvoke):\n%s\nwhich is read as\n%s\nand not as\n%s", s.name, s.version, s.text, got, strings.Join(others, "or\n"))
	}
}

// meaning is what is read off a text, without the words themselves.
func meaning(s said) string {
	if s.phase == "none" {
		return "nothing"
	}
	f := fault.Parse(s.code, s.text)
	f.Detail = ""
	return describe(f)
}

// keepTexts puts the texts of a version in place of those that were kept of it.
func keepTexts(t *testing.T, version string, recorded, fresh []said) {
	t.Helper()
	rank := map[string]int{}
	for i, s := range fresh {
		rank[s.name] = i + 1
	}
	recorded = slices.DeleteFunc(recorded, func(s said) bool { return s.version == version || rank[s.name] == 0 })
	recorded = append(recorded, fresh...)
	slices.SortFunc(recorded, func(a, b said) int {
		return cmp.Or(cmp.Compare(rank[a.name], rank[b.name]), cmp.Compare(a.version, b.version))
	})
	if err := os.WriteFile(filepath.Join("testdata", "texts.txt"), []byte(writeTexts(recorded)), 0o644); err != nil {
		t.Fatal(err)
	}
}
