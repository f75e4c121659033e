//go:build cgo && soak

package check_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/graphops/graphtest/mutate"
	"lathe/graphops/onnxpb"
	"lathe/graphops/reference"
	"lathe/session/ort"
	"lathe/session/ort/crashtest"
)

var (
	agreeFrom    = flag.Uint64("agree-from", 1, "check: the first of the numbers that mutants are made from")
	agreeMutants = flag.Uint64("agree-mutants", 1000, "check: how many mutants are compared")
)

// answers are what ONNX Runtime and check say about one model.
type answers struct {
	name              string
	model             *graphops.Model
	source            ort.Model
	data              string // folder that may hold recorded inputs, or ""
	crashtest.Outcome        // at the default level of optimization
	problems          []check.Problem
}

// agreement counts how check and ONNX Runtime answer about the same models.
type agreement struct {
	tr        *trial
	tried     int
	right     int
	open      map[disagreement][]string       // one line for each that nothing justifies
	justified map[disagreement]map[string]int // by the name of the justification
}

func newAgreement(tr *trial) *agreement {
	return &agreement{tr: tr, open: map[disagreement][]string{}, justified: map[disagreement]map[string]int{}}
}

// add compares the answers about one model.
func (a *agreement) add(about answers) {
	a.tried++
	d := about.disagreement()
	if d == agrees {
		a.right++
		return
	}
	if name := a.tr.justification(d, about); name != "" {
		if a.justified[d] == nil {
			a.justified[d] = map[string]int{}
		}
		a.justified[d][name]++
		return
	}
	line := fmt.Sprintf("%s: %s in %s: %.300v", about.name, about.End, about.Phase, about.Err)
	if d == falseAlarm {
		line = fmt.Sprintf("%s runs, check says: %.300s", about.name, errorsOf(about.problems))
	}
	a.open[d] = append(a.open[d], line)
}

// report logs every disagreement that nothing justifies, and the counts.
func (a *agreement) report(t *testing.T) {
	for d := falseAlarm; d <= failsToRun; d++ {
		for _, line := range a.open[d] {
			t.Log(line)
		}
		for name, n := range a.justified[d] {
			t.Logf("%s, justified: %d of %q", d, n, name)
		}
		t.Logf("%s: %d, and %d justified", d, len(a.open[d]), total(a.justified[d]))
	}
	t.Logf("%d tried, %d agree", a.tried, a.right)
}

func total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// TestCheckAgreesOnModels compares check with loading and running every model of the
// corpora, including models that are broken on purpose.
func TestCheckAgreesOnModels(t *testing.T) {
	tr := newTrial(t)
	corpora := []reference.Corpus{
		reference.Testdata, reference.Shared, {Name: "shared cases", Folder: "../shared/cases"}, reference.Debian,
	}
	if c := reference.Others(); c != reference.Debian {
		corpora = append(corpora, c)
	}
	for _, corpus := range corpora {
		t.Run(corpus.Name, func(t *testing.T) {
			a := newAgreement(tr)
			for _, path := range corpus.Models(t) {
				m, err := graphops.Open(path, graphops.OpenOptions{})
				if err != nil {
					continue
				}
				if info, err := os.Stat(path); err != nil || info.Size() > 64<<20 {
					continue
				}
				list, err := tr.checked(m)
				if err != nil {
					t.Logf("%s: not compared: %v", path, err)
					continue
				}
				source := ort.Model{Path: path}
				a.add(answers{path, m, source, filepath.Dir(path), tr.answer(source, m, ort.OptimizeDefault), list})
			}
			a.report(t)
			if n := len(a.open[falseAlarm]); n > 0 {
				t.Errorf("check reports errors in %d models that run", n)
			}
		})
	}
}

// TestCheckAgreesOnMutants compares check with loading and running models in which one
// point was made wrong, and models that were changed at random.
func TestCheckAgreesOnMutants(t *testing.T) {
	tr := newTrial(t)
	bases := append(mutate.Bases(t), mutate.Files(t, mutate.Conformance, 16<<10)...)
	bases = append(bases, filesOutside(t, "broken", reference.Testdata, reference.Shared)...)
	a := newAgreement(tr)
	for seed := *agreeFrom; seed < *agreeFrom+*agreeMutants; seed++ {
		p, name := agreeMutant(bases, seed)
		if p == nil {
			continue
		}
		content, err := proto.MarshalOptions{Deterministic: true}.Marshal(p)
		if err != nil || len(content) > 2<<20 {
			continue
		}
		m, err := graphops.Decode(content)
		if err != nil {
			continue
		}
		list, err := tr.checked(m)
		if err != nil {
			t.Logf("%d %s: not compared: %v", seed, name, err)
			continue
		}
		source := ort.Model{Bytes: content, Name: crashtest.ModelName}
		a.add(answers{fmt.Sprintf("%d %s", seed, name), m, source, "", tr.answer(source, m, ort.OptimizeDefault), list})
	}
	a.report(t)
	if n := len(a.open[falseAlarm]); n*100 > a.tried {
		t.Errorf("check reports errors in %d of %d mutants that run", n, a.tried)
	}
}

// agreeMutant returns the mutant of a number: half of them have one mistake, half are
// changed at random.
func agreeMutant(bases []mutate.Base, seed uint64) (*onnxpb.ModelProto, string) {
	if seed%2 == 0 {
		return mutate.Numbered(bases, seed)
	}
	base := drawnFrom([][]mutate.Base{bases}, seed)
	s, ok := mutate.Spoil(base, bases, seed)
	if !ok {
		return nil, ""
	}
	return s.Model, base.Name + ": " + s.Kind + ": " + s.What
}
