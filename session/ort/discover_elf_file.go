package ort

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// An elfFile reads the parts of an ELF file that its program headers refer to. It never allocates
// more than the file contains.
type elfFile struct {
	r     io.ReaderAt
	size  uint64
	progs []elf.Prog64
}

func (f *elfFile) readHeaders() (elf.Machine, error) {
	ident, err := f.read(0, min(f.size, elf.EI_NIDENT), elf.EI_NIDENT)
	if err != nil {
		return 0, err
	}
	if len(ident) == 0 {
		return 0, errors.New("empty file")
	}
	if !bytes.HasPrefix(ident, []byte(elf.ELFMAG)) {
		return 0, fmt.Errorf("not an ELF file: it starts with %q", ident[:min(len(ident), 4)])
	}
	var h elf.Header64
	switch {
	case len(ident) < elf.EI_NIDENT:
		return 0, errors.New("truncated ELF file")
	case elf.Class(ident[elf.EI_CLASS]) != elf.ELFCLASS64:
		return 0, errors.New("not a 64-bit library")
	case elf.Data(ident[elf.EI_DATA]) != elf.ELFDATA2LSB:
		return 0, errors.New("not a little-endian library")
	}
	if err := f.record(0, &h); err != nil {
		return 0, err
	}
	switch {
	case elf.Type(h.Type) != elf.ET_DYN:
		return 0, errors.New("not a shared library")
	case h.Phnum > maxProgramHeaders || h.Phnum == 0:
		return 0, fmt.Errorf("%d program headers, expected 1 to %d", h.Phnum, maxProgramHeaders)
	case int(h.Phentsize) != binary.Size(elf.Prog64{}):
		return 0, fmt.Errorf("program headers of %d bytes, expected %d", h.Phentsize, binary.Size(elf.Prog64{}))
	}
	f.progs = make([]elf.Prog64, h.Phnum)
	return elf.Machine(h.Machine), f.record(h.Phoff, f.progs)
}

// read returns n bytes at a file offset. It returns an error if n exceeds limit or the file is too
// short.
func (f *elfFile) read(offset, n, limit uint64) ([]byte, error) {
	switch {
	case n > limit:
		return nil, fmt.Errorf("claims %d bytes, expected at most %d", n, limit)
	case offset > f.size || n > f.size-offset:
		return nil, fmt.Errorf("wants %d bytes at byte %d, the file ends at %d", n, offset, f.size)
	case n == 0:
		return nil, nil
	}
	buf := make([]byte, n)
	_, err := io.ReadFull(io.NewSectionReader(f.r, int64(offset), int64(n)), buf)
	return buf, err
}

func (f *elfFile) record(offset uint64, v any) error {
	n := uint64(binary.Size(v))
	raw, err := f.read(offset, n, n)
	if err != nil {
		return err
	}
	_, err = binary.Decode(raw, binary.LittleEndian, v)
	return err
}

// at returns n bytes at a virtual address. It returns an error if n exceeds limit or the address is
// not in the file.
func (f *elfFile) at(addr, n, limit uint64) ([]byte, error) {
	offset, err := f.offset(addr)
	if err != nil {
		return nil, err
	}
	return f.read(offset, n, limit)
}

func (f *elfFile) recordAt(addr uint64, v any) error {
	offset, err := f.offset(addr)
	if err != nil {
		return err
	}
	return f.record(offset, v)
}

// offset translates a virtual address into a file offset.
func (f *elfFile) offset(addr uint64) (uint64, error) {
	for _, p := range f.progs {
		if elf.ProgType(p.Type) == elf.PT_LOAD && addr >= p.Vaddr && addr-p.Vaddr < p.Filesz {
			return p.Off + (addr - p.Vaddr), nil
		}
	}
	return 0, fmt.Errorf("address %#x lies in no loaded segment", addr)
}

// stringAt returns the zero-terminated string at an offset of a string table, or "" if the offset
// is out of range.
func stringAt(table []byte, offset uint64) string {
	if offset >= uint64(len(table)) {
		return ""
	}
	s, _, _ := bytes.Cut(table[offset:], []byte{0})
	return string(s)
}
