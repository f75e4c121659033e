package reference

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Corpus is a folder of models from other sources.
type Corpus struct {
	Name   string
	Folder string
}

// The corpora for tests. Only Testdata is part of the repository. Tests that need another one are
// skipped if its folder does not exist.
var (
	Testdata = Corpus{"testdata", "testdata"}
	// Shared is a folder beside the repository.
	Shared = Corpus{"shared models", "../shared/models"}
	// Debian is the conformance suite of ONNX as packaged by Debian.
	Debian = Corpus{"libonnx-testdata", "/usr/share/libonnx-testdata"}
)

// Others returns the corpus in the folder that the environment variable LATHE_CORPUS names. If it
// is not set, it returns Debian.
func Others() Corpus {
	if folder := os.Getenv("LATHE_CORPUS"); folder != "" {
		return Corpus{"LATHE_CORPUS", folder}
	}
	return Debian
}

// Dir returns the absolute path of the folder, which need not exist.
func (c Corpus) Dir(t testing.TB) string {
	t.Helper()
	if filepath.IsAbs(c.Folder) {
		return c.Folder
	}
	return filepath.Join(repository(t), c.Folder)
}

// Models returns the absolute paths of the .onnx files of the corpus, sorted. If the folder does
// not exist, the test is skipped.
func (c Corpus) Models(t testing.TB) []string {
	t.Helper()
	if !c.Exists(t) {
		t.Skipf("%s: there is no folder %s", c.Name, c.Dir(t))
	}
	return c.walk(t)
}

// Exists reports whether the folder exists. For a folder that LATHE_CORPUS names it always returns
// true, so that a wrong path makes the test fail instead of being skipped.
func (c Corpus) Exists(t testing.TB) bool {
	t.Helper()
	_, err := os.Stat(c.Dir(t))
	return !errors.Is(err, fs.ErrNotExist) || os.Getenv("LATHE_CORPUS") == c.Folder
}

// SoundModels is Models without the models of Testdata that are broken on purpose.
func (c Corpus) SoundModels(t testing.TB) []string {
	t.Helper()
	broken := filepath.Join(Testdata.Dir(t), "broken") + string(filepath.Separator)
	return slices.DeleteFunc(c.Models(t), func(path string) bool { return strings.HasPrefix(path, broken) })
}

func (c Corpus) walk(t testing.TB) []string {
	t.Helper()
	folder := c.Dir(t)
	var models []string
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(path, ".onnx") {
			models = append(models, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(models) == 0 {
		t.Fatalf("%s: no .onnx file below %s", c.Name, folder)
	}
	return models
}

// repository returns the root folder of the repository, which contains go.mod.
func repository(t testing.TB) string {
	t.Helper()
	folder, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err == nil {
			return folder
		}
		if folder == filepath.Dir(folder) {
			t.Fatal("no go.mod above the folder of the test")
		}
		folder = filepath.Dir(folder)
	}
}
