package paths

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"
)

// Limits of one completion.
const (
	// MostRead is how many entries of a folder are read.
	MostRead = 100_000
	// MostOffered is how many of them are offered.
	MostOffered = 50

	readAtOnce = 512
)

const separator = string(filepath.Separator)

// Entry is a file or folder that completes a path.
type Entry struct {
	// Path is the completed path, as it was typed. The path of a folder ends with a separator.
	Path string
	Dir  bool
	// Fits reports whether a file has one of the wanted extensions. It is true for folders.
	Fits bool
}

// Name is the last part of the path. The name of a folder ends with a separator.
func (e Entry) Name() string {
	name := filepath.Base(e.Path)
	if e.Dir {
		name += separator
	}
	return name
}

// Found are the completions of a path.
type Found struct {
	Entries []Entry // the best ones: folders, then files that fit, then other files
	Total   int     // number of all completions
	// Common is the longest path with which all completions begin. It is at least what was typed.
	Common string
	// Partial is set if the folder has more entries than were read.
	Partial bool
}

// Complete returns the files and folders whose path begins with typed. If no name in the folder
// begins so, it returns the names that contain the typed one. Case matters only if there is a name
// that begins with exactly what was typed. Files with one of the extensions, such as ".onnx", come
// before others; with no extensions, all files fit. Hidden files are offered only if the typed name
// begins with a dot.
func Complete(ctx context.Context, typed string, extensions []string) (Found, error) {
	if typed == "~" {
		typed += separator
	}
	head, name := filepath.Split(typed)
	list, partial, err := read(ctx, folderOf(head))
	if err != nil {
		return Found{}, err
	}
	out := Found{Common: typed, Partial: partial}
	entries, exact := matching(list, name)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return cmp.Compare(a.Name(), b.Name()) })
	var names []string
	for _, e := range entries {
		one := Entry{Path: head + e.Name(), Dir: leadsToFolder(ctx, head, e)}
		one.Fits = one.Dir || len(extensions) == 0 || hasExtension(e.Name(), extensions)
		if one.Dir {
			one.Path += separator
		}
		out.Entries = append(out.Entries, one)
		names = append(names, one.Path)
	}
	if out.Total = len(names); exact && out.Total > 0 {
		out.Common = common(names)
	}
	slices.SortStableFunc(out.Entries, func(a, b Entry) int { return cmp.Compare(a.rank(), b.rank()) })
	out.Entries = out.Entries[:min(len(out.Entries), MostOffered)]
	return out, ctx.Err()
}

func (e Entry) rank() int {
	switch {
	case e.Dir:
		return 0
	case e.Fits:
		return 1
	default:
		return 2
	}
}

// folderOf returns the folder that the beginning of a path names.
func folderOf(head string) string {
	if head == "" {
		return "."
	}
	return Expand(head)
}

// Expand replaces a leading ~ by the home folder of the user, as a shell does.
func Expand(path string) string {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || rest != "" && !strings.HasPrefix(rest, separator) {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return home + rest
}

// read reads the entries of a folder, at most MostRead.
func read(ctx context.Context, folder string) (list []fs.DirEntry, partial bool, err error) {
	d, err := os.Open(folder)
	if err != nil {
		return nil, false, reason(folder, err)
	}
	defer d.Close()
	for ctx.Err() == nil {
		some, err := d.ReadDir(readAtOnce)
		list = append(list, some...)
		switch {
		case errors.Is(err, io.EOF):
			return list, false, nil
		case err != nil && len(list) == 0:
			return nil, false, reason(folder, err)
		case err != nil || len(list) >= MostRead:
			return list, true, nil
		}
	}
	return nil, false, ctx.Err()
}

// reason says in one sentence why a folder cannot be read.
func reason(folder string, err error) error {
	var path *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("there is no folder %s", folder)
	case errors.As(err, &path):
		return fmt.Errorf("%s: %w", folder, path.Err)
	}
	return fmt.Errorf("%s: %w", folder, err)
}

// matching returns the entries that a name may mean. isPrefix is true if they all begin with it.
func matching(list []fs.DirEntry, name string) (out []fs.DirEntry, isPrefix bool) {
	small := strings.ToLower(name)
	for i, matches := range []func(string) bool{
		func(n string) bool { return strings.HasPrefix(n, name) },
		func(n string) bool { return strings.HasPrefix(strings.ToLower(n), small) },
		func(n string) bool { return strings.Contains(strings.ToLower(n), small) },
	} {
		for _, e := range list {
			hidden := strings.HasPrefix(e.Name(), ".") && !strings.HasPrefix(name, ".")
			if !hidden && matches(e.Name()) {
				out = append(out, e)
			}
		}
		if len(out) > 0 {
			return out, i == 0
		}
	}
	return nil, false
}

// leadsToFolder reports whether an entry is a folder or a link to one.
func leadsToFolder(ctx context.Context, head string, e fs.DirEntry) bool {
	if e.Type()&fs.ModeSymlink == 0 || ctx.Err() != nil {
		return e.IsDir()
	}
	info, err := os.Stat(filepath.Join(folderOf(head), e.Name()))
	return err == nil && info.IsDir()
}

func hasExtension(name string, extensions []string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc(extensions, func(ext string) bool { return strings.HasSuffix(name, ext) })
}

// common returns the longest text with which all words begin. It does not cut a character.
func common(words []string) string {
	first := words[0]
	for _, w := range words[1:] {
		n := 0
		for i := range first {
			_, size := utf8.DecodeRuneInString(first[i:])
			end := i + size
			if end > len(w) || w[i:end] != first[i:end] {
				break
			}
			n = end
		}
		first = first[:n]
	}
	return first
}
