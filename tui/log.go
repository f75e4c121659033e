package tui

import (
	"time"

	"lathe/tui/cells"
)

// entry is one message to the person.
type entry struct {
	at     time.Time
	lines  []string // safe to print
	failed bool
}

// messages are what the workbench has said: the last one stands in the status
// line until the next key, all of them in the log.
type messages struct {
	now     func() time.Time
	entries []entry
	showing bool // the last entry stands in the status line
}

// say tells what was done.
func (m *messages) say(line string) { m.add(entry{lines: []string{cells.Prose(line)}}) }

// fail tells what went wrong. An error of several lines shows its first.
func (m *messages) fail(err error) { m.add(entry{lines: cells.SafeLines(err.Error()), failed: true}) }

func (m *messages) add(e entry) {
	e.at = m.now()
	m.entries = append(m.entries, e)
	m.showing = true
}

// status is the entry in the status line, if one is there.
func (m *messages) status() (entry, bool) {
	if !m.showing {
		return entry{}, false
	}
	return m.entries[len(m.entries)-1], true
}
