package ort

import (
	"bytes"
	"encoding/binary"
	"io"
	"io/fs"
	"os"
	"path"
	"runtime"
	"strings"
	"unicode"
)

// HasLocale reports whether a locale is installed on this machine. The operator StringNormalizer
// needs one. HasLocale returns true if it cannot find out.
func HasLocale(name string) bool {
	if runtime.GOOS != "linux" || os.Getenv("LOCPATH") != "" {
		return true
	}
	return hasLocale(os.DirFS("/"), name)
}

// localeFolder is the folder in which glibc has its locales, either as one folder for each or in
// one archive.
const localeFolder = "usr/lib/locale"

func hasLocale(root fs.FS, name string) bool {
	switch language, codeset, _ := strings.Cut(name, "."); {
	case name == "" || name == "C" || name == "POSIX":
		return true
	case strings.Contains(name, "/"):
		return false
	case language == "C" && normalCodeset(codeset) == "utf8": // built into glibc since 2.35
		return true
	}
	if _, err := fs.Stat(root, localeFolder); err != nil {
		return true // another C library
	}
	names := []string{name, normalLocale(name)}
	for _, n := range names {
		if _, err := fs.Stat(root, path.Join(localeFolder, n, "LC_CTYPE")); err == nil {
			return true
		}
	}
	return archived(root, names)
}

// normalLocale returns a locale's name as glibc looks it up: "en_US.utf8" for "en_US.UTF-8".
func normalLocale(name string) string {
	rest, modifier, modified := strings.Cut(name, "@")
	language, codeset, has := strings.Cut(rest, ".")
	if has {
		language += "." + normalCodeset(codeset)
	}
	if modified {
		language += "@" + modifier
	}
	return language
}

func normalCodeset(codeset string) string {
	onlyDigits := true
	out := strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		onlyDigits = onlyDigits && unicode.IsDigit(r)
		return unicode.ToLower(r)
	}, codeset)
	if onlyDigits {
		return "iso" + out
	}
	return out
}

// The header of a locale archive consists of 32-bit numbers. The sixth is the offset of the names,
// which are NUL-terminated; the seventh is their length in bytes.
const (
	archiveHeader = 14 * 4
	archiveNames  = 5 * 4
	mostNames     = 1 << 20 // bytes
)

// archived reports whether the archive contains one of the names.
func archived(root fs.FS, names []string) bool {
	f, err := root.Open(localeFolder + "/locale-archive")
	if err != nil {
		return false
	}
	defer func() { _ = f.Close() }() // nothing was written, so no error is lost
	header := make([]byte, archiveHeader)
	if _, err := io.ReadFull(f, header); err != nil {
		return false
	}
	at, size := binary.NativeEndian.Uint32(header[archiveNames:]), binary.NativeEndian.Uint32(header[archiveNames+4:])
	if at < archiveHeader || size > mostNames {
		return false
	}
	if _, err := io.CopyN(io.Discard, f, int64(at)-archiveHeader); err != nil {
		return false
	}
	list := make([]byte, size)
	if _, err := io.ReadFull(f, list); err != nil {
		return false
	}
	for entry := range bytes.SplitSeq(list, []byte{0}) {
		for _, n := range names {
			if string(entry) == n {
				return true
			}
		}
	}
	return false
}
