//go:build parity

package onnxtext_test

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/onnxpb"
	"lathe/graphops/onnxtext"
	"lathe/graphops/reference"
	"lathe/graphops/tensor"
)

// onnxPackage is the parser and the printer of the package onnx for Python.
type onnxPackage struct{ python *reference.Python }

func (o onnxPackage) ask(t testing.TB, do, from, to string) error {
	t.Helper()
	var answer struct{ Error *string }
	o.python.Ask(t, map[string]string{"do": do, "from": from, "to": to}, &answer)
	if answer.Error != nil {
		return errors.New(*answer.Error)
	}
	return nil
}

// TestParserParity has onnx.parser read the text of every model of the corpora. What
// it reads is the file, but for what was told to be lost.
func TestParserParity(t *testing.T) {
	o := onnxPackage{reference.Start(t, "testdata/reference.py")}
	folder := t.TempDir()
	text, read := filepath.Join(folder, "text"), filepath.Join(folder, "read")
	refused := 0
	eachModel(t, func(t *testing.T, m *graphops.Model, path string) {
		f, err := os.Create(text)
		if err != nil {
			t.Fatal(err)
		}
		losses, err := onnxtext.Write(f, m, onnxtext.Options{})
		if err := errors.Join(err, f.Close()); err != nil {
			t.Fatal(err)
		}
		if err := o.ask(t, "parse", text, read); err != nil {
			if unread(losses, ", in Python") {
				refused++
				return
			}
			t.Fatal(err)
		}
		have, err := os.ReadFile(read)
		if err != nil {
			t.Fatal(err)
		}
		got := message(t, have)
		if unread(losses, "") {
			refused++
			return
		}
		compare(t, readFile(t, path), got, losses)
	})
	t.Logf("%d that the parser was told not to take", refused)
}

// unread reports whether a loss tells that onnx.parser does not read something.
func unread(losses []onnxtext.Loss, what string) bool {
	return slices.ContainsFunc(losses, func(l onnxtext.Loss) bool { return l.Parser && strings.HasSuffix(l.What, what) })
}

func readFile(t testing.TB, path string) *onnxpb.ModelProto {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return message(t, b)
}

// TestPrinterParity reads what onnx.printer writes. What it leaves out by itself is
// not compared.
func TestPrinterParity(t *testing.T) {
	o := onnxPackage{reference.Start(t, "testdata/reference.py")}
	text := filepath.Join(t.TempDir(), "text")
	counts := map[string]int{}
	eachModel(t, func(t *testing.T, m *graphops.Model, path string) {
		if err := o.ask(t, "print", path, text); err != nil {
			counts["the printer fails: "+firstWord(err.Error())]++
			return
		}
		b, err := os.ReadFile(text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := onnxtext.Encode(string(b))
		switch {
		case err != nil && strings.Contains(err.Error(), `"..."`):
			counts["the printer leaves elements out"]++
			return
		case err != nil && strings.Contains(string(b), "undefined"):
			counts["the printer has no word for a type"]++
			return
		case err != nil:
			t.Fatal(err)
		}
		counts["read"]++
		want, have := readFile(t, path), message(t, got)
		for _, f := range append(want.Functions, have.Functions...) {
			f.AttributeProto, f.ValueInfo, f.DocString = nil, nil, nil
		}
		if a, b := (&plain{t, map[string]bool{}}), (&plain{t, map[string]bool{}}); string(a.bytes(want)) != string(b.bytes(have)) {
			t.Error("the printer's text reads as another model", difference(want, have))
		}
		var mine strings.Builder
		losses, err := onnxtext.Write(&mine, m, onnxtext.Options{})
		if err != nil {
			t.Fatal(err)
		}
		switch {
		case compact(mine.String()) == compact(string(b)):
			counts["written alike but for blanks"]++
		case len(losses) == 0 && len(m.Functions()) == 0:
			t.Error("written in another way than the printer's: ", apart(compact(mine.String()), compact(string(b))))
		}
	})
	t.Log(counts)
}

// compact is a text without blanks.
func compact(s string) string {
	return strings.Map(func(r rune) rune {
		if r == ' ' || r == '\n' {
			return -1
		}
		return r
	}, s)
}

// apart shows where two texts part.
func apart(a, b string) string {
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	from := max(i-40, 0)
	return fmt.Sprintf("%.120q and %.120q", a[from:], b[from:])
}

// TestNumberParity writes numbers of random bits as the printer writes them.
func TestNumberParity(t *testing.T) {
	o := onnxPackage{reference.Start(t, "testdata/reference.py")}
	r := rand.New(rand.NewPCG(1, 2))
	var narrow []float32
	var wide []float64
	for range 100_000 {
		narrow = append(narrow, math.Float32frombits(r.Uint32()), float32(r.NormFloat64()), float32(r.IntN(1<<30)))
		wide = append(wide, math.Float64frombits(r.Uint64()), r.NormFloat64(), float64(r.Int64N(1<<60)), float64(r.IntN(1e6))*1e9)
	}
	m, err := onnxtext.Parse("g () => (y) {}")
	if err != nil {
		t.Fatal(err)
	}
	e := graphops.Edit(m)
	e.Initializers = append(e.Initializers,
		graphops.NewTensorOf("n", tensor.FromSlice(narrow, int64(len(narrow)))),
		graphops.NewTensorOf("w", tensor.FromSlice(wide, int64(len(wide)))))
	folder := t.TempDir()
	model, text := filepath.Join(folder, "m.onnx"), filepath.Join(folder, "text")
	m = e.Model()
	if _, err := graphops.Save(t.Context(), m, model, graphops.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := o.ask(t, "print", model, text); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(text)
	if err != nil {
		t.Fatal(err)
	}
	var mine strings.Builder
	if _, err := onnxtext.Write(&mine, m, onnxtext.Options{}); err != nil {
		t.Fatal(err)
	}
	_, want, _ := strings.Cut(compact(string(b)), "(y)")
	_, have, _ := strings.Cut(compact(mine.String()), "(y)")
	if want != have {
		t.Error(apart(have, want))
	}
}

func firstWord(s string) string {
	word, _, _ := strings.Cut(s, " ")
	return word
}
