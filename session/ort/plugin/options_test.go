package plugin

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestUnknown(t *testing.T) {
	path := filepath.Join(t.TempDir(), "library.so")
	code := "\x00ep.mine.validationMode\x00" + "\x48\xb8enableIn\x48\xb9bleInt64\x00" + "\x81partx\x81rtia\x00"
	if err := os.WriteFile(path, []byte(code), 0o600); err != nil {
		t.Fatal(err)
	}
	l := Library{Path: path}
	options := map[string]string{"validationMode": "full", "validationmode": "full", "enableInt64": "1", "enableInt32": "1", "enableGraphCapture": "1", "partia": "1", "parts": "1"}
	if got, want := l.Unknown(options), []string{"enableGraphCapture", "enableInt32", "parts", "validationmode"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := (Library{Path: path + "x"}).Unknown(options); got != nil {
		t.Errorf("a file that is not there: %q", got)
	}
}
