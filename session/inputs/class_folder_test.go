package inputs

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"image"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// pixels is the input of a model that takes grey images of 2×2.
var pixels = []graphops.NamedType{{Name: "x", Type: graphops.Type{Kind: graphops.TypeTensor, Elem: tensor.F32, Shape: graphops.FixedShape([]int64{1, 1, 2, 2})}}}

func pngOf(t *testing.T, size int, grey uint8) []byte {
	t.Helper()
	img := image.NewGray(image.Rect(0, 0, size, size))
	for i := range img.Pix {
		img.Pix[i] = grey
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// hugePNG claims to be of 100,000 × 100,000 pixels.
func hugePNG(t *testing.T) []byte {
	t.Helper()
	b := pngOf(t, 1, 0)
	header := b[12:29] // the name of the chunk, and its content
	binary.BigEndian.PutUint32(header[4:], 100_000)
	binary.BigEndian.PutUint32(header[8:], 100_000)
	binary.BigEndian.PutUint32(b[29:], crc32.ChecksumIEEE(header))
	return b
}

// foldersOf writes files, whose names end in "/" for folders, and returns their folder.
func foldersOf(t *testing.T, files map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		folder := filepath.Dir(path)
		if strings.HasSuffix(name, "/") {
			folder = path
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if folder != path {
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

// TestClassFolder: each image has the class of its folder as the label.
func TestClassFolder(t *testing.T) {
	dark, light := pngOf(t, 2, 0), pngOf(t, 5, 255)
	for name, c := range map[string]struct {
		files  map[string][]byte
		labels []int64
		names  []string
		notes  string
	}{
		"sorted names": {map[string][]byte{"cat/2.png": dark, "cat/10.png": dark, "ant/x.jpg.png": light}, []int64{0, 1, 1}, []string{"ant", "cat"}, ""},
		"classes.txt": {
			map[string][]byte{"cat/2.png": dark, "ant/x.png": light, "classes.txt": []byte("cat\n\n ant \r\nbee\n")},
			[]int64{0, 1},
			[]string{"cat", "ant", "bee"},
			`no image of the classes "bee"`,
		},
		"others": {
			map[string][]byte{"a/2.PNG": dark, "a/read.txt": nil, "a/b/": nil, "b/1.png": light, "c/": nil, ".git/x.png": dark, "read.me": nil, "a/.DS_Store": nil},
			[]int64{0, 1},
			[]string{"a", "b", "c"},
			"left out in the folders of classes: 2 other files not named .png, .jpg, .jpeg",
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := foldersOf(t, c.files)
			s, err := OpenStream(pixels, Request{Data: dir})
			if err != nil {
				t.Fatal(err)
			}
			var got []int64
			for i := range s.Len() {
				one, err := s.Case(i)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, one.Labels...)
				values, _ := one.Feeds["x"].Tensor.Float64s()
				if want := float64(len(one.Feeds["x"].Tensor.Data)); want != 16 || math.Abs(values[0]-values[3]) > 1e-6 || one.Classes != int64(len(c.names)) {
					t.Errorf("%s: %v of %d classes", one.Name, values, one.Classes)
				}
			}
			if !slices.Equal(got, c.labels) || !slices.Equal(s.Classes, c.names) || !strings.Contains(strings.Join(s.Notes, "\n"), c.notes) {
				t.Errorf("labels %v of %q, notes %q", got, s.Classes, s.Notes)
			}
			whole, err := ReadCases(dir, pixels, FileOptions{})
			if err != nil || len(whole.Cases) != len(c.labels) || !slices.Equal(whole.Cases[0].Labels, c.labels[:1]) {
				t.Errorf("as a whole: %v, %v", whole.Cases, err)
			}
		})
	}
}

// TestClassFolderErrors: a folder that is not what it should be is named.
func TestClassFolderErrors(t *testing.T) {
	dark := pngOf(t, 2, 0)
	for want, files := range map[string]map[string][]byte{
		`has a folder "b" that classes.txt does not name`: {"a/1.png": dark, "b/1.png": dark, "classes.txt": []byte("a\n")},
		`names the class "a" twice`:                       {"a/1.png": dark, "classes.txt": []byte("a\na\n")},
		"classes.txt: names no class":                     {"a/1.png": dark, "classes.txt": []byte("\n")},
		"no folder that classes.txt names has an image":   {"a/": nil, "classes.txt": []byte("a\n")},
		"1.png for input \"x\": not a PNG or JPEG image":  {"a/1.png": []byte("no image"), "b/1.png": dark},
		"an image of 100000×100000 pixels; at most":       {"a/1.png": hugePNG(t), "b/1.png": dark},
		"no .npy file in this folder":                     {"a/": nil, "b/read.txt": nil},
	} {
		dir := foldersOf(t, files)
		for _, read := range []func() error{
			func() error { _, err := OpenStream(pixels, Request{Data: dir}); return err },
			func() error { _, err := ReadCases(dir, pixels, FileOptions{}); return err },
		} {
			if err := read(); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("got %v, expected %q", err, want)
			}
		}
	}
}
