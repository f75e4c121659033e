package labels

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
	"lathe/session/inputs"
)

// Kinds are the extensions of files with labels.
var Kinds = []string{".npz", ".npy", ".csv"}

// Labels are the correct classes of rows.
type Labels struct {
	Source string // the file and the array, to be shown
	byRow  []int64
	byFile map[string]int64 // nil unless the table names files
	Notes  []string
}

// Len is the number of labels.
func (l *Labels) Len() int {
	if l.byFile != nil {
		return len(l.byFile)
	}
	return len(l.byRow)
}

// Read reads labels from a text FILE or FILE:ARRAY. Errors begin with the path.
func Read(said string) (*Labels, error) {
	path, array := Split(said)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, errors.Unwrap(err))
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a regular file; labels are in a file (%s), or are the folders of --data", path, strings.Join(Kinds, ", "))
	case isTable(path):
		return readTable(path)
	case !slices.Contains(Kinds, strings.ToLower(filepath.Ext(path))):
		return nil, fmt.Errorf("%s: not a file of labels; expected one of %s", path, strings.Join(Kinds, ", "))
	}
	l, err := readArray(path, array)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

// Split separates FILE:ARRAY. The name of a file may have a colon itself, so that the part before it has
// to be an archive.
func Split(said string) (path, array string) {
	i := strings.LastIndexByte(said, ':')
	if i > 0 && i < len(said)-1 && strings.EqualFold(filepath.Ext(said[:i]), ".npz") {
		return said[:i], said[i+1:]
	}
	return said, ""
}

// WithPath returns a text FILE or FILE:ARRAY with path(FILE) in the place of FILE.
func WithPath(said string, path func(string) string) string {
	file, array := Split(said)
	if array != "" {
		return path(file) + ":" + array
	}
	return path(file)
}

// readArray reads an array with one label for each row.
func readArray(path, array string) (*Labels, error) {
	file, err := npz.OpenRows(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it is only read
	a, err := choose(file.Arrays, array)
	if err != nil {
		return nil, err
	}
	flat := len(a.Shape) == 1 || len(a.Shape) == 2 && a.Shape[1] == 1
	if kind := a.DType.Kind(); !flat || kind != tensor.KindSigned && kind != tensor.KindUnsigned {
		return nil, fmt.Errorf("array %q is %s %s; expected integers, one label for each row", a.Name, a.DType, tensor.FormatShape(a.Shape))
	}
	t, err := a.Whole()
	if err != nil {
		return nil, err
	}
	l := &Labels{Source: filepath.Base(path)}
	if len(file.Arrays) > 1 {
		l.Source += ", array " + strconv.Quote(a.Name)
	}
	l.byRow, err = t.Int64s()
	return l, err
}

// choose returns the array with a name, or without one the only array, or the only one that is named as
// labels.
func choose(arrays []*npz.Array, name string) (*npz.Array, error) {
	var named []*npz.Array
	names := make([]string, len(arrays))
	for i, a := range arrays {
		if names[i] = a.Name; name == a.Name {
			return a, nil
		}
		if inputs.NamesLabels(a.Name) {
			named = append(named, a)
		}
	}
	switch {
	case name != "":
		return nil, fmt.Errorf("has no array %q; its arrays are %s", name, graphops.QuoteNames(names))
	case len(arrays) == 1:
		return arrays[0], nil
	case len(named) == 1:
		return named[0], nil
	}
	return nil, fmt.Errorf("has the arrays %s; name the one with the labels as FILE:ARRAY", graphops.QuoteNames(names))
}

// Check returns an error if there are not as many labels as rows. Labels by file are checked when they
// are used.
func (l *Labels) Check(rows int64) error {
	if l.byFile == nil && rows != int64(len(l.byRow)) {
		return fmt.Errorf("%s: %d labels for %d rows of data; expected one for each row", l.Source, len(l.byRow), rows)
	}
	return nil
}

// For returns the labels of a case. first is the number of rows before it.
func (l *Labels) For(name string, first, rows int64) ([]int64, error) {
	if l.byFile != nil {
		label, ok := l.byFile[name]
		switch {
		case !ok:
			return nil, fmt.Errorf("%s: no label for %q; it names the files of --data in its first column", l.Source, name)
		case rows != 1:
			return nil, fmt.Errorf("%s: one label for %q, which has %d rows", l.Source, name, rows)
		}
		return []int64{label}, nil
	}
	if first+rows > int64(len(l.byRow)) {
		return nil, fmt.Errorf("%s: %d labels, and %s is beyond them: rows %d to %d", l.Source, len(l.byRow), name, first, first+rows-1)
	}
	return l.byRow[first : first+rows], nil
}
