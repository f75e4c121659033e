package fuzzy

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/junegunn/fzf/src/util"
)

// Finder searches a corpus again and again while a query is typed: one that only
// grows is looked for among what matched before. It may be used from several
// goroutines.
type Finder struct {
	corpus *Corpus

	mu      sync.Mutex
	query   string  // the last one that was searched to the end
	matched []int32 // all texts that it matches; nil for every text
}

// NewFinder searches a corpus.
func NewFinder(c *Corpus) *Finder { return &Finder{corpus: c} }

// Match is a text that a query matches.
type Match struct {
	Index int // of the text
	Score int
	// Positions are the characters that the query matches, counted as range does.
	Positions []int
}

// Result is the best matches, and how many there are.
type Result struct {
	Matches []Match
	Total   int
}

// Find ranks the texts that a query matches and returns the best, at most limit of
// them: those of the highest score, of these the shortest, of these the first.
// Words of the query match independently; a word in lower case matches either
// case. An empty query matches every text, in order. If the context is cancelled
// its error is returned soon, and nothing is kept.
func (f *Finder) Find(ctx context.Context, typed string, limit int) (Result, error) {
	among := f.among(typed)
	q := parse(typed)
	s := &scan{corpus: f.corpus, query: &q, among: among, limit: max(limit, 0)}
	if err := s.run(ctx); err != nil {
		return Result{}, err
	}
	f.keep(typed, s.matched())
	return s.result(), nil
}

// among are the texts that can match: those that matched a query which this one
// goes on from. Letters added to the end make every word match less.
func (f *Finder) among(typed string) []int32 {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.query != "" && strings.HasPrefix(typed, f.query) {
		return f.matched
	}
	return nil
}

func (f *Finder) keep(typed string, matched []int32) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.query, f.matched = typed, matched
}

// scan is one search, shared by the goroutines that do it.
type scan struct {
	corpus *Corpus
	query  *query
	among  []int32 // nil for every text
	limit  int
	next   atomic.Int64
	chunks [][]int32 // what matched, by chunk
	best   top
	mu     sync.Mutex // of best
}

// chunk is how many texts are searched between two looks at the context.
const chunk = 2048

func (s *scan) len() int {
	if s.among != nil {
		return len(s.among)
	}
	return s.corpus.Len()
}

func (s *scan) index(i int) int32 {
	if s.among != nil {
		return s.among[i]
	}
	return int32(i)
}

// run searches on every core.
func (s *scan) run(ctx context.Context) error {
	s.chunks = make([][]int32, (s.len()+chunk-1)/chunk)
	s.best.limit = s.limit
	var all sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(s.chunks)) {
		all.Go(func() { s.work(ctx) })
	}
	all.Wait()
	return ctx.Err()
}

// Slabs of the size that fzf uses; a text for which they are too small is
// searched by its simpler algorithm, in linear time.
const (
	slab16 = 100 << 10
	slab32 = 2 << 10
)

// work takes chunks until none is left, and hands in its best at the end.
func (s *scan) work(ctx context.Context) {
	slab := util.MakeSlab(slab16, slab32)
	best := top{limit: s.limit}
	for ctx.Err() == nil {
		c := int(s.next.Add(1)) - 1
		if c >= len(s.chunks) {
			break
		}
		s.search(c, slab, &best)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range best.list {
		s.best.add(r)
	}
}

func (s *scan) search(c int, slab *util.Slab, best *top) {
	var matched []int32
	for i := c * chunk; i < min(s.len(), (c+1)*chunk); i++ {
		at := s.index(i)
		if s.corpus.letters[at]&s.query.letters != s.query.letters {
			continue
		}
		text := &s.corpus.chars[at]
		score, ok := s.query.score(text, slab)
		if !ok {
			continue
		}
		matched = append(matched, at)
		length := int32(0)
		if len(s.query.words) > 0 { // without a query texts stay in order
			length = int32(text.Length())
		}
		best.add(ranked{score, length, at})
	}
	s.chunks[c] = matched
}

// matched are all texts that match, in order; never nil.
func (s *scan) matched() []int32 {
	out := []int32{}
	for _, c := range s.chunks {
		out = append(out, c...)
	}
	return out
}

func (s *scan) result() Result {
	r := Result{}
	for _, c := range s.chunks {
		r.Total += len(c)
	}
	slab := util.MakeSlab(slab16, slab32)
	for _, m := range s.best.sorted() {
		r.Matches = append(r.Matches, Match{int(m.index), m.score, s.query.positions(&s.corpus.chars[m.index], slab)})
	}
	return r
}
