package ort

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
)

// An elfSpec describes a shared library of a few hundred bytes.
type elfSpec struct {
	machine  elf.Machine
	class    elf.Class
	data     elf.Data
	kind     elf.Type
	soname   string
	versions []string
	symbols  []string
	needed   []string
	rpath    string
	runpath  string
}

// runtimeSpec is what ONNX Runtime looks like to the loader.
func runtimeSpec(version string) elfSpec {
	s := librarySpec("libonnxruntime.so.1")
	s.versions, s.symbols = []string{"VERS_" + version}, []string{entryPoint}
	return s
}

// librarySpec is a library for linux/amd64 that needs others.
func librarySpec(soname string, needed ...string) elfSpec {
	return elfSpec{
		machine: elf.EM_X86_64, class: elf.ELFCLASS64, data: elf.ELFDATA2LSB, kind: elf.ET_DYN,
		soname: soname, needed: needed,
	}
}

// runtimeELF is a library that discovery takes for this version of ONNX Runtime on linux/amd64.
func runtimeELF(version string) []byte { return runtimeSpec(version).build() }

// loadAddress differs from the file offset, so that a reader that mixes them up is found out.
const loadAddress = 0x10000

// build lays out header, two program headers, strings, version definitions and dynamic section.
func (s elfSpec) build() []byte {
	strs := []byte{0}
	intern := func(text string) uint64 {
		at := len(strs)
		strs = append(append(strs, text...), 0)
		return uint64(at)
	}
	soname := intern(s.soname)
	for _, symbol := range s.symbols {
		intern(symbol)
	}
	needs := []elf.Dyn64{}
	for _, name := range s.needed {
		needs = append(needs, elf.Dyn64{Tag: int64(elf.DT_NEEDED), Val: intern(name)})
	}
	for tag, path := range map[elf.DynTag]string{elf.DT_RPATH: s.rpath, elf.DT_RUNPATH: s.runpath} {
		if path != "" {
			needs = append(needs, elf.Dyn64{Tag: int64(tag), Val: intern(path)})
		}
	}
	defs := s.versionDefs(intern)

	const start = 64 + 2*56
	strsAt := uint64(start)
	defsAt := strsAt + uint64(len(strs))
	dynAt := defsAt + uint64(len(defs))
	dyn := append(needs, []elf.Dyn64{
		{Tag: int64(elf.DT_STRTAB), Val: loadAddress + strsAt},
		{Tag: int64(elf.DT_STRSZ), Val: uint64(len(strs))},
		{Tag: int64(elf.DT_SONAME), Val: soname},
		{Tag: int64(elf.DT_VERDEF), Val: loadAddress + defsAt},
		{Tag: int64(elf.DT_VERDEFNUM), Val: uint64(len(s.versions) + 1)},
		{Tag: int64(elf.DT_NULL)},
	}...)
	size := dynAt + uint64(binary.Size(dyn))
	h := elf.Header64{
		Type: uint16(s.kind), Machine: uint16(s.machine), Version: 1, Phoff: 64,
		Ehsize: 64, Phentsize: 56, Phnum: 2,
	}
	copy(h.Ident[:], elf.ELFMAG)
	h.Ident[elf.EI_CLASS], h.Ident[elf.EI_DATA], h.Ident[elf.EI_VERSION] = byte(s.class), byte(s.data), 1
	var b bytes.Buffer
	for _, part := range []any{
		h,
		elf.Prog64{Type: uint32(elf.PT_LOAD), Vaddr: loadAddress, Filesz: size, Memsz: size},
		elf.Prog64{Type: uint32(elf.PT_DYNAMIC), Off: dynAt, Vaddr: loadAddress + dynAt, Filesz: size - dynAt},
		strs, defs, dyn,
	} {
		if err := binary.Write(&b, binary.LittleEndian, part); err != nil {
			panic(err)
		}
	}
	return b.Bytes()
}

func (s elfSpec) versionDefs(intern func(string) uint64) []byte {
	var b bytes.Buffer
	for i, name := range append([]string{s.soname}, s.versions...) {
		def := verdef{Version: 1, Index: uint16(i + 1), Count: 1, Aux: 20, Next: 28}
		if i == 0 {
			def.Flags = 1 // the base definition
		}
		if i == len(s.versions) {
			def.Next = 0
		}
		_ = binary.Write(&b, binary.LittleEndian, def)
		_ = binary.Write(&b, binary.LittleEndian, verdaux{Name: uint32(intern(name))})
	}
	return b.Bytes()
}
