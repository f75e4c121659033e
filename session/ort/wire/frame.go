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

// A frame is an 8-byte header, a message, a payload and a line end. The header
// holds the lengths of message and payload as little-endian uint32. Only Data
// frames have a payload: tensor bytes travel beside the messages, so neither end
// encodes or copies them into one.
//
// The line end gets a frame through launchers that pass output on line by line, as
// Slurm's srun does unless it has -u. It also shows that a frame arrived as it was sent.
const (
	headerSize = 8
	frameEnd   = '\n'
)

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
//
// Bytes that no Writer sends are an error that says what they look like: ErrSeveral,
// ErrForeign, ErrTooLarge or ErrTorn.
func (r *Reader) Next(m proto.Message) error {
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
		tooLarge := fmt.Errorf("%w: %d and %d bytes, where %d and %d are the limits", ErrTooLarge, message, payload, MaxMessage, MaxPayload)
		return r.intruder(header[:], tooLarge)
	}
	if err := r.readMessage(int64(message), m); err != nil {
		return err
	}
	r.payload = int(payload)
	if r.payload > 0 {
		return nil
	}
	return r.readEnd(r.message.Bytes())
}

// skipPayload drops what is unread of the current frame's payload, and its end.
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

// readEnd reads the end of a frame. What was read before helps to tell what went wrong.
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

func (r *Reader) readMessage(size int64, m proto.Message) error {
	if r.message.Cap() > MaxPayload {
		r.message = bytes.Buffer{} // a rare giant is not kept
	}
	r.message.Reset()
	if _, err := io.CopyN(&r.message, r.in, size); err != nil {
		return fmt.Errorf("reading a message: %w", unexpected(err))
	}
	if err := proto.Unmarshal(r.message.Bytes(), m); err != nil {
		return r.intruder(r.message.Bytes(), fmt.Errorf("decoding a message: %w", err))
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
