//go:build cgo && soak

package crashtest_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/graphtest/mutate"
	"lathe/graphops/onnxpb"
	"lathe/session/ort"
	"lathe/session/ort/crashtest"
)

var (
	huntFor  = flag.Duration("hunt", 0, "mutants: look for such that fail for so long")
	huntFrom = flag.Uint64("hunt-from", 1, "mutants: the first of the numbers that they are made from")
	finds    = flag.String("finds", "", "mutants: keep what fails in this `folder`")
	keep     = flag.Bool("keep", false, "mutants: make seeds of what the folder holds")
)

// TestMakeMutants makes testdata/mutants, which takes half an hour. testdata/make/mutants.sh calls it;
// other runs of the tests skip it.
func TestMakeMutants(t *testing.T) {
	if *finds == "" {
		t.Skip("needs -finds FOLDER")
	}
	tr := newTrial(t)
	if *huntFor > 0 {
		hunt(t, tr, *huntFrom, time.Now().Add(*huntFor))
	}
	if *keep {
		distill(t, tr)
	}
}

// hunt tries mutants of the bases of package mutate, so that no model of others is kept.
func hunt(t *testing.T, tr *trial, number uint64, end time.Time) {
	bases := mutate.Bases(t)
	tr.Options.Limit = time.Second
	count := map[string]int{}
	for ; time.Now().Before(end); number++ {
		m, did := mutate.Numbered(bases, number)
		outcomes := tr.Both(m)
		for _, o := range outcomes {
			count[o.String()]++
			if fault := misreported(o); fault != "" {
				t.Errorf("mutant %d (%s): %s", number, did, fault)
			}
		}
		if !slices.ContainsFunc(outcomes, crashtest.Outcome.Fails) {
			continue
		}
		content, err := proto.Marshal(m)
		if err == nil {
			err = os.WriteFile(filepath.Join(*finds, fmt.Sprintf("%d.onnx", number)), content, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("up to number %d: %v", number, count)
}

// Bounds of what is kept.
const (
	maxAlike     = 4  // seeds of one kind
	maxHanging   = 16 // seeds that hang: each costs every test seconds
	maxSeedBytes = 2 << 10
	maxTried     = 6 // finds of one kind that are reduced
)

// distill reduces the finds and adds some of every kind to the seeds.
func distill(t *testing.T, tr *trial) {
	tr.Options.Limit = 2 * time.Second
	kept := keptSeeds(t)
	tried, flaky := map[string]int{}, 0
	for _, find := range mutate.Files(t, *finds, 1<<20) {
		level, was := tr.failing(find.Model)
		kind := kind(was) + " " + find.Operators()
		switch tried[kind]++; {
		case was.End == "" || was.End == crashtest.Broken:
			flaky++
			continue
		case tried[kind] > maxTried || was.End == crashtest.Timeout && kept.hanging >= maxHanging:
			continue
		}
		reduced := tr.reduce(find.Model, level, was)
		notes := tr.notes(reduced)
		if !strings.HasPrefix(notes[slices.Index(crashtest.Levels, level)], level.String()+": "+was.String()) {
			flaky++ // slow, and not without end
			continue
		}
		kept.add(t, label(was), mutate.Seed{Model: reduced, Notes: notes})
	}
	t.Logf("%d seeds of %d kinds; %d finds did not fail again", len(kept.seeds), len(kept.alike), flaky)
	slices.SortFunc(kept.seeds, func(a, b mutate.Seed) int { return cmp.Compare(a.Name, b.Name) })
	mutate.WriteSeeds(t, seedFile, tableOf(tr, kept.seeds), kept.seeds)
}

// collection is the seeds, with a limit for each kind.
type collection struct {
	seeds   []mutate.Seed
	alike   map[string]int  // seeds by what they hold and do
	known   map[string]bool // by content
	hanging int
}

func keptSeeds(t *testing.T) *collection {
	c := &collection{alike: map[string]int{}, known: map[string]bool{}}
	if _, err := os.Stat(seedFile); err != nil {
		return c
	}
	for _, s := range mutate.ReadSeeds(t, seedFile) {
		c.add(t, labelOf(s.Name), s)
	}
	return c
}

// labelOf returns the part of a seed's name between the operators and the count.
func labelOf(name string) string {
	_, rest, _ := strings.Cut(name, "-")
	return strings.ReplaceAll(rest[:strings.LastIndexByte(rest, '-')], "-", " ")
}

func (c *collection) add(t *testing.T, label string, s mutate.Seed) {
	kind := mutate.Base{Model: s.Model}.Operators() + " " + label
	content := string(s.Bytes(t))
	if c.known[content] || c.alike[kind] >= maxAlike || len(content) > maxSeedBytes {
		return
	}
	c.known[content] = true
	c.alike[kind]++
	if strings.HasPrefix(label, "hang ") {
		c.hanging++
	}
	s.Name = strings.ReplaceAll(fmt.Sprintf("%s %d", kind, c.alike[kind]), " ", "-")
	t.Logf("%s: %d bytes, %q", s.Name, len(content), s.Notes)
	c.seeds = append(c.seeds, s)
}

// failing returns the first level at which a model fails twice, each time in a new worker.
func (tr *trial) failing(m *onnxpb.ModelProto) (ort.Optimization, crashtest.Outcome) {
	for _, level := range crashtest.Levels {
		if o := tr.alone(m, level); o.Fails() && kind(tr.alone(m, level)) == kind(o) {
			return level, o
		}
	}
	return 0, crashtest.Outcome{}
}

func (tr *trial) alone(m *onnxpb.ModelProto, level ort.Optimization) crashtest.Outcome {
	content, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		tr.t.Fatal(err)
	}
	o := tr.Run(content, level)
	tr.Fresh()
	return o
}

// reduce removes the parts of a model that it does not need to fail in the same way.
func (tr *trial) reduce(m *onnxpb.ModelProto, level ort.Optimization, was crashtest.Outcome) *onnxpb.ModelProto {
	asks := 120
	if was.End == crashtest.Timeout {
		asks = 12
	}
	return mutate.Reduce(m, asks, func(candidate *onnxpb.ModelProto) bool { return kind(tr.alone(candidate, level)) == kind(was) })
}

func (tr *trial) notes(m *onnxpb.ModelProto) (notes []string) {
	for _, level := range crashtest.Levels {
		o := tr.alone(m, level)
		note := level.String() + ": " + o.String()
		if o.End == crashtest.Crash && spoken(o) != "" {
			note += ": " + spoken(o)
		}
		notes = append(notes, note)
	}
	return notes
}

var digits = regexp.MustCompile(`[0-9]+`)

// kind is the same for failures that look alike from outside.
func kind(o crashtest.Outcome) string {
	return label(o) + " " + digits.ReplaceAllString(spoken(o), "N")
}

func label(o crashtest.Outcome) string {
	switch {
	case o.End == crashtest.Timeout:
		return "hang " + string(o.Phase)
	case o.Signal != 0:
		return o.String()
	}
	return string(o.End)
}

// spoken is the last line of a process that aborted itself. The last line of one that was ended by a
// fault is about something else.
func spoken(o crashtest.Outcome) string {
	if !strings.HasPrefix(o.String(), "SIGABRT") {
		return ""
	}
	words := strings.TrimSpace(o.Words)
	return words[:min(len(words), 200)]
}

// tableOf is the text at the start of the archive.
func tableOf(tr *trial, seeds []mutate.Seed) string {
	var out strings.Builder
	widest := 0
	for _, s := range seeds {
		widest = max(widest, len(s.Name))
	}
	fmt.Fprintf(&out, "Models that ONNX Runtime does not survive, found by changing others a little\n(graphops/graphtest/mutate) and reduced. What they do on %s, unoptimized\nand with all optimizations; other versions do better and worse. Made by\ntestdata/make/mutants.sh.\n\n", tr.version)
	for _, s := range seeds {
		var short []string
		for _, note := range s.Notes {
			_, what, _ := strings.Cut(note, ": ")
			what, _, _ = strings.Cut(what, ": ")
			short = append(short, what)
		}
		fmt.Fprintf(&out, "%-*s  %-26s  %s\n", widest, s.Name, short[0], short[1])
	}
	return out.String() + "\n"
}
