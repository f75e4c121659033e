package command

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/session/ort/orttest"
)

// TestExamples runs the example in the help of every command that makes or describes a model.
// Examples that run models are left out: they read what other examples wrote, or take seconds.
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
			args := strings.Fields(l.example)[1:]
			if strings.HasPrefix(name, torchName) {
				if python == "" {
					t.Skip("LATHE_TORCH_PYTHON names no Python with PyTorch; run `make torch`")
				}
				args = append(args, "--python", python)
			}
			args = exampleWords(strings.Join(append([]string{"lathe"}, args...), " "))[1:]
			inExample(t, l)
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

// inExample changes to a folder with the files that an example names.
func inExample(t *testing.T, l listing) {
	t.Helper()
	dir, files := t.TempDir(), maps.Clone(l.files)
	if files == nil {
		files = map[string]string{}
	}
	if _, ok := files["model.onnx"]; !ok {
		files["model.onnx"] = "digits.onnx"
	}
	for name, file := range files {
		b, err := os.ReadFile(filepath.Join("testdata", file))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(dir)
}

// exampleWords splits a command line into words, separated by spaces or in single quotes.
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
