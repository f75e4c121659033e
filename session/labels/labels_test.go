package labels

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
)

func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// archive writes arrays, each as NAME=LITERAL.
func archive(t *testing.T, arrays ...string) string {
	t.Helper()
	var b strings.Builder
	var entries []npz.Entry
	for _, a := range arrays {
		name, literal, _ := strings.Cut(a, "=")
		v, err := tensor.ParseLiteral(literal)
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, npz.Entry{Name: name, Tensor: v})
	}
	if err := npz.Write(&b, entries); err != nil {
		t.Fatal(err)
	}
	return write(t, "l:1.npz", []byte(b.String()))
}

// TestRead: an array or a table gives each row its label.
func TestRead(t *testing.T) {
	for name, c := range map[string]struct {
		said string
		want []int64
		note string
	}{
		"the only array": {archive(t, "z=i32[3]{5,6,7}"), []int64{5, 6, 7}, ""},
		"by name":        {archive(t, "z=i32[3]{5,6,7}", "w=u8[2,1]{1,2}") + ":w", []int64{1, 2}, ""},
		"named labels":   {archive(t, "z=i32[3]{5,6,7}", "Labels=i64[2]{1,-1}"), []int64{1, -1}, ""},
		"rows":           {write(t, "l.csv", []byte("0,4\n2,6\n1, 5\n")), []int64{4, 5, 6}, ""},
		"titles":         {write(t, "l.csv", []byte("row,label\r\n0,4\r\n")), []int64{4}, `line 1 of l.csv is taken for titles: "row", "label"`},
	} {
		l, err := Read(c.said)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		got, err := l.For("x", 0, int64(len(c.want)))
		if err != nil || !slices.Equal(got, c.want) || l.Len() != len(c.want) || strings.Join(l.Notes, "") != c.note {
			t.Errorf("%s: %v, %v, notes %q", name, got, err, l.Notes)
		}
		if l.Check(int64(len(c.want)+1)) == nil || l.Check(int64(len(c.want))) != nil {
			t.Errorf("%s: another number of rows is not noticed", name)
		}
		if _, err := l.For("x", 1, int64(len(c.want))); err == nil {
			t.Errorf("%s: a row beyond the labels has one", name)
		}
	}
}

// TestFiles: a table that names files gives each file its label.
func TestFiles(t *testing.T) {
	l, err := Read(write(t, "l.csv", []byte("file,label\na.png,4\n\"b,c.png\",2\n")))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := l.For("b,c.png", 7, 1); err != nil || got[0] != 2 {
		t.Errorf("got %v, %v", got, err)
	}
	for want, name := range map[string]string{`no label for "c.png"`: "c.png", "which has 2 rows": "a.png"} {
		if _, err := l.For(name, 0, 2); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, expected %q", name, err, want)
		}
	}
}

// TestErrors: each error names the file, and the line if there is one.
func TestErrors(t *testing.T) {
	for want, said := range map[string]string{
		"no such file":                               filepath.Join(t.TempDir(), "none.npz"),
		"not a regular file":                         t.TempDir(),
		"l.txt: not a file of labels":                write(t, "l.txt", nil),
		"l.csv: has no labels":                       write(t, "l.csv", []byte("file,label\n")),
		"line 2 has 3 columns":                       write(t, "l.csv", []byte("0,1\n1,2,3\n")),
		`line 2: the label "x" is not`:               write(t, "l.csv", []byte("0,1\n1,x\n")),
		"line 2: a second label for row 0":           write(t, "l.csv", []byte("0,1\n0,2\n")),
		"line 2: row 7, and 2 labels":                write(t, "l.csv", []byte("0,1\n7,2\n")),
		`line 2: "a" is not a row number`:            write(t, "l.csv", []byte("0,1\na,2\n")),
		`line 3: a second label for "a"`:             write(t, "l.csv", []byte("a,1\nb,1\na,2\n")),
		`"l" is f32 2`:                               archive(t, "l=f32[2]{1,2}"),
		`"l" is i64 2×2`:                             archive(t, "l=i64[2,2]{1,2,3,4}"),
		`has no array "m"; its arrays are "k", "l"`:  archive(t, "k=i64[1]{1}", "l=i64[1]{1}") + ":m",
		`name the one with the labels as FILE:ARRAY`: archive(t, "k=i64[1]{1}", "l=i64[1]{1}"),
		"l.npz: ": write(t, "l.npz", []byte("no archive")),
		"parse error on line 2, column 2: bare \" in non": write(t, "l.csv", []byte("a,1\nb\",2\n")),
	} {
		l, err := Read(said)
		path, _ := Split(said)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), path) || strings.Contains(err.Error(), "\n") {
			t.Errorf("got %v, %v; expected %q", l, err, want)
		}
	}
}

// FuzzTable: no table makes the reader panic, and a table that is read has a label for each line.
func FuzzTable(f *testing.F) {
	for _, s := range []string{"0,1\n", "a,b\n1,2", "\"", "a.png,-9223372036854775808\n", ",\n,"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		l := &Labels{}
		lines, err := l.lines(strings.NewReader(s))
		if err != nil {
			return
		}
		if err := l.take(lines); err == nil && l.Len() != len(lines) {
			t.Errorf("%d labels of %d lines", l.Len(), len(lines))
		}
	})
}
