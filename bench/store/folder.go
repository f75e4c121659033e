package store

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"lathe/graphops"
)

// Folder is a folder with results, one file each.
type Folder struct {
	Path string
	Now  func() time.Time
	// Lathe is the version of the program that writes.
	Lathe string
}

// PathBelow returns the folder for results below the user's data folder, which is $XDG_DATA_HOME if
// that is set.
func PathBelow(dataHome string) string { return filepath.Join(dataHome, "lathe", "results") }

// Keep writes a result to a new file and returns its path. Several processes may do this at once.
func (f Folder) Keep(ctx context.Context, r *Result) (string, error) {
	f.stamp(r)
	if err := os.MkdirAll(f.Path, 0o700); err != nil {
		return "", fmt.Errorf("%s: %w", f.Path, reason(err))
	}
	path := filepath.Join(f.Path, r.fileName())
	return path, write(ctx, path, r, false, "")
}

// Save writes a result to a file with a given name.
func (f Folder) Save(ctx context.Context, path string, r *Result, overwrite bool) error {
	f.stamp(r)
	return write(ctx, path, r, overwrite, " ")
}

// stamp sets the schema of a result, the version of Lathe that writes it, and the time if that is
// not set.
func (f Folder) stamp(r *Result) {
	r.Schema, r.Lathe = Schema, f.Lathe
	if r.Time.IsZero() {
		r.Time = f.Now().UTC()
	}
}

// write writes a result to a file as JSON, indented by indent, or on one line if indent is empty.
func write(ctx context.Context, path string, r *Result, overwrite bool, indent string) error {
	return graphops.WriteFile(ctx, path, graphops.WriteOptions{Overwrite: overwrite}, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetIndent("", indent)
		return enc.Encode(r)
	})
}

// fileName returns a unique file name that begins with the time, so that names sort by time. The
// name also contains short checksums of model, machine and settings.
func (r *Result) fileName() string {
	model := "none"
	if len(r.Models) > 0 {
		model = cmp.Or(r.Models[len(r.Models)-1].Short(), model)
	}
	lot := make([]byte, 4)
	_, _ = rand.Read(lot) // never fails
	return strings.Join([]string{
		r.Time.UTC().Format("20060102T150405.000Z"), r.Kind, "m" + model,
		"b" + shortened(r.Machine.ID), "s" + shortened(r.settingsSum()), hex.EncodeToString(lot),
	}, "-") + ".json"
}

// settingsSum returns a checksum of the subjects and their settings.
func (r *Result) settingsSum() string {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode(r.Subjects) // neither the hash nor encoding this type can fail
	return hex.EncodeToString(h.Sum(nil))
}

// Skipped is a file of the folder that is not a result.
type Skipped struct {
	File   string `json:"file"`
	Reason string `json:"reason"`
}

// List reads the results in the folder, the newest first. It lists files that are not results or
// have an unknown version as skipped. A folder that does not exist has no results.
func (f Folder) List(ctx context.Context) ([]*Result, []Skipped, error) {
	var results []*Result
	var skipped []Skipped
	err := f.each(ctx, func(path string, r *Result, err error) {
		if err != nil {
			skipped = append(skipped, Skipped{path, err.Error()})
			return
		}
		results = append(results, r)
	})
	if err != nil {
		return nil, nil, err
	}
	slices.SortStableFunc(results, func(a, b *Result) int { return b.Time.Compare(a.Time) })
	return results, skipped, nil
}

// each reads the files of the folder one by one, the newest first according to their names. It
// calls visit for each file, with an error if the file is not a result, and continues with the
// next.
func (f Folder) each(ctx context.Context, visit func(path string, r *Result, err error)) error {
	return f.eachNamed(ctx, func(string) bool { return true }, visit)
}

// eachNamed is each for the files whose names wanted accepts.
func (f Folder) eachNamed(ctx context.Context, wanted func(name string) bool, visit func(path string, r *Result, err error)) error {
	entries, err := os.ReadDir(f.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s: %w", f.Path, reason(err))
	}
	for _, e := range slices.Backward(entries) {
		if err := ctx.Err(); err != nil {
			return err
		}
		if strings.HasSuffix(e.Name(), ".lathe-tmp") || !wanted(e.Name()) {
			continue // the former is being written by another process
		}
		path := filepath.Join(f.Path, e.Name())
		r, err := readKept(path)
		visit(path, r, err)
	}
	return nil
}

// readKept reads a result from a file in the folder. It returns an error for files that Lathe would
// not write there: traces, and the output of a command with --json.
func readKept(path string) (*Result, error) {
	r, err := read(path, os.O_RDONLY|noFollow)
	switch {
	case err != nil:
		return nil, err
	case r.IsTrace():
		return nil, errors.New("is a trace of ONNX Runtime, expected a result that lathe stored")
	case r.Schema != Schema:
		return nil, fmt.Errorf("is the output of lathe %s --json, expected a result that lathe stored", r.Kind)
	}
	return r, nil
}

// reason returns the system's error without the path.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
