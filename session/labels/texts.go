package labels

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
)

// maxLine limits the bytes of a line with the tokens of a text.
const maxLine = 256 << 20

// Texts reads token ids from FILE or FILE:ARRAY: one text in each row of an array or line of a .csv. An
// array with one axis is one text.
func Texts(said string) ([][]int64, error) {
	path, array := Split(said)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, errors.Unwrap(err))
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s: not a regular file", path)
	case !slices.Contains(Kinds, strings.ToLower(filepath.Ext(path))):
		return nil, fmt.Errorf("%s: not a file of token ids; expected one of %s", path, strings.Join(Kinds, ", "))
	}
	read := readTextArray
	if isTable(path) {
		read = readTextLines
	}
	texts, err := read(path, array)
	if err == nil && len(texts) == 0 {
		err = errors.New("has no token ids")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return texts, nil
}

func readTextArray(path, array string) ([][]int64, error) {
	file, err := npz.OpenRows(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it is only read
	a, err := choose(file.Arrays, array)
	if err != nil {
		return nil, err
	}
	if kind := a.DType.Kind(); len(a.Shape) < 1 || len(a.Shape) > 2 || kind != tensor.KindSigned && kind != tensor.KindUnsigned {
		return nil, fmt.Errorf("array %q is %s %s; expected integers, one text in each row", a.Name, a.DType, tensor.FormatShape(a.Shape))
	}
	t, err := a.Whole()
	if err != nil || t.Len() == 0 {
		return nil, err
	}
	ids, err := t.Int64s()
	if err != nil {
		return nil, err
	}
	return slices.Collect(slices.Chunk(ids, int(a.Shape[len(a.Shape)-1]))), nil
}

// readTextLines reads lines of numbers that are separated by commas or blanks. Empty lines do not count.
func readTextLines(path, _ string) ([][]int64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, maxLine)
	var out [][]int64
	for at := 1; lines.Scan(); at++ {
		var ids []int64
		for word := range strings.FieldsFuncSeq(lines.Text(), func(c rune) bool { return c == ',' || c == ' ' || c == '\t' || c == '\r' }) {
			id, err := strconv.ParseInt(word, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("line %d: %.40q is not the id of a token", at, word)
			}
			ids = append(ids, id)
		}
		if len(ids) > 0 {
			out = append(out, ids)
		}
	}
	return out, lines.Err()
}
