package home

import (
	"sync"

	tea "charm.land/bubbletea/v2"
)

// lanes is how many files are open at once. Most of their time goes to waiting for a disk.
const lanes = 4

// queue hands out the files that are still to be read, those that show first. Update fills it and
// the lanes empty it.
type queue struct {
	mu      sync.Mutex
	paths   []string
	taken   []bool
	next    int   // all files before it are taken, except those in again
	again   []int // files that are to be read once more
	visible []int
}

// add appends files.
func (q *queue) add(paths []string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.paths = append(q.paths, paths...)
	q.taken = append(q.taken, make([]bool, len(paths))...)
}

// show says which files are on the screen.
func (q *queue) show(visible []int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.visible = visible
}

// readAgain puts a file back.
func (q *queue) readAgain(i int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.taken[i] = false
	q.again = append(q.again, i)
}

// isEmpty reports whether no file waits.
func (q *queue) isEmpty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.first() < 0
}

// path is a file as it was added.
func (q *queue) path(i int) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.paths[i]
}

// take hands out a file.
func (q *queue) take() (i int, path string, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i = q.first(); i < 0 {
		return 0, "", false
	}
	q.taken[i] = true
	return i, q.paths[i], true
}

// first is the file to read next, -1 for none.
func (q *queue) first() int {
	for _, i := range q.visible {
		if !q.taken[i] {
			return i
		}
	}
	for ; len(q.again) > 0; q.again = q.again[1:] {
		if i := q.again[0]; !q.taken[i] {
			return i
		}
	}
	for ; q.next < len(q.taken); q.next++ {
		if !q.taken[q.next] {
			return q.next
		}
	}
	return -1
}

// readMsg brings the facts of a file. The index is -1 if a lane found no file to read.
type readMsg struct {
	i int
	facts
}

// lane reads one file. A lane that read several before it reports would hold back what it knows
// if the last of them does not answer.
func lane(q *queue, r reader) tea.Cmd {
	return func() tea.Msg {
		i, path, ok := q.take()
		if !ok {
			return readMsg{i: -1}
		}
		return readMsg{i, r.facts(path)}
	}
}
