//go:build parity

package shape_test

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"lathe/graphops"
	"lathe/graphops/reference"
)

// enough is the part of the dimensions known to any referee that must be known
// here.
const enough = 0.98

// TestParity compares with what others infer, none of them told what the file
// says of values that nodes make.
func TestParity(t *testing.T) {
	r := startReferees(t)
	j := &judge{exceptions: exceptions}
	judged, all := map[string]bool{}, newTally()
	corpora := []reference.Corpus{reference.Testdata, reference.Shared, reference.Debian}
	if c := reference.Others(); c != reference.Debian {
		corpora = append(corpora, c)
	}
	for _, c := range corpora {
		t.Run(c.Name, func(t *testing.T) {
			sum := newTally()
			for _, path := range c.Models(t) {
				m, err := graphops.Open(path, graphops.OpenOptions{})
				if err != nil {
					continue // it is broken, as the tests of opening tell
				}
				a := r.ask(t, path)
				if a.Error != nil {
					t.Logf("%s: no referee reads it: %s", path, *a.Error)
				}
				one := j.hear(path, a, graphsOf(m, infer(t, m)))
				if one.share() < enough {
					t.Logf("%s: %.1f %% of %d dimensions", path, 100*one.share(), one.dims[0])
				}
				sum.add(one)
			}
			judged[c.Name] = true
			report(t, sum)
			all.add(sum)
		})
	}
	t.Logf("all: %s", all)
	for _, e := range exceptions {
		t.Logf("excused %s", e)
	}
	for _, e := range j.stale(judged) {
		t.Errorf("an exception that excuses nothing: %s", e)
	}
}

// report fails the test for every contradiction, and where too little is known.
func report(t *testing.T, sum *tally) {
	t.Helper()
	t.Logf("%s\nknown to others only, by operator:%s", sum, sum.misses(40))
	const most = 60
	for _, f := range sum.findings[:min(most, len(sum.findings))] {
		t.Error(f)
	}
	if n := len(sum.findings); n > most {
		t.Errorf("and %d more contradictions", n-most)
	}
	if sum.share() < enough {
		t.Errorf("%.2f %% of the dimensions that any referee knows are known, %.0f %% expected", 100*sum.share(), 100*enough)
	}
}

// referee is a running testdata/referee.py with the answers that it once gave.
// They are kept in the user's cache: the slowest referee takes minutes.
type referee struct {
	python *reference.Python
	key    []byte // what an answer depends on besides the model
	folder string
}

// limit is how many seconds a referee gets for a model.
const limit = 60

func startReferees(t *testing.T) *referee {
	t.Helper()
	const script = "testdata/referee.py"
	r := &referee{python: reference.Start(t, script)}
	var hello json.RawMessage // the versions of the packages
	r.python.Read(t, &hello)
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	r.key = append(text, hello...)
	r.folder = filepath.Join(cache, "lathe", "parity", "shape-answers")
	if err := os.MkdirAll(r.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	return r
}

// ask returns what the referees say of a model.
func (r *referee) ask(t *testing.T, path string) (a answers) {
	t.Helper()
	h := sha256.New()
	h.Write(r.key)
	model, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h.Write(model)
	kept := filepath.Join(r.folder, fmt.Sprintf("%x.json", h.Sum(nil)))
	if b, err := os.ReadFile(kept); err == nil && json.Unmarshal(b, &a) == nil {
		return a
	}
	var answer json.RawMessage
	r.python.Ask(t, map[string]any{"model": path, "hide_outputs": true, "seconds": limit}, &answer)
	if err := json.Unmarshal(answer, &a); err != nil {
		t.Fatal(err)
	}
	partial := kept + ".partial"
	if err := os.WriteFile(partial, answer, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(partial, kept); err != nil {
		t.Fatal(err)
	}
	return a
}
