package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"
)

// A frame is an 8-byte header, a message, a payload and a newline. The header contains the lengths
// of message and payload as little-endian uint32. Only Data frames have a payload. The bytes of
// tensors are sent in payloads, outside the messages, so that neither end has to encode or copy
// them into a message.
//
// The newline makes launchers that pass output on line by line, such as Slurm's srun without -u,
// forward the frame at once. It also shows that a frame arrived as it was sent.
const (
	headerSize = 8
	frameEnd   = '\n'
)

// ErrTooLarge is in the chain of the error for a frame whose message or payload exceeds MaxMessage
// or MaxPayload.
var ErrTooLarge = errors.New("a frame is too large")

// ErrDecoding is in the chain of the error for a frame whose message cannot be decoded. It probably
// comes from another version of Lathe.
var ErrDecoding = errors.New("decoding a message")

// Errors for a frame whose parts contradict each other.
var (
	ErrStray = errors.New("a frame without Data has a payload")
	ErrMixed = errors.New("a message is of several kinds at once")
)

// Message is a *Request or a *Reply.
type Message interface{ isData() bool }

func (r *Request) isData() bool { return r.Data != nil }
func (r *Reply) isData() bool   { return r.Data != nil }

// Writer sends frames. It is safe for concurrent use; frames are never interleaved.
type Writer struct {
	mu    sync.Mutex
	out   io.Writer
	frame bytes.Buffer
}

