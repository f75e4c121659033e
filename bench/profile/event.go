package profile

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
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

// events yields what stands in a list of JSON objects, one after the other, without
// holding more than one of them.
func events(r io.Reader, yield func(*event) error) error {
	s := splitter{in: bufio.NewReaderSize(r, 1<<16)}
	if err := s.open(); err != nil {
		return err
	}
	for n := 1; ; n++ {
		raw, err := s.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("event %d: %w", n, err)
		}
		var e event
		if err := json.Unmarshal(raw, &e); err != nil {
			return fmt.Errorf("event %d: %w", n, err)
		}
		if err := e.check(); err != nil {
			return fmt.Errorf("event %d: %w", n, err)
		}
		if err := yield(&e); err != nil {
			return err
		}
	}
}

// check refuses what no clock gives.
func (e *event) check() error {
	switch {
	case e.Duration < 0 || e.Duration > maxDuration:
		return fmt.Errorf("a duration of %d µs", e.Duration)
	case e.Start < 0 || e.Start > maxDuration:
		return fmt.Errorf("a start at %d µs", e.Start)
	case len(e.Name) > maxName || len(e.Args.Op) > maxName || len(e.Args.Provider) > maxName || len(e.Args.Parent) > maxName:
		return fmt.Errorf("a name of more than %d bytes", maxName)
	}
	return nil
}

// bytes is a size that stands there as text, 0 for what is none.
func sizeOf(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// splitter finds the objects of a list.
type splitter struct {
	in  *bufio.Reader
	buf bytes.Buffer
}

// open reads up to the bracket that opens the list.
func (s *splitter) open() error {
	b, err := s.skip()
	if err != nil {
		return errTruncated
	}
	if b != '[' {
		return fmt.Errorf("a profile begins with a list of events, not with %q", b)
	}
	return nil
}

// skip is the next byte that is no space.
func (s *splitter) skip() (byte, error) {
	for {
		b, err := s.in.ReadByte()
		if err != nil || b != ' ' && b != '\t' && b != '\r' && b != '\n' {
			return b, err
		}
	}
}

// next is the next object, valid until the one after it, or io.EOF at the end of the
// list.
func (s *splitter) next() ([]byte, error) {
	b, err := s.skip()
	if b == ',' && err == nil {
		b, err = s.skip()
	}
	switch {
	case errors.Is(err, io.EOF):
		return nil, errTruncated
	case err != nil:
		return nil, err
	case b == ']':
		return nil, io.EOF
	case b != '{':
		return nil, fmt.Errorf("an event begins with '{', not with %q", b)
	}
	s.buf.Reset()
	s.buf.WriteByte(b)
	return s.object()
}

// object reads to the brace that ends the object, a buffer at a time.
func (s *splitter) object() ([]byte, error) {
	depth, inString, escaped := 1, false, false
	for {
		if _, err := s.in.Peek(1); errors.Is(err, io.EOF) {
			return nil, errTruncated
		} else if err != nil {
			return nil, err
		}
		piece, err := s.in.Peek(s.in.Buffered())
		if err != nil {
			return nil, err
		}
		end := len(piece)
		for i, b := range piece {
			switch {
			case escaped:
				escaped = false
			case inString:
				escaped, inString = b == '\\', b != '"'
			case b == '"':
				inString = true
			case b == '{':
				depth++
			case b == '}':
				depth--
			}
			if depth == 0 {
				end = i + 1
				break
			}
		}
		if s.buf.Len()+end > maxEvent {
			return nil, fmt.Errorf("it has more than %d bytes", maxEvent)
		}
		s.buf.Write(piece[:end])
		if _, err := s.in.Discard(end); err != nil {
			return nil, err
		}
		if depth == 0 {
			return s.buf.Bytes(), nil
		}
	}
}
