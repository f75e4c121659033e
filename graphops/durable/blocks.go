package durable

import "os"

// blockSize is the number of bytes written at once. It fits into the processor's cache.
const blockSize = 256 << 10

// blocks collects data for a file and writes it in blocks that start at multiples of blockSize. A
// page of the file that is written in two parts costs the system half as much again.
type blocks struct {
	file *os.File
	// data not yet written; its capacity is blockSize, or 0 before the first and after the last
	// write
	buf []byte
	at  int64 // position of buf in the file
}

func newBlocks(f *os.File) *blocks {
	return &blocks{file: f}
}

// free returns the unused part of the current block, which is never empty. The caller writes into
// it and then passes the number of bytes to extend.
func (b *blocks) free() []byte {
	if b.buf == nil {
		b.buf = make([]byte, 0, blockSize)
	}
	n := len(b.buf)
	return b.buf[n : n+int((blockSize-(b.at+int64(n))%blockSize))]
}

// extend adds the first n bytes of the slice from free to the block. If the block is full, it is
// written to the file.
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

// end writes the remaining bytes and frees the buffer. A finished file may have to wait for other
// files before it is renamed.
func (b *blocks) end() error {
	err := b.flush()
	b.buf = nil
	return err
}

// flush writes the collected data.
func (b *blocks) flush() error {
	n, err := b.file.Write(b.buf)
	b.at += int64(n)
	b.buf = b.buf[:0]
	return err
}
