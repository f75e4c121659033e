package graphops

import "os"

// blockSize is what is written at once. It fits into the processor's own memory,
// through which all of it goes.
const blockSize = 256 << 10

// blocks collects what is written to a file and writes it in blocks that begin at
// multiples of their size: a page of the file that is written in two parts costs
// the system half as much again.
type blocks struct {
	file *os.File
	buf  []byte // collected, not yet written; its capacity is blockSize, or 0 before and after
	at   int64  // where in the file buf begins
}

func newBlocks(f *os.File) *blocks {
	return &blocks{file: f}
}

// free is the part of the block that can be filled, never empty. What is filled
// counts when it is passed to extend.
func (b *blocks) free() []byte {
	if b.buf == nil {
		b.buf = make([]byte, 0, blockSize)
	}
	n := len(b.buf)
	return b.buf[n : n+int((blockSize-(b.at+int64(n))%blockSize))]
}

// extend takes n bytes that were put into free, and writes the block if it is
// full.
func (b *blocks) extend(n int) error {
	b.buf = b.buf[:len(b.buf)+n]
	if (b.at+int64(len(b.buf)))%blockSize == 0 {
		return b.flush()
	}
	return nil
}

func (b *blocks) Write(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		k := copy(b.free(), p[n:])
		n += k
		err = b.extend(k)
	}
	return n, err
}

// end writes what is left and gives the memory back: a file that waits for others
// to take their places with it holds none.
func (b *blocks) end() error {
	err := b.flush()
	b.buf = nil
	return err
}

// flush writes what has been collected.
func (b *blocks) flush() error {
	n, err := b.file.Write(b.buf)
	b.at += int64(n)
	b.buf = b.buf[:0]
	return err
}
