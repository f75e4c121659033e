package permit

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Limits are what steps may do.
type Limits struct {
	// Folder is where files may be written: that of the recipe.
	Folder string
	// Own are the folders in which this program keeps what it stores for itself, such as its cache.
	Own []string
	// Files are further files and folders that may be written, with what belongs to them: files in the
	// same folder whose names begin like theirs.
	Files []string
	// Replaced are the files that may be replaced, and folders whose files may be.
	Replaced []string
	// Replacing allows to replace every file that may be written.
	Replacing bool
	// Allowed are the deeds besides writing and replacing that are allowed.
	Allowed []Deed
}

type key struct{}

// Within returns a context in which the limits are in force.
func Within(ctx context.Context, l Limits) context.Context {
	return context.WithValue(ctx, key{}, l)
}

func of(ctx context.Context) (l Limits, limited bool) {
	l, limited = ctx.Value(key{}).(Limits)
	return l, limited
}

// To returns an error if a deed is not allowed. Writing and replacing are asked for with ToWrite.
func To(ctx context.Context, d Deed) error {
	if l, limited := of(ctx); limited && !slices.Contains(l.Allowed, d) {
		return refused{deed: d}
	}
	return nil
}

// ToWrite returns an error if a file, or a folder, must not be written. replaces says that it exists
// already. Symbolic links are followed, so that one in the recipe's folder does not lead out.
func ToWrite(ctx context.Context, path string, replaces bool) error {
	l, limited := of(ctx)
	if !limited {
		return nil
	}
	real, err := Real(path)
	if err != nil {
		return refused{Write, path}
	}
	switch {
	case slices.ContainsFunc(l.Own, func(folder string) bool { return IsBelow(real, folder) }) || isTemporary(real):
		return nil
	case !IsBelow(real, l.Folder) && !belongsToAny(real, l.Files):
		return refused{Write, path}
	case replaces && !l.Replacing && !slices.ContainsFunc(l.Replaced, func(other string) bool { return IsBelow(real, other) }):
		return refused{Replace, path}
	}
	return nil
}

// IsBelow reports whether a path is in a folder, at any depth. Both may contain symbolic links.
func IsBelow(path, folder string) bool {
	real, err := Real(path)
	in, errIn := Real(folder)
	if folder == "" || err != nil || errIn != nil {
		return false
	}
	rel, err := filepath.Rel(in, real)
	return err == nil && filepath.IsLocal(rel)
}

// belongsToAny reports whether a file is one of the others, in one of them, or called like one, such as
// m.onnx.data and m.inputs.npz, which are written with m.onnx.
func belongsToAny(real string, others []string) bool {
	return slices.ContainsFunc(others, func(other string) bool {
		other, err := Real(other)
		stem := strings.TrimSuffix(other, filepath.Ext(other))
		return err == nil && (IsBelow(real, other) || filepath.Dir(real) == filepath.Dir(other) && strings.HasPrefix(real, stem+"."))
	})
}

// isTemporary reports whether a file is in a temporary folder that this program made.
func isTemporary(real string) bool {
	temp, err := Real(os.TempDir())
	if err != nil {
		return false
	}
	rel, err := filepath.Rel(temp, real)
	return err == nil && filepath.IsLocal(rel) && strings.HasPrefix(rel, "lathe-") && strings.Contains(rel, string(filepath.Separator))
}

// Real returns the absolute path of a file with all symbolic links followed. The file, and folders of
// it, need not exist. A link that leads nowhere is an error, because what will be there is unknown.
func Real(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	rest := ""
	for {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			return filepath.Join(real, rest), nil
		}
		missing := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
		if _, there := os.Lstat(path); there == nil || !missing || filepath.Dir(path) == path {
			return "", err
		}
		path, rest = filepath.Dir(path), filepath.Join(filepath.Base(path), rest)
	}
}
