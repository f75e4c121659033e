package labels

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxTable limits the bytes and maxLabels the lines of a table that are read.
const (
	maxTable  = 1 << 30
	maxLabels = 50_000_000
)

func isTable(path string) bool { return strings.EqualFold(filepath.Ext(path), ".csv") }

// line is a line of a table.
type line struct {
	at    int // its number in the file
	key   string
	label int64
}

// readTable reads a table with two columns: the name of a file or the number of a row from 0, and its
// label. The first line may have titles.
func readTable(path string) (*Labels, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, errors.Unwrap(err))
	}
	defer f.Close()
	l := &Labels{Source: filepath.Base(path)}
	lines, err := l.lines(io.LimitReader(f, maxTable))
	if err == nil {
		err = l.take(lines)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return l, nil
}

// lines returns the lines of a table without that of the titles.
func (l *Labels) lines(from io.Reader) (out []line, err error) {
	r := csv.NewReader(from)
	r.FieldsPerRecord, r.TrimLeadingSpace, r.ReuseRecord = -1, true, true
	for first := true; ; first = false {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		at, _ := r.FieldPos(0)
		if len(cells) != 2 {
			return nil, fmt.Errorf("line %d has %d columns; expected 2, a file name or row number and a label", at, len(cells))
		}
		key, word := strings.Clone(strings.TrimSpace(cells[0])), strings.TrimSpace(cells[1])
		label, err := strconv.ParseInt(word, 10, 64)
		switch {
		case err != nil && first:
			l.Notes = append(l.Notes, fmt.Sprintf("line 1 of %s is taken for titles: %q, %q", l.Source, key, word))
			continue
		case err != nil:
			return nil, fmt.Errorf("line %d: the label %q is not the number of a class, from 0", at, word)
		case len(out) == maxLabels:
			return nil, fmt.Errorf("more than %d labels", maxLabels)
		}
		out = append(out, line{at, key, label})
	}
	if len(out) == 0 {
		return nil, errors.New("has no labels; expected lines such as cat.png,3")
	}
	return out, nil
}

// take stores the lines by row if all keys are the rows from 0 in any order, and by file otherwise.
func (l *Labels) take(lines []line) error {
	if _, err := strconv.ParseInt(lines[0].key, 10, 64); err == nil {
		return l.takeRows(lines)
	}
	l.byFile = make(map[string]int64, len(lines))
	for _, x := range lines {
		if _, twice := l.byFile[x.key]; twice {
			return fmt.Errorf("line %d: a second label for %q", x.at, x.key)
		}
		l.byFile[x.key] = x.label
	}
	return nil
}

// takeRows stores lines that name rows by number. Each row has to occur once.
func (l *Labels) takeRows(lines []line) error {
	l.byRow = make([]int64, len(lines))
	seen := make([]bool, len(lines))
	for _, x := range lines {
		row, err := strconv.ParseInt(x.key, 10, 64)
		switch {
		case err != nil:
			return fmt.Errorf("line %d: %q is not a row number, as in the lines before", x.at, x.key)
		case row < 0 || row >= int64(len(lines)):
			return fmt.Errorf("line %d: row %d, and %d labels are for the rows 0 to %d", x.at, row, len(lines), len(lines)-1)
		case seen[row]:
			return fmt.Errorf("line %d: a second label for row %d", x.at, row)
		}
		l.byRow[row], seen[row] = x.label, true
	}
	return nil
}
