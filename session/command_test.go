package session_test

import (
	"os/exec"
	"strings"
	"testing"

	"lathe/session"
	"lathe/session/text"
)

var awkward = []string{
	"", "plain/name:0", "two words", "it's", `back\slash`, `$HOME "x" $(ls)`, "~", "a\nb", "\x1b[31mred", "\x1b'\\", "\xff\xc0", "\u202ereversed", "é 図", "\x017",
}

// TestQuote checks that a shell reads a quoted word back unchanged, and that it is safe to print.
func TestQuote(t *testing.T) {
	for _, word := range awkward {
		quoted := session.Quote(word)
		if got := text.CleanLine(quoted); got != quoted {
			t.Errorf("%q is written %s, which is shown as %s", word, quoted, got)
		}
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	for _, word := range awkward {
		out, err := exec.Command(bash, "--norc", "-c", "printf %s. "+session.Quote(word)).Output()
		if got := strings.TrimSuffix(string(out), "."); err != nil || got != word {
			t.Errorf("%q is read back as %q, %v", word, got, err)
		}
	}
}

// TestQuotePath checks that a path that begins with "-" is not read as a flag; "-" alone stays.
func TestQuotePath(t *testing.T) {
	for path, want := range map[string]string{"-x.onnx": "./-x.onnx", "--json": "./--json", "-": "-", "-a b": "'./-a b'", "/x/-y": "/x/-y"} {
		if got := session.QuotePath(path); got != want {
			t.Errorf("%s is written %s, want %s", path, got, want)
		}
	}
}
