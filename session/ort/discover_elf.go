package ort

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// Limits on what is read from a file that claims to be a shared library. The dynamic section of
// ONNX Runtime has 37 entries, its string table 12 KB, its version table 2 entries.
const (
	maxProgramHeaders = 256
	maxDynamicBytes   = 64 << 10
	maxStringsBytes   = 64 << 20
	maxVersionDefs    = 256
	maxNeeded         = 512
)

// A sharedObject is the content of the dynamic section of an ELF file.
type sharedObject struct {
	machine  elf.Machine
	soname   string
	versions []string // symbol versions it defines
	needed   []string // names of the libraries that must be loaded with it, in file order
	rpath    string   // DT_RPATH, not expanded
	runpath  string   // DT_RUNPATH, not expanded
	strings  []byte   // the dynamic string table: the names of all its dynamic symbols, and more
}

// names reports whether the library may export or need this symbol. It only checks whether the
// string table contains the name. A library that exports the symbol has its name there. The name
// can also be the end of a longer one, since linkers store "close" within "fclose".
func (s *sharedObject) names(symbol string) bool {
	return bytes.Contains(s.strings, []byte(symbol+"\x00"))
}

// Exports reports whether a library has a function with this name. It returns an error if the file
// is not a library for this machine.
func Exports(path, function string) (bool, error) {
	so, err := readLibrary(path)
	if err != nil {
		return false, err
	}
	if want := elfMachines[thisPlatform()]; want != 0 && so.machine != want {
		return false, fmt.Errorf("built for %s, expected %s", so.machine, want)
	}
	return so.names(function), nil
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
	if so.strings, err = f.at(dyn.tags[elf.DT_STRTAB], dyn.tags[elf.DT_STRSZ], maxStringsBytes); err != nil {
		return nil, fmt.Errorf("dynamic string table: %w", err)
	}
	so.soname = so.text(dyn, elf.DT_SONAME)
	so.rpath, so.runpath = so.text(dyn, elf.DT_RPATH), so.text(dyn, elf.DT_RUNPATH)
	for _, offset := range dyn.needed {
		so.needed = append(so.needed, stringAt(so.strings, offset))
	}
	if addr, ok := dyn.tags[elf.DT_VERDEF]; ok {
		so.versions, err = f.versionDefs(addr, dyn.tags[elf.DT_VERDEFNUM], so.strings)
	}
	return so, err
}

// text returns the string that a tag of the dynamic section points at, or "" if the tag is absent.
func (s *sharedObject) text(dyn dynamicSection, tag elf.DynTag) string {
	offset, ok := dyn.tags[tag]
	if !ok {
		return ""
	}
	return stringAt(s.strings, offset)
}

// A dynamicSection contains one value for each tag. If a tag is repeated, it is the first value.
// The values of DT_NEEDED, which is normally repeated, are in a list of their own.
type dynamicSection struct {
	tags   map[elf.DynTag]uint64
	needed []uint64 // offsets of the names
}

func (f *elfFile) dynamic() (dynamicSection, error) {
	dyn := dynamicSection{tags: make(map[elf.DynTag]uint64)}
	for _, p := range f.progs {
		if elf.ProgType(p.Type) != elf.PT_DYNAMIC {
			continue
		}
		raw, err := f.read(p.Off, p.Filesz, maxDynamicBytes)
		if err != nil {
			return dyn, fmt.Errorf("dynamic section: %w", err)
		}
		for ; len(raw) >= 16; raw = raw[16:] {
			tag := elf.DynTag(binary.LittleEndian.Uint64(raw))
			if tag == elf.DT_NULL {
				break
			}
			value := binary.LittleEndian.Uint64(raw[8:])
			if _, seen := dyn.tags[tag]; !seen {
				dyn.tags[tag] = value
			}
			if tag == elf.DT_NEEDED {
				dyn.needed = append(dyn.needed, value)
			}
		}
		if len(dyn.needed) > maxNeeded {
			return dyn, fmt.Errorf("needs %d libraries, expected at most %d", len(dyn.needed), maxNeeded)
		}
		return dyn, nil
	}
	return dyn, errors.New("no dynamic section")
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
