package sizing

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lathe/graphops"
	"lathe/graphops/durable"
)

// Store keeps the results of searches in which the runtime rejected sizes, in one file for each
// model. It only saves time: a search without it comes to the same sizes.
type Store struct {
	Folder string // if it is "", nothing is stored
}

// StoreIn returns the store in Lathe's cache folder. If cache is "", it stores nothing.
func StoreIn(cache string) Store {
	if cache == "" {
		return Store{}
	}
	return Store{filepath.Join(cache, "sizes")}
}

// learned is the result of a search: the sizes at which the model ran, and the sizes that were
// rejected before.
type learned struct {
	Sizes   map[string]int64   `json:"sizes"`
	Refused []map[string]int64 `json:"refused"`
	Level   weight             `json:"level"`
}

// learnedSchema is the version of the file format. It is changed when searches work differently, so
// that results of older versions are ignored.
const learnedSchema = "lathe.sizes/1"

type learnedFile struct {
	Schema   string             `json:"schema"`
	Searches map[string]learned `json:"searches"`
}

func (s Store) path(m *graphops.Model) (string, error) {
	sum, err := graphops.StructureSum(m)
	return filepath.Join(s.Folder, sum+".json"), err
}

// read reads the file of a model. It returns an empty result if the file is missing, damaged or of
// another version.
func (s Store) read(path string) learnedFile {
	out := learnedFile{Schema: learnedSchema, Searches: map[string]learned{}}
	var found learnedFile
	if readJSON(path, &found) && found.Schema == learnedSchema && found.Searches != nil {
		out = found
	}
	return out
}

// key distinguishes the searches of one model: by their purpose and the given sizes.
func (q *Search) key() string {
	given := []string{fmt.Sprint("purpose ", q.purpose)}
	for _, name := range slices.Sorted(maps.Keys(q.given)) {
		given = append(given, fmt.Sprintf("%s=%d", name, q.given[name]))
	}
	return strings.Join(given, ", ")
}

// Recall makes the search begin with the result of an earlier search for the same model, purpose
// and given sizes.
func (q *Search) Recall(s Store) {
	if q.store = s; s.Folder == "" || q.system.model == nil || len(q.Free()) == 0 {
		return
	}
	if _, err := os.Stat(s.Folder); err != nil {
		return // nothing was ever kept
	}
	path, err := s.path(q.system.model)
	if err != nil {
		return
	}
	found, ok := s.read(path).Searches[q.key()]
	if !ok || found.Level > asked {
		return
	}
	sizes, complete := q.system.inOrder(found.Sizes)
	if !complete || !q.keepsGiven(sizes) {
		return
	}
	q.recalled, q.level = sizes, found.Level
	for _, r := range found.Refused {
		q.refused = append(q.refused, q.system.refusedOf(r))
	}
}

// inOrder returns sizes by the positions of their symbols. It returns false if a symbol has no
// valid size.
func (s *System) inOrder(sizes map[string]int64) ([]int64, bool) {
	out := make([]int64, len(s.Symbols))
	for i, symbol := range s.Symbols {
		n, ok := sizes[symbol.Name]
		if !ok || n < 0 || n > maxSize {
			return nil, false
		}
		out[i] = n
	}
	return out, true
}

func (q *Search) keepsGiven(sizes []int64) bool {
	for i, n := range q.fixed {
		if sizes[i] != n {
			return false
		}
	}
	return !slices.ContainsFunc(q.asked, func(c *Condition) bool { return !c.holds(sizes) })
}

func (s *System) refusedOf(sizes map[string]int64) refusedSizes {
	var r refusedSizes
	for i, symbol := range s.Symbols {
		if n, ok := sizes[symbol.Name]; ok {
			r.symbols, r.sizes = append(r.symbols, i), append(r.sizes, n)
		}
	}
	return r
}

// Accepted records that the model ran at the last proposal. If earlier proposals were rejected, the
// result is stored. If it cannot be written, that is no error, because the next search can find the
// sizes again.
func (q *Search) Accepted(ctx context.Context) {
	if q.store.Folder == "" || q.recalled != nil || len(q.Attempts) < 2 || q.system.model == nil {
		return
	}
	path, err := q.store.path(q.system.model)
	if err != nil || os.MkdirAll(q.store.Folder, 0o755) != nil {
		return
	}
	l := learned{Sizes: q.Attempts[len(q.Attempts)-1].Sizes, Level: q.level}
	for _, c := range q.refused {
		is := map[string]int64{}
		r := c.(refusedSizes)
		for i, s := range r.symbols {
			is[q.system.Symbols[s].Name] = r.sizes[i]
		}
		l.Refused = append(l.Refused, is)
	}
	file := q.store.read(path)
	file.Searches[q.key()] = l
	_ = durable.WriteFile(ctx, path, durable.Options{Overwrite: true}, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(file)
	})
}
