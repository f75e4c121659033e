//go:build soak

package command

import (
	"cmp"
	"flag"
	"fmt"
	"math/rand/v2"
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
)

var (
	huntFor  = flag.Duration("hunt", 0, "mutants: look for such that fail for so long")
	huntFrom = flag.Uint64("hunt-from", 1, "mutants: the first of the numbers that they are made from")
	finds    = flag.String("finds", "", "mutants: keep what fails in this `folder`")
	keep     = flag.Bool("keep", false, "mutants: make seeds of what the folder holds")
)

// TestMutantsAnew makes testdata/mutants anew, which takes half an hour:
// testdata/make/mutants.sh calls it. Other runs of the tests skip it.
func TestMutantsAnew(t *testing.T) {
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

// drawn is the mutant of a number.
func drawn(bases []mutate.Base, number uint64) (*onnxpb.ModelProto, string) {
	base := bases[rand.New(rand.NewPCG(number, 0)).IntN(len(bases))]
	m, did := mutate.New(base, bases, number)
	return m, base.Name + ": " + did
}

// hunt looks among mutants of the package's own bases: what is kept shall be nobody
// else's model.
func hunt(t *testing.T, tr *trial, number uint64, end time.Time) {
	bases := mutate.Bases(t)
	tr.options.Limit = time.Second
	count := map[string]int{}
	for ; time.Now().Before(end); number++ {
		m, did := drawn(bases, number)
		outcomes := tr.both(m)
		for _, o := range outcomes {
			count[o.String()]++
			if fault := misreported(o); fault != "" {
				t.Errorf("mutant %d (%s): %s", number, did, fault)
			}
		}
		if !slices.ContainsFunc(outcomes, outcome.fails) {
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
	maxHanging   = 16 // seeds that hang, each of which takes seconds of every test
	maxSeedBytes = 2 << 10
	maxTried     = 6 // finds of one kind before they are reduced
)

// distill reduces the finds and keeps some of every kind, beside the seeds that are
// there.
func distill(t *testing.T, tr *trial) {
	tr.options.Limit = 2 * time.Second
	kept := keptSeeds(t)
	tried, flaky := map[string]int{}, 0
	for _, find := range mutate.Files(t, *finds, 1<<20) {
		level, was := tr.failing(find.Model)
		kind := was.kind() + " " + find.Operators()
		switch tried[kind]++; {
		case was.end == "" || was.end == endBroken:
			flaky++
			continue
		case tried[kind] > maxTried || was.end == endTimeout && kept.hanging >= maxHanging:
			continue
		}
		reduced := tr.reduce(find.Model, level, was)
		notes := tr.notes(reduced)
		if !strings.HasPrefix(notes[slices.Index(levels, level)], level.String()+": "+was.String()) {
			flaky++ // slow, and not without end
			continue
		}
		kept.add(t, was.label(), mutate.Seed{Model: reduced, Notes: notes})
	}
	t.Logf("%d seeds of %d kinds; %d finds did not fail again", len(kept.seeds), len(kept.alike), flaky)
	slices.SortFunc(kept.seeds, func(a, b mutate.Seed) int { return cmp.Compare(a.Name, b.Name) })
	mutate.WriteSeeds(t, seedFile, tableOf(tr, kept.seeds), kept.seeds)
}

// collection is what is kept, no more of a kind than makes sense.
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
		c.add(t, label(s.Name), s)
	}
	return c
}

// label is what stands between the operators and the count in a seed's name.
func label(name string) string {
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

// failing is the first level at which a model fails in a fresh worker, twice.
func (tr *trial) failing(m *onnxpb.ModelProto) (ort.Optimization, outcome) {
	for _, level := range levels {
		if o := tr.alone(m, level); o.fails() && tr.alone(m, level).kind() == o.kind() {
			return level, o
		}
	}
	return 0, outcome{}
}

func (tr *trial) alone(m *onnxpb.ModelProto, level ort.Optimization) outcome {
	content, err := proto.MarshalOptions{Deterministic: true}.Marshal(m)
	if err != nil {
		tr.t.Fatal(err)
	}
	o := tr.run(content, level)
	tr.fresh()
	return o
}

// reduce takes from a model what it does not need to fail in the same way.
func (tr *trial) reduce(m *onnxpb.ModelProto, level ort.Optimization, was outcome) *onnxpb.ModelProto {
	asks := 120
	if was.end == endTimeout {
		asks = 12
	}
	return mutate.Reduce(m, asks, func(candidate *onnxpb.ModelProto) bool { return tr.alone(candidate, level).kind() == was.kind() })
}

func (tr *trial) notes(m *onnxpb.ModelProto) (notes []string) {
	for _, level := range levels {
		o := tr.alone(m, level)
		note := level.String() + ": " + o.String()
		if o.end == endCrash && spoken(o) != "" {
			note += ": " + spoken(o)
		}
		notes = append(notes, note)
	}
	return notes
}

var digits = regexp.MustCompile(`[0-9]+`)

// kind tells failures apart that come from different places, as far as one sees that
// from outside.
func (o outcome) kind() string { return o.label() + " " + digits.ReplaceAllString(spoken(o), "N") }

func (o outcome) label() string {
	switch {
	case o.end == endTimeout:
		return "hang " + string(o.phase)
	case o.signal != 0:
		return o.String()
	}
	return o.end
}

// spoken are the last words of a process that gave up by itself; what stands there
// when it was struck by a fault is about something else.
func spoken(o outcome) string {
	if !strings.HasPrefix(o.String(), "SIGABRT") {
		return ""
	}
	words := strings.TrimSpace(o.words)
	return words[:min(len(words), 200)]
}

// tableOf is the head of the archive.
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
