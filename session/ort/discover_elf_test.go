package ort

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestImageVersion(t *testing.T) {
	change := func(f func(*elfSpec)) []byte {
		s := runtimeSpec("1.30.0")
		f(&s)
		return s.build()
	}
	good := runtimeELF("1.30.0")
	patched := func(at int, value ...byte) []byte {
		b := bytes.Clone(good)
		copy(b[at:], value)
		return b
	}
	dynamic := len(good) - 6*16 // its entries: strings, size of strings, soname, …
	for name, c := range map[string]struct {
		image    []byte
		file     string
		platform platform
		version  string
		err      string
	}{
		"symbol version":         {good, "libonnxruntime.so.1", "linux/amd64", "1.30.0", ""},
		"contents before name":   {good, "libonnxruntime.so.1.99.0", "linux/amd64", "1.30.0", ""},
		"between releases":       {runtimeELF("1.31.0-dev.20260114"), "x.so", "linux/amd64", "1.31.0-dev.20260114", ""},
		"soname":                 {change(func(s *elfSpec) { s.versions, s.soname = nil, "libonnxruntime.so.1.26.0" }), "x.so", "linux/amd64", "1.26.0", ""},
		"file name":              {change(func(s *elfSpec) { s.versions = nil }), "libonnxruntime.so.1.27.0", "linux/amd64", "1.27.0", ""},
		"no version":             {change(func(s *elfSpec) { s.versions = nil }), "libonnxruntime.so", "linux/amd64", "", "rename it to libonnxruntime.so.VERSION"},
		"other processor":        {good, "x.so", "linux/arm64", "", "built for EM_X86_64, expected EM_AARCH64"},
		"other library":          {change(func(s *elfSpec) { s.symbols = []string{"OrtGetApiBaseX"} }), "x.so", "linux/amd64", "", "exports no OrtGetApiBase"},
		"program":                {change(func(s *elfSpec) { s.kind = elf.ET_EXEC }), "x", "linux/amd64", "", "not a shared library"},
		"32 bit":                 {change(func(s *elfSpec) { s.class = elf.ELFCLASS32 }), "x.so", "linux/amd64", "", "not a 64-bit library"},
		"big-endian":             {change(func(s *elfSpec) { s.data = elf.ELFDATA2MSB }), "x.so", "linux/amd64", "", "not a little-endian library"},
		"empty":                  {nil, "x.so", "linux/amd64", "", "empty file"},
		"text":                   {[]byte("/* GNU ld script */"), "x.so", "linux/amd64", "", `not an ELF file: it starts with "/* G"`},
		"magic only":             {good[:4], "x.so", "linux/amd64", "", "truncated ELF file"},
		"half a header":          {good[:40], "x.so", "linux/amd64", "", "the file ends at 40"},
		"strings cut off":        {good[:200], "x.so", "linux/amd64", "", "the file ends at 200"},
		"no program headers":     {patched(56, 0, 0), "x.so", "linux/amd64", "", "0 program headers"},
		"many program headers":   {patched(56, 0xff, 0xff), "x.so", "linux/amd64", "", "65535 program headers"},
		"odd program headers":    {patched(54, 57), "x.so", "linux/amd64", "", "program headers of 57 bytes"},
		"program headers beyond": {patched(32, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), "x.so", "linux/amd64", "", "the file ends at"},
		"no dynamic section":     {patched(64+56, 7), "x.so", "linux/amd64", "", "no dynamic section"},
		"huge dynamic section":   {patched(64+56+32, 0, 0, 0, 0, 1), "x.so", "linux/amd64", "", "dynamic section: claims 4294967"},
		"soname out of range":    {patched(dynamic+2*16+8, 0xff, 0xff), "x.so", "linux/amd64", "1.30.0", ""},
		"strings out of range":   {patched(dynamic+16+8, 0xff, 0xff), "x.so", "linux/amd64", "", "dynamic string table: wants 65535 bytes"},
		"many versions":          {change(func(s *elfSpec) { s.versions = make([]string, maxVersionDefs) }), "x.so", "linux/amd64", "", "defines 257 symbol versions"},
		"little loaded":          {patched(64+32, 10, 0), "x.so", "linux/amd64", "", "lies in no loaded segment"},
		"many needed":            {change(func(s *elfSpec) { s.needed = make([]string, maxNeeded+1) }), "x.so", "linux/amd64", "", "needs 513 libraries, expected at most 512"},
		"nothing loaded":         {patched(64, 7), "x.so", "linux/amd64", "", "lies in no loaded segment"},
		"mac universal":          {[]byte("\xca\xfe\xba\xbe\x00\x00\x00\x02"), "libonnxruntime.1.30.0.dylib", "darwin/arm64", "1.30.0", ""},
		"mac other processor":    {[]byte("\xcf\xfa\xed\xfe\x07\x00\x00\x01"), "libonnxruntime.1.30.0.dylib", "darwin/arm64", "", "built for CpuAmd64, expected CpuArm64"},
		"mac text":               {[]byte("not a library"), "libonnxruntime.1.30.0.dylib", "darwin/arm64", "", "not a Mach-O library"},
		"mac short":              {[]byte("\xcf"), "libonnxruntime.1.30.0.dylib", "darwin/arm64", "", "not a Mach-O library"},
	} {
		t.Run(name, func(t *testing.T) {
			version, err := imageVersion(bytes.NewReader(c.image), int64(len(c.image)), c.file, c.platform)
			checkError(t, err, c.err)
			if version != c.version {
				t.Errorf("version %q, expected %q", version, c.version)
			}
		})
	}
}

