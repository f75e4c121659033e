package tui

import (
	"time"

	"lathe/tui/cells"
)

// entry is one message to the user.
type entry struct {
	at     time.Time
	lines  []string // safe to print
	failed bool
}

// messages are what the workbench has told the user. The status line shows the last message until
// the next key. The log shows all of them.
type messages struct {
	now     func() time.Time
	entries []entry
	showing bool // the status line shows the last entry
}

// say adds a message about something that was done.
func (m *messages) say(line string) { m.add(entry{lines: []string{cells.Prose(line)}}) }

// fail adds a message about an error. The status line shows the first line of an error of several
// lines.
func (m *messages) fail(err error) { m.add(entry{lines: cells.SafeLines(err.Error()), failed: true}) }

func (m *messages) add(e entry) {
	e.at = m.now()
	m.entries = append(m.entries, e)
	m.showing = true
}

// status returns the entry shown in the status line, if there is one.
func (m *messages) status() (entry, bool) {
	if !m.showing {
		return entry{}, false
	}
	return m.entries[len(m.entries)-1], true
}
