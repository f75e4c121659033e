package home

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"lathe/session/text"
)

// Limits of a search. What they leave out is reported.
const (
	mostLevels = 2       // levels of folders below the root
	mostModels = 10_000  // models that are listed
	mostSeen   = 200_000 // files and folders that are looked at
)

// endings are the endings of files that can be opened as models.
var endings = []string{".onnx", ".onnxtxt", ".onnxtext"}

func isModel(name string) bool {
	return slices.Contains(endings, strings.ToLower(filepath.Ext(name))) && !strings.HasPrefix(name, ".")
}

// walk searches models level by level, so that those in the folder itself come first.
type walk struct {
	root    string
	folders []folder // folders that are still to be read
	models  int
	seen    int
	isCut   bool  // a limit was reached
	deeper  bool  // there are folders below the last level
	failed  int   // number of folders that could not be read
	err     error // the error of the first of them
}

// folder is a folder to search.
type folder struct {
	path  string // relative to the root
	level int
}

func newWalk(root string) *walk { return &walk{root: root, folders: []folder{{".", 0}}} }

// next reads one folder, and returns the paths of its models relative to the root. The search has
// ended when no folder is left. It reads only one folder at a time, so that a folder that does not
// answer does not hold back the results of others.
func (w *walk) next(ctx context.Context) []string {
	f := w.folders[0]
	w.folders = w.folders[1:]
	models, err := w.read(ctx, f)
	if err != nil {
		w.failed++
		if w.err == nil {
			w.err = err
		}
	}
	return models
}

func (w *walk) isOver() bool { return len(w.folders) == 0 || w.isCut }

// read reads one folder. Links to folders are not followed: they could lead anywhere.
func (w *walk) read(ctx context.Context, f folder) (models []string, err error) {
	entries, err := w.entries(ctx, filepath.Join(w.root, f.path))
	for _, e := range entries {
		path := filepath.Join(f.path, e.Name())
		switch {
		case e.IsDir() && !strings.HasPrefix(e.Name(), ".") && f.level < mostLevels:
			w.folders = append(w.folders, folder{path, f.level + 1})
		case e.IsDir() && !strings.HasPrefix(e.Name(), "."):
			w.deeper = true
		case e.Type()&^fs.ModeSymlink != 0 || !isModel(e.Name()):
		case w.models == mostModels:
			w.isCut = true
		default:
			w.models++
			models = append(models, path)
		}
	}
	return models, err
}

// entries lists a folder in order, up to the limit.
func (w *walk) entries(ctx context.Context, path string) ([]fs.DirEntry, error) {
	d, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	var list []fs.DirEntry
	for ctx.Err() == nil && err == nil {
		var some []fs.DirEntry
		some, err = d.ReadDir(512)
		list = append(list, some...)
		if w.seen += len(some); w.seen >= mostSeen {
			w.isCut = true
			break
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, err
}

// notes say what the walk left out.
func (w *walk) notes() []string {
	var out []string
	switch {
	case w.failed == 1:
		out = append(out, fmt.Sprintf("cannot be read: %v", w.err))
	case w.failed > 1:
		out = append(out, fmt.Sprintf("%s cannot be read, the first: %v", text.Plural(w.failed, "folder"), w.err))
	}
	if w.isCut {
		out = append(out, fmt.Sprintf("the search ended after %s and %s", text.Plural(w.models, "model"), text.Plural(w.seen, "file")))
	}
	if w.deeper {
		out = append(out, fmt.Sprintf("folders more than %d levels down are not searched", mostLevels))
	}
	return out
}