// checkError fails unless err is nil and want empty, or err's text contains want.
func checkError(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case err == nil && want != "":
		t.Fatalf("no error, expected one with %q", want)
	case err != nil && want == "":
		t.Fatalf("unexpected error: %v", err)
	case err != nil && !strings.Contains(err.Error(), want):
		t.Fatalf("error %q, expected it to contain %q", err, want)
	}
}

// TestReadELFAgreesWithStandardLibrary compares with debug/elf on the libraries of this machine.
func TestReadELFAgreesWithStandardLibrary(t *testing.T) {
	var libs []string
	for _, pattern := range []string{"/lib/*-linux-gnu/*.so*", "/lib64/*.so*"} {
		found, _ := filepath.Glob(pattern)
		libs = append(libs, found...)
	}
	compared := 0
	for _, lib := range libs {
		if compared < 40 && agreesOn(t, lib) {
			compared++
		}
	}
	if compared == 0 {
		t.Skip("no shared libraries in the usual folders")
	}
	t.Logf("compared %d libraries", compared)
}

func agreesOn(t *testing.T, lib string) bool {
	t.Helper()
	f, err := elf.Open(lib)
	if err != nil || f.Class != elf.ELFCLASS64 || f.Type != elf.ET_DYN || f.ByteOrder != binary.LittleEndian {
		return false
	}
	defer func() { _ = f.Close() }()
	var want sharedObject
	if names, _ := f.DynString(elf.DT_SONAME); len(names) > 0 {
		want.soname = names[0]
	}
	if paths, _ := f.DynString(elf.DT_RUNPATH); len(paths) > 0 {
		want.runpath = paths[0]
	}
	want.needed, _ = f.ImportedLibraries()
	versions, _ := f.DynamicVersions()
	for _, v := range versions {
		if v.Flags&elf.VER_FLG_BASE == 0 {
			want.versions = append(want.versions, v.Name)
		}
	}
	raw, err := os.Open(lib)
	if err != nil {
		return false
	}
	defer raw.Close()
	got, err := readELF(raw, fileSize(t, raw))
	if err != nil {
		t.Errorf("%s: %v", lib, err)
		return true
	}
	symbols, _ := f.DynamicSymbols()
	for _, s := range symbols[:min(len(symbols), 50)] {
		if !got.names(s.Name) {
			t.Errorf("%s: symbol %q is missing", lib, s.Name)
			break
		}
	}
	if got.soname != want.soname || got.runpath != want.runpath || !cmp.Equal(got.versions, want.versions) || !cmp.Equal(got.needed, want.needed) {
		t.Errorf("%s: %q %q %q %q, expected %q %q %q %q", lib, got.soname, got.runpath, got.versions, got.needed, want.soname, want.runpath, want.versions, want.needed)
	}
	return true
}

func fileSize(t *testing.T, f *os.File) int64 {
	t.Helper()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return info.Size()
}

func FuzzReadELF(f *testing.F) {
	f.Add(runtimeELF("1.30.0"))
	f.Add(elfSpec{machine: elf.EM_AARCH64, class: elf.ELFCLASS64, data: elf.ELFDATA2LSB, kind: elf.ET_DYN}.build())
	f.Add([]byte(elf.ELFMAG))
	f.Fuzz(func(t *testing.T, image []byte) {
		so, err := readELF(bytes.NewReader(image), int64(len(image)))
		if err != nil {
			return
		}
		if len(so.strings) > len(image) || len(so.versions) > maxVersionDefs {
			t.Errorf("%d bytes of strings and %d versions from %d bytes", len(so.strings), len(so.versions), len(image))
		}
	})
}
