package fuzzy

import (
	"context"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/junegunn/fzf/src/util"
)

// Finder searches a corpus repeatedly while a query is typed: if the query has only grown, it
// searches only what matched before. It may be used from several goroutines.
type Finder struct {
	corpus *Corpus

	mu      sync.Mutex
	query   string  // the last one that was searched to the end
	matched []int32 // all texts that it matches; nil for every text
}

// NewFinder returns a finder for a corpus.
func NewFinder(c *Corpus) *Finder { return &Finder{corpus: c} }

// Match is a text that a query matches.
type Match struct {
	Index int // index of the text
	Score int
	// Positions holds the rune indexes of the characters that the query matches.
	Positions []int
}

// Result holds the best matches, and the number of all matches.
type Result struct {
	Matches []Match
	Total   int
}

// Find returns the best matches of a query, at most limit of them: those with the highest score
// first, then the shortest, then in order. The words of the query match independently; a word in
// lower case matches either case. An empty query matches every text, in order. If the context is
// canceled, Find soon returns its error and keeps nothing.
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

// among returns the texts that matched the last query, if the new query continues it. Typing more
// letters can only make fewer texts match. It returns nil if all texts have to be searched.
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

// scan is one search. Several goroutines work on it.
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

// chunk is the number of texts that are searched between two checks of the context.
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

// run searches on all cores.
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

// The sizes of fzf's scratch memory. fzf uses the same. A text that is too long for them is
// searched with fzf's simpler algorithm, which takes linear time.
const (
	slab16 = 100 << 10
	slab32 = 2 << 10
)

// work takes chunks until none is left, and adds its best matches at the end.
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

// matched returns all texts that match, in order; never nil.
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
