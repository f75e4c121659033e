package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/session/ort/orttest"
)

// TestExamples does what the help of every command that makes or describes a model
// shows. What runs models reads what other examples wrote, or takes seconds.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	if lib, err := orttest.Find(); err == nil {
		t.Setenv("LATHE_ORT_LIB", lib.Path)
	}
	for name, l := range listings {
		if l.group == groupRun {
			continue
		}
		t.Run(name, func(t *testing.T) {
			python := os.Getenv("LATHE_TORCH_PYTHON")
			if strings.HasPrefix(name, torchName) && python == "" {
				t.Skip("LATHE_TORCH_PYTHON names no Python with PyTorch; run `make torch`")
			}
			args := exampleWords(l.example)[1:]
			if strings.HasPrefix(name, torchName) {
				args = append(args, "--python", python)
			}
			for i, arg := range args {
				if arg == "-o" {
					args[i+1] = filepath.Join(t.TempDir(), args[i+1])
				}
			}
			var out, errOut bytes.Buffer
			if code := run(context.Background(), args, strings.NewReader(""), &out, &errOut); code != exitDone {
				t.Errorf("%s: exit code %d: %s", l.example, code, errOut.String())
			}
			if out.Len() == 0 {
				t.Errorf("%s: answers nothing", l.example)
			}
		})
	}
}

// exampleWords are the words of a line for a shell, which are apart by a space or
// stand in single quotes.
func exampleWords(line string) []string {
	var words []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	return words
}
