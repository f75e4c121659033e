package ort

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Bounds on what is read from a file that calls itself a shared library. The dynamic section of
// ONNX Runtime has 37 entries, its string table 12 KB, its version table 2 entries.
const (
	maxProgramHeaders = 256
	maxDynamicBytes   = 64 << 10
	maxStringsBytes   = 64 << 20
	maxVersionDefs    = 256
)

// A sharedObject is what the dynamic section of an ELF file says of it.
type sharedObject struct {
	machine  elf.Machine
	soname   string
	versions []string // symbol versions it defines
	strings  []byte   // the dynamic string table: the names of all its dynamic symbols, and more
}

// names reports whether the dynamic symbols may include one of this name: the string table holds
// it. What exports a symbol has it there, though perhaps as the end of a longer name: linkers
// store "close" within "fclose".
func (s *sharedObject) names(symbol string) bool {
	return bytes.Contains(s.strings, []byte(symbol+"\x00"))
}

// readELF reads the dynamic section of a 64-bit little-endian shared object. It follows program
// headers, as the loader does, so it works on stripped files. It uses only the record types of
// debug/elf: that package's own reader follows section headers and may panic on, or read all of,
// a malformed file.
func readELF(r io.ReaderAt, size int64) (*sharedObject, error) {
	f := elfFile{r: r, size: uint64(max(size, 0))}
	machine, err := f.readHeaders()
	if err != nil {
		return nil, err
	}
	dyn, err := f.dynamic()
	if err != nil {
		return nil, err
	}
	so := &sharedObject{machine: machine}
	if so.strings, err = f.at(dyn[elf.DT_STRTAB], dyn[elf.DT_STRSZ], maxStringsBytes); err != nil {
		return nil, fmt.Errorf("dynamic string table: %w", err)
	}
	if offset, ok := dyn[elf.DT_SONAME]; ok {
		so.soname = stringAt(so.strings, offset)
	}
	if addr, ok := dyn[elf.DT_VERDEF]; ok {
		so.versions, err = f.versionDefs(addr, dyn[elf.DT_VERDEFNUM], so.strings)
	}
	return so, err
}

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

// dynamic reads the dynamic section: one value per tag, the first where a tag repeats.
func (f *elfFile) dynamic() (map[elf.DynTag]uint64, error) {
	for _, p := range f.progs {
		if elf.ProgType(p.Type) != elf.PT_DYNAMIC {
			continue
		}
		raw, err := f.read(p.Off, p.Filesz, maxDynamicBytes)
		if err != nil {
			return nil, fmt.Errorf("dynamic section: %w", err)
		}
		tags := make(map[elf.DynTag]uint64)
		for ; len(raw) >= 16; raw = raw[16:] {
			tag := elf.DynTag(binary.LittleEndian.Uint64(raw))
			if tag == elf.DT_NULL {
				break
			}
			if _, seen := tags[tag]; !seen {
				tags[tag] = binary.LittleEndian.Uint64(raw[8:])
			}
		}
		return tags, nil
	}
	return nil, errors.New("no dynamic section")
}

// The layout of a version definition and of its first auxiliary entry, which holds the name.
type (
	verdef struct {
		Version, Flags, Index, Count uint16
		Hash, Aux, Next              uint32
	}
	verdaux struct{ Name, Next uint32 }
)

// versionDefs walks the chain of version definitions. The entry with the base flag names the
// library itself and is left out.
func (f *elfFile) versionDefs(addr, count uint64, names []byte) ([]string, error) {
	const isBase = 1
	if count > maxVersionDefs {
		return nil, fmt.Errorf("defines %d symbol versions, expected at most %d", count, maxVersionDefs)
	}
	var versions []string
	for range count {
		var def verdef
		var aux verdaux
		if err := f.recordAt(addr, &def); err != nil {
			return nil, fmt.Errorf("symbol versions: %w", err)
		}
		if err := f.recordAt(addr+uint64(def.Aux), &aux); err != nil {
			return nil, fmt.Errorf("symbol versions: %w", err)
		}
		if def.Flags&isBase == 0 {
			versions = append(versions, stringAt(names, uint64(aux.Name)))
		}
		if def.Next == 0 {
			break
		}
		addr += uint64(def.Next)
	}
	return versions, nil
}

// read returns n bytes at a file offset; it allocates only what the file really holds.
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

// at reads n bytes at a virtual address.
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

// offset translates a virtual address into a place in the file.
func (f *elfFile) offset(addr uint64) (uint64, error) {
	for _, p := range f.progs {
		if elf.ProgType(p.Type) == elf.PT_LOAD && addr >= p.Vaddr && addr-p.Vaddr < p.Filesz {
			return p.Off + (addr - p.Vaddr), nil
		}
	}
	return 0, fmt.Errorf("address %#x lies in no loaded segment", addr)
}

// stringAt returns the zero-terminated string at an offset of a string table; out of range it is empty.
func stringAt(table []byte, offset uint64) string {
	if offset >= uint64(len(table)) {
		return ""
	}
	s, _, _ := bytes.Cut(table[offset:], []byte{0})
	return string(s)
}
