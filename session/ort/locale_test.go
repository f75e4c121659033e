package ort

import (
	"encoding/binary"
	"testing"
	"testing/fstest"
)

// archiveOf is a file of glibc's that holds locales of these names, with nothing in them.
func archiveOf(names string) []byte {
	header := make([]byte, archiveHeader+8) // the names begin behind something else
	binary.NativeEndian.PutUint32(header[archiveNames:], archiveHeader+8)
	binary.NativeEndian.PutUint32(header[archiveNames+4:], uint32(len(names)))
	return append(header, names...)
}

func TestHasLocale(t *testing.T) {
	machine := fstest.MapFS{
		"usr/lib/locale/C.utf8/LC_CTYPE":     {},
		"usr/lib/locale/de_DE.utf8/LC_CTYPE": {},
		"usr/lib/locale/locale-archive":      {Data: archiveOf("en_US.utf8\x00en_US\x00ca_ES.utf8@valencia\x00de_AT.iso88591\x00")},
	}
	for name, want := range map[string]bool{
		"": true, "C": true, "POSIX": true, "C.UTF-8": true,
		"en_US.UTF-8": true, "en_US.utf8": true, "en_US": true, "de_DE.UTF-8": true, "ca_ES.UTF-8@valencia": true, "de_AT.ISO-8859-1": true,
		"de_AT.88591": true,
		"fr_FR.UTF-8": false, "en": false, "de_DE": false, "xx/yy": false, "US": false, "en_US.UTF-16": false,
	} {
		if got := hasLocale(machine, name); got != want {
			t.Errorf("%q: %v", name, got)
		}
	}
	for name, broken := range map[string][]byte{"empty": {}, "short": make([]byte, archiveHeader), "cut off": archiveOf("en_US.utf8\x00")[:archiveHeader+9]} {
		if hasLocale(fstest.MapFS{"usr/lib/locale/locale-archive": {Data: broken}}, "en_US.UTF-8") {
			t.Error(name)
		}
	}
	if !hasLocale(fstest.MapFS{}, "en_US.UTF-8") {
		t.Error("nothing is known of a machine without glibc's folder")
	}
}
