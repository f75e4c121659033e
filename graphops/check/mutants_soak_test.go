//go:build cgo && soak

package check_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/check"
	"lathe/graphops/graphtest/mutate"
	"lathe/graphops/reference"
	"lathe/session/ort"
	"lathe/session/ort/crashtest"
	"lathe/session/ort/fault"
)

var (
	spoilFrom = flag.Uint64("spoil-from", 1, "check: the first of the numbers that mutants are made from")
	spoiledTo = flag.String("spoiled", "", "check: write the mutants that the runtime refuses to this `folder`")
)

// Bounds of the mutants that check is measured by.
const (
	wantedMutants = 240
	wantedReasons = 15
	maxOfReason   = wantedMutants * 6 / 100
	maxAlikeSpoil = 2       // of one reason, mistake and base
	maxSpoilTries = 60_000  // before it is given up
	maxSpoilBase  = 2 << 20 // bytes of a base
)

// refusedMutant is a model that loaded before a mistake was made in it.
type refusedMutant struct {
	name    string
	spoiled mutate.Spoiled
	bytes   []byte
	model   *graphops.Model
	reason  string // kind of fault that the runtime's message means
	words   string
	// guilty are the changed nodes and the one that the runtime names.
	guilty map[fault.Site]bool
}

// TestCheckNamesMutants checks models with one mistake, which ONNX Runtime therefore refuses. In nine
// of ten, an error of check must name the node at fault.
func TestCheckNamesMutants(t *testing.T) {
	tr := newTrial(t)
	mutants := spoil(t, tr)
	found, missed := 0, map[string]int{}
	for _, m := range mutants {
		list, err := check.Model(t.Context(), m.model, check.Options{Runtime: tr.version})
		if err != nil {
			t.Fatal(err)
		}
		if m.namedIn(list) {
			found++
			continue
		}
		missed[m.reason]++
		t.Logf("missed %s (%s): %s: %s\n\truntime: %.300s\n\tcheck: %.300s", m.name, m.reason, m.spoiled.Kind, m.spoiled.What, m.words, errorsOf(list))
	}
	t.Logf("%d of %d named; missed by reason: %v", found, len(mutants), missed)
	if found*10 < len(mutants)*9 {
		t.Errorf("check names the node of %d mutants of %d, want 90 %%", found, len(mutants))
	}
}

// namedIn reports whether an error is about a guilty node, or about no node and the
// constant or port that was changed.
func (m *refusedMutant) namedIn(list []check.Problem) bool {
	return slices.ContainsFunc(list, func(p check.Problem) bool {
		switch {
		case p.Severity != check.Error || p.Place == nil:
			return false
		case p.Node < 0:
			return p.Value != "" && p.Value == m.spoiled.Value
		}
		return m.guilty[fault.Site{Place: p.Place, Index: p.Node}]
	})
}

func errorsOf(list []check.Problem) string {
	var lines []string
	for _, p := range list {
		if p.Severity == check.Error {
			lines = append(lines, p.Code+" "+p.String())
		}
	}
	return strings.Join(lines, " | ")
}

// spoil makes the same mutants in every run, until there are enough of every kind.
func spoil(t *testing.T, tr *trial) []*refusedMutant {
	groups := [][]mutate.Base{
		loading(tr, mutate.Bases(t)),
		loading(tr, mutate.Files(t, mutate.Conformance, 16<<10)),
		loading(tr, filesOutside(t, "broken", reference.Testdata, reference.Shared)),
	}
	bases := slices.Concat(groups...)
	var mutants []*refusedMutant
	reasons, alike := map[string]int{}, map[string]int{}
	for seed := *spoilFrom; seed < *spoilFrom+maxSpoilTries && len(mutants) < wantedMutants; seed++ {
		base := drawnFrom(groups, seed)
		s, ok := mutate.Spoil(base, bases, seed)
		if !ok {
			continue
		}
		m := tr.refused(s)
		if m == nil || len(m.guilty) == 0 {
			continue
		}
		m.name = fmt.Sprintf("%d-%s", seed, base.Name)
		sort := m.reason + " " + s.Kind + " " + base.Name
		if reasons[m.reason] >= maxOfReason || alike[sort] >= maxAlikeSpoil {
			continue
		}
		reasons[m.reason]++
		alike[sort]++
		mutants = append(mutants, m)
	}
	t.Logf("%d mutants of %d bases, by reason: %v", len(mutants), len(bases), reasons)
	if len(reasons) < wantedReasons || len(mutants) < wantedMutants {
		t.Errorf("%d mutants of %d sorts, want %d of %d", len(mutants), len(reasons), wantedMutants, wantedReasons)
	}
	keepSpoiled(t, mutants)
	return mutants
}