// NewWriter returns a Writer that writes to out.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// Send writes one frame. If the message or payload exceeds a limit, it returns an error before it
// writes anything, and the connection can still be used.
func (w *Writer) Send(m Message, payload []byte) error {
	if len(payload) > MaxPayload {
		return fmt.Errorf("%w: its payload has %d bytes, at most %d are allowed", ErrTooLarge, len(payload), MaxPayload)
	}
	if len(payload) > 0 && !m.isData() {
		return ErrStray
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	frame, err := w.encode(m, len(payload))
	if err != nil {
		return err
	}
	if len(payload) == 0 {
		_, err = w.out.Write(append(frame, frameEnd))
		return err
	}
	if _, err := w.out.Write(frame); err != nil {
		return err
	}
	if _, err := w.out.Write(payload); err != nil {
		return err
	}
	_, err = w.out.Write([]byte{frameEnd})
	return err
}

// encode returns the beginning of a frame, up to its payload. It is valid until the next call.
func (w *Writer) encode(m Message, payload int) ([]byte, error) {
	w.frame.Reset()
	w.frame.Write(make([]byte, headerSize))
	if err := encoding.MarshalToBuffer(m, &w.frame); err != nil {
		return nil, fmt.Errorf("encoding a message: %w", err)
	}
	frame := w.frame.Bytes()
	if cap(frame) > MaxPayload {
		w.frame = bytes.Buffer{} // do not keep the memory of a rare large frame
	}
	message := len(frame) - headerSize
	if message > MaxMessage {
		return nil, fmt.Errorf("%w: its message has %d bytes, at most %d are allowed", ErrTooLarge, message, MaxMessage)
	}
	if message > MaxDecoded/keyWeight { // a shorter one cannot take more
		if err := checkWeight(weigh(frame[headerSize:], reflect.TypeOf(m).Elem(), MaxDecoded), MaxDecoded); err != nil {
			return nil, err
		}
	}
	binary.LittleEndian.PutUint32(frame, uint32(message))
	binary.LittleEndian.PutUint32(frame[4:], uint32(payload))
	return frame, nil
}

// Reader receives frames. It is not safe for concurrent use.
type Reader struct {
	in      *bufio.Reader
	message bytes.Buffer
	payload int   // unread bytes of the current frame's payload
	weight  int64 // memory that the current frame's message takes
}

// NewReader returns a Reader that reads from in. A client has to pass the *bufio.Reader with which
// it read the greeting, because that may have buffered the first frames.
func NewReader(in io.Reader) *Reader {
	return &Reader{in: bufio.NewReaderSize(in, 64<<10)}
}

// Next reads the next frame's message into m and skips the unread part of the previous payload. It
// returns io.EOF, unwrapped, only if the input ends between two frames.
//
// If the bytes cannot have been written by a Writer, the error says where they probably come from:
// ErrSeveral, ErrForeign, ErrTooLarge, ErrTorn or ErrDecoding. It is ErrStray or ErrMixed if parts of
// the frame contradict each other.
func (r *Reader) Next(m Message) error {
	if err := r.skipPayload(); err != nil {
		return err
	}
	var header [headerSize]byte
	if _, err := io.ReadFull(r.in, header[:1]); err != nil {
		return err
	}
	if _, err := io.ReadFull(r.in, header[1:]); err != nil {
		return fmt.Errorf("reading a frame's header: %w", unexpected(err))
	}
	message := binary.LittleEndian.Uint32(header[:])
	payload := binary.LittleEndian.Uint32(header[4:])
	if message > MaxMessage || payload > MaxPayload {
		tooLarge := fmt.Errorf("%w: message and payload have %d and %d bytes, at most %d and %d are allowed", ErrTooLarge, message, payload, MaxMessage, MaxPayload)
		return r.intruder(header[:], tooLarge)
	}
	if err := r.readMessage(int64(message), m); err != nil {
		return err
	}
	if r.payload = int(payload); r.payload == 0 {
		if err := r.readEnd(r.message.Bytes()); err != nil {
			return err
		}
	}
	switch {
	case r.payload > 0 && !m.isData():
		return ErrStray
	case kinds(m) > 1:
		return ErrMixed
	}
	return nil
}

// kinds returns how many of the fields that say what kind a message is are set.
func kinds(m Message) int {
	n := 0
	fields := reflect.ValueOf(m).Elem()
	for i := range fields.NumField() {
		if f := fields.Field(i); f.Kind() == reflect.Pointer && !f.IsNil() {
			n++
		}
	}
	return n
}

// skipPayload drops the unread part of the current frame's payload and the newline after it.
func (r *Reader) skipPayload() error {
	if r.payload == 0 {
		return nil
	}
	if _, err := r.in.Discard(r.payload); err != nil {
		return fmt.Errorf("reading a payload: %w", unexpected(err))
	}
	r.payload = 0
	return r.readEnd(nil)
}

// readEnd reads the newline that ends a frame. If there is another byte, readEnd returns the error
// that intruder finds for it. before is what was read directly before.
func (r *Reader) readEnd(before []byte) error {
	b, err := r.in.ReadByte()
	switch {
	case err != nil:
		return fmt.Errorf("reading a frame's end: %w", unexpected(err))
	case b != frameEnd:
		return r.intruder(append(before, b), ErrTorn)
	}
	return nil
}

func (r *Reader) readMessage(size int64, m Message) error {
	if r.message.Cap() > MaxPayload {
		r.message = bytes.Buffer{} // do not keep the memory of a rare large message
	}
	r.message.Reset()
	if _, err := io.CopyN(&r.message, r.in, size); err != nil {
		return fmt.Errorf("reading a message: %w", unexpected(err))
	}
	r.weight = int64(reflect.TypeOf(m).Elem().Size()) + weigh(r.message.Bytes(), reflect.TypeOf(m).Elem(), MaxDecoded)
	if err := checkWeight(r.weight, MaxDecoded); err != nil {
		return err
	}
	if err := decoding.Unmarshal(r.message.Bytes(), m); err != nil {
		// The library's error may be io.EOF, which would mean that the input has ended.
		return r.intruder(r.message.Bytes(), fmt.Errorf("%w: %s", ErrDecoding, err.Error()))
	}
	return nil
}

// Weight returns how many bytes of memory the current frame's message takes, at most.
func (r *Reader) Weight() int64 { return r.weight }

// Payload returns the number of unread bytes of the current frame's payload.
func (r *Reader) Payload() int { return r.payload }

// ReadPayload fills p with the next bytes of the current frame's payload. It returns an error if
// fewer are left.
func (r *Reader) ReadPayload(p []byte) error {
	if len(p) > r.payload {
		return fmt.Errorf("%d bytes requested from a payload that has only %d left", len(p), r.payload)
	}
	if len(p) == 0 {
		return nil
	}
	n, err := io.ReadFull(r.in, p)
	r.payload -= n
	if err != nil {
		return fmt.Errorf("reading a payload: %w", unexpected(err))
	}
	if r.payload > 0 {
		return nil
	}
	return r.readEnd(nil)
}
