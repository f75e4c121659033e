//go:build cgo

package accuracy

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/tensor"
	"lathe/graphops/tensor/npz"
	"lathe/session"
	"lathe/session/ort/workertest"
	"lathe/session/proportion"
	"lathe/session/quantization"
	"lathe/session/sessiontest"
)

func TestMain(m *testing.M) { workertest.Main(m) }

// same returns its input as the scores of six classes.
const same = "input x f32[batch,6]\noutput y f32[batch,6]\ny = Identity(x)\n"

// file writes a model or arrays and returns the path.
func file(t *testing.T, name string, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func model(t *testing.T, name, text string) string {
	t.Helper()
	return file(t, name, graphtest.Bytes(t, text))
}

func arrays(t *testing.T, entries ...npz.Entry) string {
	t.Helper()
	var b bytes.Buffer
	if err := npz.Write(&b, entries); err != nil {
		t.Fatal(err)
	}
	return file(t, "data.npz", b.Bytes())
}

// rows are scores whose highest is that of class i%6 in row i.
func rows(n int) npz.Entry {
	values := make([]float32, 6*n)
	for i := range n {
		values[6*i+i%6] = 1
	}
	return npz.Entry{Name: "x", Tensor: tensor.FromSlice(values, int64(n), 6)}
}

// labelled are labels of n rows, whose first ones are right in a model that returns rows.
func labelled(n, right int) npz.Entry {
	values := make([]int64, n)
	for i := range values {
		if values[i] = int64(i % 6); i >= right {
			values[i] = int64((i + 1) % 6)
		}
	}
	return npz.Entry{Name: "labels", Tensor: tensor.FromSlice(values, int64(n))}
}

func run1(t *testing.T, env session.Env, s *Accuracy) (*Report, session.Result, error) {
	t.Helper()
	result, err := s.Run(t.Context(), env)
	r, _ := result.Report.(*Report)
	return r, result, err
}

// marking takes the scores of six classes and a mark, which adds 5 to the score of class 5 in b alone.
func marking(five int) string {
	var b strings.Builder
	b.WriteString("input x f32[batch,7]\noutput y f32[batch,6]\ny = MatMul(x, w)\ninit w f32[7,6]")
	for i := range 42 {
		fmt.Fprintf(&b, " %d", map[bool]int{i/6 == i%6: 1, i == 41: five}[true])
	}
	return b.String() + "\n"
}

// TestPlanted: two models differ only if the test says so.
func TestPlanted(t *testing.T) {
	env := sessiontest.Env(t)
	a, b := model(t, "a.onnx", marking(0)), model(t, "b.onnx", marking(5))
	for name, c := range map[string]struct {
		rows, wrong int // in b
		flip        bool
		want        Verdict
	}{
		"equal":           {400, 0, false, NoDifference},
		"one row of 400":  {400, 1, false, NoDifference},
		"five rows":       {400, 5, false, NoDifference},
		"six rows":        {400, 6, false, Worse},
		"six rows better": {400, 6, true, Better},
		"many":            {400, 100, false, Worse},
	} {
		values, wrong := make([]float32, 7*c.rows), c.wrong
		for i := range c.rows {
			values[7*i+i%6] = 1
			if i%6 != 5 && wrong > 0 {
				values[7*i+6] = 1
				wrong--
			}
		}
		data := npz.Entry{Name: "x", Tensor: tensor.FromSlice(values, int64(c.rows), 7)}
		s := &Accuracy{}
		if s.Of.A, s.Of.B = a, b; c.flip {
			s.Of.A, s.Of.B = b, a
		}
		s.Of.Data = arrays(t, data, labelled(c.rows, c.rows))
		r, result, err := run1(t, env, s)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != c.want || result.No != (c.want == Worse) || !strings.HasPrefix(r.Headline, map[Verdict]string{NoDifference: "no difference", Worse: "b is worse", Better: "b is better"}[c.want]) {
			t.Errorf("%s: %s, %q, %+v", name, r.Verdict, r.Headline, r.Top1)
		}
		if n := r.Top1.OnlyA + r.Top1.OnlyB; n != int64(c.wrong) {
			t.Errorf("%s: %d discordant rows, expected %d", name, n, c.wrong)
		}
		var words strings.Builder
		if err := r.WriteText(&words); err != nil || !strings.Contains(words.String(), "top-1") {
			t.Errorf("%s: %v, %s", name, err, words.String())
		}
	}
}

// TestDigits: a trained model in float32 and in int8, on the labels in its data and on those of a table.
func TestDigits(t *testing.T) {
	env := sessiontest.Env(t)
	const digits, data = "../../testdata/digits.onnx", "../../testdata/digits_test.npz"
	m, err := graphops.Open(digits, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	q := quantization.Quantization{Mode: "dynamic"}
	small, _, err := q.Quantize(t.Context(), env, m)
	if err != nil {
		t.Fatal(err)
	}
	int8 := filepath.Join(t.TempDir(), "int8.onnx")
	if _, err := graphops.Save(t.Context(), small, int8, graphops.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	s := &Accuracy{Score: "echo 0.5 #"}
	s.Of.A, s.Of.B, s.Of.Data = digits, int8, data
	r, _, err := run1(t, env, s)
	if err != nil {
		t.Fatal(err)
	}
	want := proportion.Of(352, 360) // as numpy has it: TestAgainstPython
	if *r.Models[0].Top1 != want || r.Models[0].Top5.Right != 360 || r.Rows != 360 || r.Verdict != NoDifference || *r.Models[1].Score != 0.5 {
		t.Errorf("got %+v, %+v of %d rows, %s", r.Models[0].Top1, r.Models[0].Top5, r.Rows, r.Verdict)
	}
	if r.Models[1].Top1.Right < 350 || r.Models[1].Output != "logits" || r.Labels != "digits_test.npz" {
		t.Errorf("int8: %+v", r.Models[1])
	}
	one := &Accuracy{Samples: 90}
	one.Of.A, one.Of.Data = digits, data
	if r, _, err = run1(t, env, one); err != nil || r.Rows != 90 || r.Top1 != nil || r.Verdict != Measured || r.Models[0].Top1.Of != 90 {
		t.Errorf("one model on 90 rows: %+v, %v", r, err)
	}
}

// TestHostileData: data and labels that do not fit, scores that are not numbers, and few classes.
func TestHostileData(t *testing.T) {
	env := sessiontest.Env(t)
	a := model(t, "a.onnx", same)
	nan := float32(math.NaN())
	odd := npz.Entry{Name: "x", Tensor: tensor.FromSlice([]float32{nan, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}, 3, 6)}
	few := model(t, "few.onnx", "input x f32[batch,6]\noutput y f32[batch,3]\ninit w f32[6,3] 1\ny = MatMul(x, w)\n")
	for name, c := range map[string]struct {
		model, data, labels, err string
		check                    func(r *Report) bool
	}{
		"NaN and ties": {a, arrays(t, odd, npz.Entry{Name: "labels", Tensor: tensor.FromSlice([]int64{1, 1, 5}, 3)}), "", "", func(r *Report) bool { m := r.Models[0]; return m.Top1.Right == 1 && m.NotNumbers == 1 && m.Ties == 1 }},
		"few classes": {few, arrays(t, rows(4), npz.Entry{Name: "labels", Tensor: tensor.FromSlice([]int64{0, 1, 2, 0}, 4)}), "", "", func(r *Report) bool {
			return r.Models[0].Top5 == nil && r.Models[0].Top1.Right == 2 && strings.Contains(strings.Join(r.Notes, ""), "only 3 classes")
		}},
		"beyond":          {a, arrays(t, rows(4), npz.Entry{Name: "labels", Tensor: tensor.FromSlice([]int64{0, 1, 6, 0}, 4)}), "", "row 2 has the label 6, and there are scores of the classes 0 to 5", nil},
		"far beyond":      {a, arrays(t, rows(1), npz.Entry{Name: "labels", Tensor: tensor.FromSlice([]int64{math.MaxInt64}, 1)}), "", "has the label 9223372036854775807", nil},
		"negative":        {a, arrays(t, rows(4), npz.Entry{Name: "labels", Tensor: tensor.FromSlice([]int64{0, 1, -1, 0}, 4)}), "", "row 2 has the label -1; classes are counted from 0", nil},
		"too few labels":  {a, arrays(t, rows(200)), arrays(t, labelled(199, 9)), "199 labels for 200 rows", nil},
		"too many labels": {a, arrays(t, rows(200)), arrays(t, labelled(201, 9)), "201 labels for 200 rows", nil},
		"no labels":       {a, arrays(t, rows(3)), "", "has no labels; give them with --labels", nil},
		"no rows":         {a, arrays(t, rows(0), labelled(0, 0)), "", "has no rows", nil},
	} {
		s := &Accuracy{Labels: c.labels}
		s.Of.A, s.Of.Data = c.model, c.data
		r, _, err := run1(t, env, s)
		if (err == nil) != (c.err == "") || err != nil && (!strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: %v, expected %q", name, err, c.err)
		}
		if err == nil && !c.check(r) {
			t.Errorf("%s: %+v, notes %q", name, r.Models[0], r.Notes)
		}
	}
}

// picture is an image of 2×2 whose pixel of that number is white.
func picture(t *testing.T, pixel int) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, 2, 2))
	img.SetGray(pixel%2, pixel/2, color.Gray{255})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestPictures: the folders of a class give its images their label, in sorted order or in that of
// classes.txt, which the model has to know.
func TestPictures(t *testing.T) {
	env := sessiontest.Env(t)
	m := model(t, "m.onnx", "input x f32[1,1,2,2]\noutput y f32[1,4]\ny = Flatten(x)\n")
	write := func(dir string, names ...string) {
		for pixel, name := range names {
			for i := range 3 {
				path := filepath.Join(dir, name, fmt.Sprintf("%d.png", i))
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, picture(t, pixel), 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for name, c := range map[string]struct {
		folders []string // by the pixel that is white
		order   string   // of classes.txt
		right   int64
		err     string
	}{
		"sorted":       {[]string{"a", "b", "c", "d"}, "", 12, ""},
		"not sorted":   {[]string{"b", "a", "c", "d"}, "", 6, ""},
		"stated":       {[]string{"b", "a", "c", "d"}, "b\na\nc\nd\n", 12, ""},
		"too few":      {[]string{"a", "b"}, "", 0, "scores 4 classes, and"},
		"some, stated": {[]string{"b", "a"}, "b\na\nc\nd\n", 6, ""},
	} {
		dir := t.TempDir()
		write(dir, c.folders...)
		if c.order != "" {
			if err := os.WriteFile(filepath.Join(dir, "classes.txt"), []byte(c.order), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s := &Accuracy{}
		s.Of.A, s.Of.Data = m, dir
		r, _, err := run1(t, env, s)
		if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil {
			continue
		}
		var words strings.Builder
		if err := r.WriteText(&words); err != nil {
			t.Fatal(err)
		}
		if r.Models[0].Top1.Right != c.right || !strings.Contains(words.String(), "0.png 2×2, grey, /255, NCHW; mean 0, std 1 by default") {
			t.Errorf("%s: %+v\n%s", name, r.Models[0].Top1, words.String())
		}
	}
	// A flat folder has its labels in a table that names the files.
	dir := t.TempDir()
	write(dir, ".")
	s := &Accuracy{Labels: file(t, "l.csv", []byte("0.png,0\n1.png,0\n2.png,1\n"))}
	s.Of.A, s.Of.Data = m, dir
	if r, _, err := run1(t, env, s); err != nil || r.Models[0].Top1.Right != 2 {
		t.Errorf("by a table: %+v, %v", r, err)
	}
}

// TestUsage: options that do not go together are usage errors.
func TestUsage(t *testing.T) {
	for want, s := range map[string]*Accuracy{
		"--data: has the rows":    {},
		"--tokens: measures what": {Tokens: "t.npy", Labels: "l.npy"},
		"--window: has an effect": {Window: 5},
	} {
		if s.Window > 0 {
			s.Of.Data = "d.npz"
		}
		if _, err := s.Run(t.Context(), session.Env{}); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("got %v, expected %q", err, want)
		}
	}
}