// filesOutside are the models of corpora, except those in a subfolder.
func filesOutside(t *testing.T, name string, corpora ...reference.Corpus) (bases []mutate.Base) {
	for _, c := range corpora {
		folder := c.Dir(t)
		inside := mutate.Files(t, filepath.Join(folder, name), maxSpoilBase)
		bases = append(bases, slices.DeleteFunc(mutate.Files(t, folder, maxSpoilBase), func(b mutate.Base) bool {
			return slices.ContainsFunc(inside, func(other mutate.Base) bool { return other.Name == b.Name })
		})...)
	}
	return bases
}

// drawnFrom returns the base of a number. Each group is drawn equally often.
func drawnFrom(groups [][]mutate.Base, number uint64) mutate.Base {
	groups = slices.DeleteFunc(slices.Clone(groups), func(g []mutate.Base) bool { return len(g) == 0 })
	rng := rand.New(rand.NewPCG(number, 1))
	group := groups[rng.IntN(len(groups))]
	return group[rng.IntN(len(group))]
}

// loading keeps the bases that the runtime loads.
func loading(tr *trial, bases []mutate.Base) []mutate.Base {
	return slices.DeleteFunc(bases, func(b mutate.Base) bool {
		content, err := proto.Marshal(b.Model)
		return err != nil || tr.load(content, ort.OptimizeDefault) != nil
	})
}

// load returns the error with which the runtime refuses a model.
func (tr *trial) load(model []byte, level ort.Optimization) error {
	loaded, err := tr.Load(ort.Model{Bytes: model, Name: crashtest.ModelName}, level)
	if err != nil {
		return err
	}
	return loaded.Close()
}

// refused returns the mutant with what the runtime says about it. It returns nil if the runtime
// accepts the mutant or does not survive it.
func (tr *trial) refused(s mutate.Spoiled) *refusedMutant {
	content, err := proto.MarshalOptions{Deterministic: true}.Marshal(s.Model)
	if err != nil {
		return nil
	}
	m, err := graphops.Decode(content)
	if err != nil {
		return nil
	}
	mutant := &refusedMutant{spoiled: s, bytes: content, model: m, guilty: map[fault.Site]bool{}}
	for _, level := range []ort.Optimization{ort.OptimizeDefault, ort.OptimizeDisable} {
		var said *ort.Error
		if err := tr.load(content, level); !errors.As(err, &said) {
			if level == ort.OptimizeDefault {
				return nil
			}
			continue
		}
		f := fault.Parse(int(said.Code), said.Message)
		if sites := fault.Locate(f, m).Sites; len(sites) == 1 {
			mutant.guilty[sites[0]] = true
		}
		if mutant.words == "" {
			mutant.reason, mutant.words = string(f.Kind), said.Message
		}
	}
	for _, at := range s.Sites {
		p := m.Places()[at.Place]
		mutant.guilty[fault.Site{Place: p, Index: at.Node}] = true
	}
	return mutant
}

// keepSpoiled writes the mutants to the folder of -spoiled, with a file of what is wrong in each.
func keepSpoiled(t *testing.T, mutants []*refusedMutant) {
	if *spoiledTo == "" {
		return
	}
	type truth struct {
		Mistake, What, Reason, Words string
		Guilty                       []string
	}
	table := map[string]truth{}
	for _, m := range mutants {
		file := strings.NewReplacer("/", "_", "+", "_").Replace(strings.TrimSuffix(m.name, ".onnx")) + ".onnx"
		var guilty []string
		for site := range maps.Keys(m.guilty) {
			guilty = append(guilty, site.String())
		}
		slices.Sort(guilty)
		table[file] = truth{m.spoiled.Kind, m.spoiled.What, m.reason, m.words, guilty}
		if err := os.WriteFile(filepath.Join(*spoiledTo, file), m.bytes, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	content, err := json.MarshalIndent(table, "", " ")
	if err == nil {
		err = os.WriteFile(filepath.Join(*spoiledTo, "truth.json"), content, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
