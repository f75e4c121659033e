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
	categoryKernel  = "Kernel" // of a device, timed by its driver
)

// runEvent is the name of the event of a run. nodeSuffix follows a node's name in the name of
// its event.
const (
	runEvent   = "model_run"
	nodeSuffix = "_kernel_time"
)

// event is one event of a trace. Times are in microseconds.
type event struct {
	Category string `json:"cat"`
	Name     string `json:"name"`
	Thread   int64  `json:"tid"`
	Start    int64  `json:"ts"`
	Duration int64  `json:"dur"`
	Args     args   `json:"args"`
	// Escaped is the name as it is written in the trace, if it contains escape sequences such as
	// \". It is empty if the name contains none.
	Escaped string `json:"-"`
}

// args contains the details that the event of a node or of a device's kernel has.
type args struct {
	Op       string          `json:"op_name"`
	Provider string          `json:"provider"`
	Index    string          `json:"node_index"`
	Inputs   json.RawMessage `json:"input_type_shape"`
	// Activations, Parameters and Outputs are the bytes of the inputs that are not constants, of
	// the constant inputs, and of the outputs.
	Activations string `json:"activation_size"`
	Parameters  string `json:"parameter_size"`
	Outputs     string `json:"output_size"`
	// Parent is the name of the node that started the kernel, in the event of a device's kernel.
	Parent string `json:"parent_name"`
}

// The limits for one event. The trace is untrusted input.
const (
	maxEvent = 1 << 20 // bytes of one event
	maxName  = 1 << 14 // bytes of a name
	// maxDuration is one year. It ensures that sums of times do not overflow.
	maxDuration = 365 * 24 * 3600 * 1000000
)

// errTruncated means that a trace ends before the closing bracket of its list of events.
var errTruncated = errors.New("the profile ends before its list of events does")

// events yields the events of a trace without holding more than one at a time. It skips events that
// are not valid JSON and returns their number as unread. They occur because versions of ONNX
// Runtime before 1.31 do not escape quotes and line ends in names.
func events(r io.Reader, yield func(*event) error) (unread int, err error) {
	s := records{in: bufio.NewReaderSize(r, 1<<16)}
	if err := s.open(); err != nil {
		return 0, err
	}
	return s.events(yield)
}

// events yields the events of the list after open has read its first line.
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

// nameBegins and nameEnds are what the runtime writes before and after the name of an event.
var (
	nameBegins = []byte(`"name" :"`)
	nameEnds   = []byte(`","args" : {`)
)

// decode parses an event whose name may contain any bytes, even unescaped quotes. It takes the text
// between the first nameBegins and the last nameEnds as the name.
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

// check returns an error if the event's times are not plausible or one of its names is too long.
func (e *event) check() error {
	switch {
	case e.Duration < 0 || e.Duration > maxDuration:
		return fmt.Errorf("its duration of %d µs is not possible", e.Duration)
	case e.Start < 0 || e.Start > maxDuration:
		return fmt.Errorf("its start at %d µs is not possible", e.Start)
	case len(e.Name) > maxName || len(e.Escaped) > maxName || len(e.Args.Op) > maxName || len(e.Args.Provider) > maxName || len(e.Args.Parent) > maxName:
		return fmt.Errorf("it has a name of more than %d bytes", maxName)
	}
	return nil
}

// sizeOf returns the number in s, or 0 if s is not a number of at least 0.
func sizeOf(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// records splits a JSON list into its objects. Each object must begin on a line of its own.
type records struct {
	in  *bufio.Reader
	buf bytes.Buffer
	// If lenient is set, the file may end in the middle of a list, and other lists may follow the
	// first. cut is set if the file ended before its last list did.
	lenient, cut bool
}

// recordBegins is the start of a line that begins a new event. A line with another start
// continues a name that contains line ends.
var recordBegins = []byte(`{"cat"`)

// open reads the line that opens the list.
func (s *records) open() error {
	line, err := s.in.ReadSlice('\n')
	if len(line) == 0 && err != nil {
		return errTruncated
	}
	if string(bytes.TrimSpace(line)) != "[" {
		return fmt.Errorf("expected a profile, which begins with a line [, not with %.20q", line)
	}
	return nil
}

// next returns the next object of the list, or io.EOF at its end. The object is valid only until
// the following call.
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
			s.buf.Write(piece) // a longer one stays incomplete, and so is not valid JSON
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

// record returns the object whose lines next has collected, without the comma after it.
func (s *records) record() []byte {
	return bytes.TrimSuffix(bytes.TrimSpace(s.buf.Bytes()), []byte(","))
}

// atBoundary reports whether the current object is complete: whether another object, or the end of
// the list, follows in the input.
func (s *records) atBoundary() bool {
	ahead, _ := s.in.Peek(len(recordBegins)) // fewer bytes near the end
	return bytes.HasPrefix(ahead, recordBegins) || s.atEnd() || s.lenient && len(bracketsAhead(ahead)) > 0
}

// bracketsAhead returns the part at the start of ahead that closes a list or opens another one:
// brackets and line ends. It returns nothing if ahead does not start with a bracket.
func bracketsAhead(ahead []byte) []byte {
	rest := bytes.TrimLeft(ahead, "[]\r\n")
	if found := ahead[:len(ahead)-len(rest)]; bytes.HasPrefix(found, []byte("]")) || bytes.HasPrefix(found, []byte("[")) {
		return found
	}
	return nil
}

// skipBrackets skips brackets between two lists, and reports whether the file ends here. It sets
// cut if the file ends without a closing bracket.
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

// atEnd reports whether only the closing bracket of the list is left in the file.
func (s *records) atEnd() bool {
	const most = 4 // the bracket and line ends
	ahead, err := s.in.Peek(most)
	return errors.Is(err, io.EOF) && string(bytes.TrimSpace(ahead)) == "]"
}
