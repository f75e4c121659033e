package shell

import (
	"time"

	"lathe/tui/cells"
)

// Entry is one message to the user.
type Entry struct {
	at     time.Time
	Lines  []string // safe to print
	Failed bool
}

// Log contains what the workbench has reported to the user. The status line shows the last message until
// the next key. The log shows all of them.
type Log struct {
	Now     func() time.Time
	Entries []Entry
	Showing bool // the status line shows the last entry
}

// Say adds a message about something that was done.
func (m *Log) Say(line string) { m.Add(Entry{Lines: []string{cells.Prose(line)}}) }

// Fail adds a message about an error. The status line shows the first line of an error of several
// lines.
func (m *Log) Fail(err error) { m.Add(Entry{Lines: cells.SafeLines(err.Error()), Failed: true}) }

// Add adds a message.
func (m *Log) Add(e Entry) {
	e.at = m.Now()
	m.Entries = append(m.Entries, e)
	m.Showing = true
}

// Status returns the entry shown in the status line, if there is one.
func (m *Log) Status() (Entry, bool) {
	if !m.Showing {
		return Entry{}, false
	}
	return m.Entries[len(m.Entries)-1], true
}
