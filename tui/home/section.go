package home

import (
	"context"

	"lathe/tui/fuzzy"
	"lathe/tui/list"
)

// section is one of the two lists: models, or interrupted sessions. The query filters both.
type section struct {
	texts  []string // the searched texts, one for each item; texts are only added
	finder *fuzzy.Finder
	made   int  // the number of texts in the finder
	isAll  bool // there is no query: all items are shown, in order
	shown  []fuzzy.Match
	total  int // how many items match; the best are shown
	rows   list.Window
}

// mostMatches is how many matches are listed. For others the person has to type more letters.
const mostMatches = 1000

// item returns the item of a row, and which letters of its text match.
func (s *section) item(row int) (item int, letters []int) {
	if s.isAll {
		return row, nil
	}
	m := s.shown[row]
	return m.Index, m.Positions
}

// selected returns the item under the cursor, or -1.
func (s *section) selected() int {
	if s.rows.N == 0 {
		return -1
	}
	item, _ := s.item(s.rows.Cursor)
	return item
}

// showAll lists all items.
func (s *section) showAll() {
	if s.isAll {
		s.rows.N = len(s.texts)
		return
	}
	keep := s.selected()
	s.isAll, s.shown, s.total = true, nil, len(s.texts)
	s.rows.Reset(len(s.texts), max(keep, 0))
}

// found is the result of a search in one section.
type found struct {
	finder *fuzzy.Finder
	made   int
	fuzzy.Result
}

// search ranks the texts of the section by how well they match. It runs in the background on a copy
// of the section.
func (s section) search(ctx context.Context, query string) (out found, err error) {
	out.finder, out.made = s.finder, s.made
	if out.finder == nil || out.made != len(s.texts) {
		out.made = len(s.texts)
		out.finder = fuzzy.NewFinder(fuzzy.NewCorpus(out.made, func(i int) string { return s.texts[i] }))
	}
	out.Result, err = out.finder.Find(ctx, query, mostMatches)
	return out, err
}

// take shows the result of a search. The cursor moves to the best match; if the query did not
// change, it stays on its item.
func (s *section) take(f found, isSameQuery bool) {
	keep := s.selected()
	s.finder, s.made, s.isAll = f.finder, f.made, false
	s.shown, s.total = f.Matches, f.Total
	cursor := 0
	for row, m := range f.Matches {
		if isSameQuery && m.Index == keep {
			cursor = row
		}
	}
	s.rows.Reset(len(s.shown), cursor)
}
