package home

import (
	"sync"

	tea "charm.land/bubbletea/v2"
)

// lanes is how many files are read at the same time. Most of the time is spent waiting for a disk.
const lanes = 4

// queue hands out the files that are still to be read, visible ones first. Update fills it and the
// lanes empty it.
type queue struct {
	mu      sync.Mutex
	paths   []string
	taken   []bool
	next    int   // all files before it are taken, except those in again
	again   []int // files to read once more
	visible []int
}

// add appends files.
func (q *queue) add(paths []string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.paths = append(q.paths, paths...)
	q.taken = append(q.taken, make([]bool, len(paths))...)
}

// show sets which files are visible.
func (q *queue) show(visible []int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.visible = visible
}

// readAgain puts a file back into the queue.
func (q *queue) readAgain(i int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.taken[i] = false
	q.again = append(q.again, i)
}

// isEmpty reports whether no file is left to read.
func (q *queue) isEmpty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.first() < 0
}

// path returns the path of a file as it was added.
func (q *queue) path(i int) string {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.paths[i]
}

// take returns the next file to read.
func (q *queue) take() (i int, path string, ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if i = q.first(); i < 0 {
		return 0, "", false
	}
	q.taken[i] = true
	return i, q.paths[i], true
}

// first returns the index of the file to read next, or -1.
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

// lane takes one file from the queue, reads it and reports its facts. It reads only one file, so
// that a file that does not answer delays no results of others.
func lane(q *queue, r reader) tea.Cmd {
	return func() tea.Msg {
		i, path, ok := q.take()
		if !ok {
			return readMsg{i: -1}
		}
		return readMsg{i, r.facts(path)}
	}
}
