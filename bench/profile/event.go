package profile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Categories of events, as the runtime names them.
const (
	categoryNode    = "Node"
	categorySession = "Session"
	categoryKernel  = "Kernel" // of a device, as its driver timed it
)

// Names of events of the session, and what follows a node's name in that of its event.
const (
	runEvent   = "model_run"
	nodeSuffix = "_kernel_time"
)

// event is one of a trace. Times are in microseconds.
type event struct {
	Category string `json:"cat"`
	Name     string `json:"name"`
	Thread   int64  `json:"tid"`
	Start    int64  `json:"ts"`
	Duration int64  `json:"dur"`
	Args     args   `json:"args"`
	// Escaped is the name as it stands in the trace, where that reads as another one.
	Escaped string `json:"-"`
}

// args is what an event tells of a node.
type args struct {
	Op       string          `json:"op_name"`
	Provider string          `json:"provider"`
	Index    string          `json:"node_index"`
	Inputs   json.RawMessage `json:"input_type_shape"`
	// Bytes of inputs that are no constants, of those that are, and of outputs.
	Activations string `json:"activation_size"`
	Parameters  string `json:"parameter_size"`
	Outputs     string `json:"output_size"`
	// Parent is the node that started a kernel of a device.
	Parent string `json:"parent_name"`
}

// Limits of what is read.
const (
	maxEvent = 1 << 20 // bytes of one event
	maxName  = 1 << 14 // bytes of a name
	// maxDuration, a year, keeps sums of times within their type.
	maxDuration = 365 * 24 * 3600 * 1000000
)

// errTruncated tells that a trace ends before its list does.
var errTruncated = errors.New("the profile ends before its list of events does")

// events yields the events of a trace without holding more than one of them. Those that
// are no JSON are left out and counted: a name is the model's, and versions before 1.31
// write it as it is, with its quotes and ends of lines.
func events(r io.Reader, yield func(*event) error) (unread int, err error) {
	s := records{in: bufio.NewReaderSize(r, 1<<16)}
	if err := s.open(); err != nil {
		return 0, err
	}
	return s.events(yield)
}

// events yields the events of an open list.
func (s *records) events(yield func(*event) error) (unread int, err error) {
	for n := 1; ; n++ {
		raw, err := s.next()
		if errors.Is(err, io.EOF) {
			return unread, nil
		}
		if err != nil {
			return unread, err
		}
		e, ok := decode(raw)
		if !ok {
			unread++
			continue
		}
		if err := e.check(); err != nil {
			return unread, fmt.Errorf("event %d: %w", n, err)
		}
		if err := yield(e); err != nil {
			return unread, err
		}
	}
}

// Around the name in what the runtime writes.
var (
	nameBegins = []byte(`"name" :"`)
	nameEnds   = []byte(`","args" : {`)
)

// decode reads an event, whose name may be anything. The name is between the first of
// what comes before names and the last of what follows them.
func decode(raw []byte) (*event, bool) {
	var e event
	i := bytes.Index(raw, nameBegins) + len(nameBegins)
	j := bytes.LastIndex(raw, nameEnds)
	if i < len(nameBegins) || j < i {
		return &e, json.Unmarshal(raw, &e) == nil
	}
	name := string(raw[i:j])
	if json.Unmarshal(slices.Concat(raw[:i], raw[j:]), &e) != nil {
		return nil, false
	}
	e.Name = name
	if strings.Contains(name, `\`) {
		if json.Unmarshal([]byte(`"`+name+`"`), &e.Escaped) == nil {
			e.Name, e.Escaped = e.Escaped, name
		}
	}
	return &e, true
}

// check refuses what no clock gives.
func (e *event) check() error {
	switch {
	case e.Duration < 0 || e.Duration > maxDuration:
		return fmt.Errorf("a duration of %d µs", e.Duration)
	case e.Start < 0 || e.Start > maxDuration:
		return fmt.Errorf("a start at %d µs", e.Start)
	case len(e.Name) > maxName || len(e.Escaped) > maxName || len(e.Args.Op) > maxName || len(e.Args.Provider) > maxName || len(e.Args.Parent) > maxName:
		return fmt.Errorf("a name of more than %d bytes", maxName)
	}
	return nil
}

// sizeOf is a size that stands there as text, 0 for what is none.
func sizeOf(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// records finds the objects of a list that has each on a line of its own.
type records struct {
	in  *bufio.Reader
	buf bytes.Buffer
	// lenient lists may end anywhere, which cut tells, and others may follow them.
	lenient, cut bool
}

// recordBegins is what a line begins with that is not the rest of a name.
var recordBegins = []byte(`{"cat"`)

// open reads the line that opens the list.
func (s *records) open() error {
	line, err := s.in.ReadSlice('\n')
	if len(line) == 0 && err != nil {
		return errTruncated
	}
	if string(bytes.TrimSpace(line)) != "[" {
		return fmt.Errorf("a profile begins with a line [, not with %.20q", line)
	}
	return nil
}

// next is the next object, valid until the one after it, or io.EOF at the end of the
// list.
func (s *records) next() ([]byte, error) {
	if s.atEnd() {
		return nil, io.EOF
	}
	s.buf.Reset()
	if s.lenient && s.skipBrackets() {
		return nil, io.EOF
	}
	for {
		piece, err := s.in.ReadSlice('\n')
		if s.buf.Len() <= maxEvent {
			s.buf.Write(piece) // one that is too long stays so, and is no JSON
		}
		switch {
		case errors.Is(err, io.EOF) && s.lenient:
			s.cut = true
			if last := s.record(); json.Valid(last) {
				return last, nil
			}
			return nil, io.EOF
		case errors.Is(err, io.EOF):
			return nil, errTruncated
		case err == nil && s.atBoundary():
			return s.record(), nil
		case err != nil && !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// record is the object that was gathered.
func (s *records) record() []byte {
	return bytes.TrimSuffix(bytes.TrimSpace(s.buf.Bytes()), []byte(","))
}

// atBoundary reports whether what comes next is no rest of an event.
func (s *records) atBoundary() bool {
	ahead, _ := s.in.Peek(len(recordBegins)) // less near the end
	return bytes.HasPrefix(ahead, recordBegins) || s.atEnd() || s.lenient && len(bracketsAhead(ahead)) > 0
}

// bracketsAhead are the brackets, and the ends of lines around them, that close a list and open
// another one.
func bracketsAhead(ahead []byte) []byte {
	rest := bytes.TrimLeft(ahead, "[]\r\n")
	if found := ahead[:len(ahead)-len(rest)]; bytes.HasPrefix(found, []byte("]")) || bytes.HasPrefix(found, []byte("[")) {
		return found
	}
	return nil
}

// skipBrackets goes on to the next list; true at the end of the file, where it is cut off unless a
// bracket was the last.
func (s *records) skipBrackets() (end bool) {
	closed := false
	for {
		ahead, err := s.in.Peek(len(recordBegins))
		found := bracketsAhead(ahead)
		if len(found) > 0 {
			closed = true
			_, _ = s.in.Discard(len(found)) // they were peeked
			continue
		}
		if len(bytes.TrimSpace(ahead)) == 0 && errors.Is(err, io.EOF) {
			s.cut = s.cut || !closed
			return true
		}
		return false
	}
}

// atEnd reports whether what comes next is the end of the list and of the file.
func (s *records) atEnd() bool {
	const most = 4 // the bracket, and ends of lines
	ahead, err := s.in.Peek(most)
	return errors.Is(err, io.EOF) && string(bytes.TrimSpace(ahead)) == "]"
}
