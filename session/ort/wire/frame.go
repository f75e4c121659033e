package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"google.golang.org/protobuf/proto"
)

// A frame is an 8-byte header, a message and a payload. The header holds the
// lengths of the two as little-endian uint32. Only Data frames have a payload:
// tensor bytes travel beside the messages, so neither end encodes or copies
// them into one.
const headerSize = 8

// ErrTooLarge is in the chain of the error of a frame beyond the limits.
var ErrTooLarge = errors.New("a frame is too large")

// Writer sends frames. It may be used by several goroutines; a frame is never
// torn.
type Writer struct {
	mu  sync.Mutex
	out io.Writer
	buf []byte
}

// NewWriter returns a Writer to out.
func NewWriter(out io.Writer) *Writer { return &Writer{out: out} }

// Send writes one frame. A message or payload above the limits is an error
// before anything is written, after which the connection is still good.
func (w *Writer) Send(m proto.Message, payload []byte) error {
	if size := proto.Size(m); size > MaxMessage {
		return fmt.Errorf("%w: a message of %d bytes, where %d are the limit", ErrTooLarge, size, MaxMessage)
	}
	if len(payload) > MaxPayload {
		return fmt.Errorf("%w: a payload of %d bytes, where %d are the limit", ErrTooLarge, len(payload), MaxPayload)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	frame, err := proto.MarshalOptions{}.MarshalAppend(append(w.buf[:0], make([]byte, headerSize)...), m)
	if err != nil {
		return err
	}
	binary.LittleEndian.PutUint32(frame, uint32(len(frame)-headerSize))
	binary.LittleEndian.PutUint32(frame[4:], uint32(len(payload)))
	if cap(frame) <= MaxPayload { // a rare giant is not kept
		w.buf = frame
	}
	if _, err := w.out.Write(frame); err != nil || len(payload) == 0 {
		return err
	}
	_, err = w.out.Write(payload)
	return err
}

// Reader receives frames. It is for one goroutine.
type Reader struct {
	in      *bufio.Reader
	message bytes.Buffer
	payload int // bytes of the current frame's payload that are still unread
}

// NewReader returns a Reader from in, which may be a *bufio.Reader that the
// greeting was found in.
func NewReader(in io.Reader) *Reader {
	return &Reader{in: bufio.NewReaderSize(in, 64<<10)}
}

// Next reads the next frame's message into m, skipping what was left of the
// payload before it. It returns io.EOF, bare, only where a frame would begin.
func (r *Reader) Next(m proto.Message) error {
	if _, err := r.in.Discard(r.payload); err != nil {
		return fmt.Errorf("reading a payload: %w", unexpected(err))
	}
	r.payload = 0
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
		return fmt.Errorf("%w: %d and %d bytes, where %d and %d are the limits", ErrTooLarge, message, payload, MaxMessage, MaxPayload)
	}
	if err := r.readMessage(int64(message), m); err != nil {
		return err
	}
	r.payload = int(payload)
	return nil
}

func (r *Reader) readMessage(size int64, m proto.Message) error {
	r.message.Reset()
	if _, err := io.CopyN(&r.message, r.in, size); err != nil {
		return fmt.Errorf("reading a message: %w", unexpected(err))
	}
	if err := proto.Unmarshal(r.message.Bytes(), m); err != nil {
		return fmt.Errorf("decoding a message: %w", err)
	}
	if r.message.Cap() > MaxPayload {
		r.message = bytes.Buffer{}
	}
	return nil
}

// Payload is the number of bytes of the current frame's payload that are
// still unread.
func (r *Reader) Payload() int { return r.payload }

// ReadPayload fills p from the current frame's payload.
func (r *Reader) ReadPayload(p []byte) error {
	if len(p) > r.payload {
		return fmt.Errorf("%d bytes wanted of a payload with %d left", len(p), r.payload)
	}
	n, err := io.ReadFull(r.in, p)
	r.payload -= n
	if err != nil {
		return fmt.Errorf("reading a payload: %w", unexpected(err))
	}
	return nil
}

// unexpected keeps an end inside a frame apart from an orderly one.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
