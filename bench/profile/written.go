package profile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// ReadWritten reads a trace from a file that was stored, truncated or converted since the
// runtime wrote it. It may end in the middle of an event, have another JSON layout, have its events
// in "traceEvents", or contain the traces of several sessions. Read is for a trace that comes
// directly from the runtime.
//
// Of several sessions the first one with runs is evaluated, and Sessions is their number. The first
// of several runs is skipped, because the runtime allocates memory and chooses kernels in it.
func ReadWritten(r io.ReadSeeker) (*Trace, error) {
	t, err := readWritten(r, 1)
	if !errors.Is(err, ErrNoRuns) {
		return t, err
	}
	if _, err := r.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return readWritten(r, 0)
}

func readWritten(r io.Reader, skip int) (*Trace, error) {
	var t *Trace
	b := newBuilder(skip)
	sessions := 0
	take := func(e *event) error {
		if t != nil { // only count the remaining sessions
			sessions += begins(e)
			return nil
		}
		if n := begins(e); n > 0 {
			if sessions += n; b.trace.Runs > 0 || b.whole != nil && b.trace.Skipped >= skip {
				var err error
				t, err = b.end()
				return err
			}
			b = newBuilder(skip)
			return nil
		}
		return b.take(e)
	}
	unread, cut, err := writtenEvents(r, take)
	if err == nil && t == nil {
		t, err = b.end()
	}
	if err != nil {
		return nil, readingError(err)
	}
	t.Unread, t.Cut, t.Sessions = unread, t.Cut || cut, max(sessions, 1)
	return t, nil
}

// sessionEvent is the event at the start of a session.
const sessionEvent = "session_initialization"

func begins(e *event) int {
	if e.Category == categorySession && e.Name == sessionEvent {
		return 1
	}
	return 0
}

// readingError says in the error that a profile was being read. It returns ErrNoRuns unchanged.
func readingError(err error) error {
	if errors.Is(err, ErrNoRuns) {
		return err
	}
	return fmt.Errorf("reading the runtime's profile: %w", err)
}

// writtenEvents yields the events of a file in any of the forms that ReadWritten accepts. cut is
// set if the file ends before its list of events does.
func writtenEvents(r io.Reader, yield func(*event) error) (unread int, cut bool, err error) {
	in := bufio.NewReaderSize(r, 1<<16)
	if asRuntimeWrites(in) {
		s := records{in: in, lenient: true}
		if err := s.open(); err != nil {
			return 0, false, err
		}
		unread, err := s.events(yield)
		return unread, s.cut, err
	}
	return jsonEvents(in, yield)
}

// asRuntimeWrites reports whether each event is on a line of its own, as the runtime writes it.
// Such a file may contain names that are not escaped.
func asRuntimeWrites(in *bufio.Reader) bool {
	head, _ := in.Peek(64) // fewer bytes near the end
	first, rest, _ := bytes.Cut(head, []byte("\n"))
	return string(bytes.TrimSpace(first)) == "[" && (bytes.HasPrefix(rest, recordBegins) || len(bytes.TrimSpace(rest)) <= 1)
}

// jsonEvents yields the events of a JSON document with any layout that has a list of events.
func jsonEvents(in io.Reader, yield func(*event) error) (unread int, cut bool, err error) {
	dec := json.NewDecoder(in)
	if err := findList(dec); err != nil {
		return 0, false, err
	}
	for n := 1; dec.More(); n++ {
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return unread, true, nil // the start of the next event cannot be found
		}
		var e event
		if len(raw) > maxEvent || json.Unmarshal(raw, &e) != nil {
			unread++
			continue
		}
		if err := e.check(); err != nil {
			return unread, false, fmt.Errorf("event %d: %w", n, err)
		}
		if err := yield(&e); err != nil {
			return unread, false, err
		}
	}
	_, err = dec.Token()
	return unread, err != nil, nil
}

// findList advances dec to the first event of the list, which is the document itself or the value
// of its key "traceEvents".
func findList(dec *json.Decoder) error {
	none := errors.New("holds no list of events")
	switch t, err := dec.Token(); {
	case err != nil:
		return none
	case t == json.Delim('['):
		return nil
	case t != json.Delim('{'):
		return none
	}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return none
		}
		if key == "traceEvents" {
			if t, err := dec.Token(); err != nil || t != json.Delim('[') {
				return none
			}
			return nil
		}
		var other json.RawMessage
		if err := dec.Decode(&other); err != nil {
			return none
		}
	}
	return none
}
