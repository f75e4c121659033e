package graphops_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// tree makes files and links below a folder. What starts with "-> " is a link,
// "=> " a hard link to a file that comes before in order of name.
func tree(t testing.TB, root string, files map[string]string) {
	t.Helper()
	var errs []error
	for pass := range 2 {
		for name, content := range files {
			path := filepath.Join(root, name)
			target, symbolic := strings.CutPrefix(content, "-> ")
			first, hard := strings.CutPrefix(content, "=> ")
			if hard != (pass == 1) {
				continue
			}
			errs = append(errs, os.MkdirAll(filepath.Dir(path), 0o700))
			switch {
			case hard:
				errs = append(errs, os.Link(filepath.Join(root, first), path))
			case symbolic:
				errs = append(errs, os.Symlink(target, path))
			default:
				errs = append(errs, os.WriteFile(path, []byte(content), 0o600))
			}
		}
	}
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// eightBytes is a model with one weight of 8 bytes at a location.
func eightBytes(t testing.TB, location string, more ...string) string {
	t.Helper()
	p := graphtest.Proto(t, "opset 20\ninit w f32[2] 1 2\ny = Relu(w)\noutput y")
	outside(p.Graph.Initializer[0], entries(append([]string{"location", location}, more...)...))
	return serialized(t, p)
}

func serialized(t testing.TB, p *onnxpb.ModelProto) string {
	t.Helper()
	b, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestFolders looks for data in every folder that it may lie in: beside the model,
// beside the file that the model's path leads to, and where it is allowed.
func TestFolders(t *testing.T) {
	const here, there = "the data", "not this"
	tests := []struct {
		name     string
		files    map[string]string
		open     string
		location string
		allow    []string
		want     string // in the error; "" where the weight is read
	}{
		{"beside the model", map[string]string{"m/m.onnx": "", "m/w.bin": here}, "m/m.onnx", "w.bin", nil, ""},
		{"a folder that is a link", map[string]string{"m/m.onnx": "", "m/w.bin": here, "link": "-> m"}, "link/m.onnx", "w.bin", nil, ""},
		{"up from behind a link", map[string]string{"a/m.onnx": "", "a/w.bin": here, "a/b/x": "", "link": "-> a/b"}, "link/../m.onnx", "w.bin", nil, ""},
		{"a cache of links", map[string]string{
			"blobs/1": "", "blobs/2": here,
			"rev/m.onnx": "-> ../blobs/1", "rev/w.bin": "-> ../blobs/2",
		}, "rev/m.onnx", "w.bin", nil, ""},
		{"a cache, data in a subfolder", map[string]string{
			"blobs/1": "", "blobs/2": here,
			"rev/m.onnx": "-> ../blobs/1", "rev/onnx/w.bin": "-> ../../blobs/2",
		}, "rev/m.onnx", "onnx/w.bin", nil, ""},
		{"beside the link", map[string]string{"blobs/m": "", "rev/m.onnx": "-> ../blobs/m", "rev/w.bin": here}, "rev/m.onnx", "w.bin", nil, ""},
		{"beside what the link leads to", map[string]string{"blobs/m": "", "blobs/w.bin": here, "rev/m.onnx": "-> ../blobs/m"}, "rev/m.onnx", "w.bin", nil, ""},
		{"beside both", map[string]string{"blobs/m": "", "blobs/w.bin": there, "rev/m.onnx": "-> ../blobs/m", "rev/w.bin": here}, "rev/m.onnx", "w.bin", nil, ""},
		{"beside neither", map[string]string{"blobs/m": "", "rev/m.onnx": "-> ../blobs/m"}, "rev/m.onnx", "w.bin", nil, "blobs/w.bin"},
		{"a cache, and a link elsewhere", map[string]string{
			"blobs/1": "", "else/2": there,
			"rev/m.onnx": "-> ../blobs/1", "rev/w.bin": "-> ../else/2",
		}, "rev/m.onnx", "w.bin", nil, "--allow-external ROOT/else"},

		{"an allowed folder", map[string]string{"m/m.onnx": "", "else/w.bin": here, "m/w.bin": "-> ../else/w.bin"}, "m/m.onnx", "w.bin", []string{"else"}, ""},
		{"allowed by a link to it", map[string]string{"m/m.onnx": "", "else/w.bin": here, "m/w.bin": "-> ../else/w.bin", "link": "-> else"}, "m/m.onnx", "w.bin", []string{"link"}, ""},
		{"allowed, and up", map[string]string{"m/m.onnx": "", "else/w.bin": here}, "m/m.onnx", "../else/w.bin", []string{"else"}, ""},
		{"allowed, and absolute", map[string]string{"m/m.onnx": "", "else/w.bin": here}, "m/m.onnx", "ROOT/else/w.bin", []string{"else"}, ""},
		{"absolute by a link that is allowed", map[string]string{"m/m.onnx": "", "else/w.bin": here, "link": "-> else"}, "m/m.onnx", "ROOT/link/w.bin", []string{"link"}, ""},
		{"another folder allowed", map[string]string{"m/m.onnx": "", "else/w.bin": there, "more/x": ""}, "m/m.onnx", "../else/w.bin", []string{"more"}, "--allow-external ROOT/else"},
		{"out of the allowed folder", map[string]string{"m/m.onnx": "", "else/w.bin": "-> ../w.bin", "w.bin": there}, "m/m.onnx", "../else/w.bin", []string{"else"}, "--allow-external ROOT"},
		{"a name that starts like the folder's", map[string]string{"m/m.onnx": "", "models/w.bin": there}, "m/m.onnx", "../models/w.bin", nil, "--allow-external ROOT/models"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root := realFolder(t)
			inRoot := strings.NewReplacer("ROOT", root)
			for name, content := range tt.files {
				if content == "" {
					tt.files[name] = eightBytes(t, inRoot.Replace(tt.location))
				}
			}
			tree(t, root, tt.files)
			var o graphops.OpenOptions
			for _, dir := range tt.allow {
				o.AllowExternal = append(o.AllowExternal, filepath.Join(root, dir))
			}
			m, err := graphops.Open(root+"/"+tt.open, o)
			if err != nil {
				t.Fatal(err)
			}
			checkWeight(t, m, here, inRoot.Replace(tt.want))
		})
	}
}

// realFolder is a temporary folder, spelled without links.
func realFolder(t testing.TB) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return root
}

// checkWeight reads the first weight, or wants it to fail.
func checkWeight(t *testing.T, m *graphops.Model, want, wantErr string) {
	t.Helper()
	data, err := m.Graph().Initializers()[0].Data()
	if wantErr != "" {
		if err == nil || !strings.Contains(err.Error(), wantErr) {
			t.Errorf("error %v, want one with %q", err, wantErr)
		}
		return
	}
	if err != nil {
		t.Error(err)
		return
	}
	if b, err := data.Bytes(); string(b) != want || err != nil {
		t.Errorf("read %.100q, %v", b, err)
	}
}

// TestFolderThatIsNot refuses a folder that cannot be one as soon as it is named.
func TestFolderThatIsNot(t *testing.T) {
	root := t.TempDir()
	tree(t, root, map[string]string{"m.onnx": eightBytes(t, "w.bin"), "w.bin": "the data"})
	for dir, want := range map[string]string{"gone": "no such folder", "w.bin": "is not a folder"} {
		_, err := graphops.Open(filepath.Join(root, "m.onnx"), graphops.OpenOptions{AllowExternal: []string{filepath.Join(root, dir)}})
		if err == nil || !strings.Contains(err.Error(), dir+": "+want) {
			t.Errorf("%s: error %v, want one with %q", dir, err, want)
		}
	}
}

// TestExternalFromStream finds data in the folders that are allowed and says why
// there is none without them.
func TestExternalFromStream(t *testing.T) {
	root := realFolder(t)
	tree(t, root, map[string]string{"one/x": "", "two/w.bin": "the data", "two/out.bin": "-> ../secret", "secret": "not this"})
	one, two := filepath.Join(root, "one"), filepath.Join(root, "two")
	tests := []struct {
		name, location string
		allow          []string
		want           string
	}{
		{"none", "w.bin", nil, "came from a stream"},
		{"one", "w.bin", []string{two}, ""},
		{"the second", "w.bin", []string{one, two}, ""},
		{"the wrong one", "w.bin", []string{one}, "no such file in the allowed folders (" + one + "/w.bin)"},
		{"absolute", two + "/w.bin", []string{two}, ""},
		{"absolute, without leave", two + "/w.bin", nil, "is absolute"},
		{"a link that leads out", "out.bin", []string{two}, "--allow-external " + root},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := io.MultiReader(strings.NewReader(eightBytes(t, tt.location)))
			m, err := graphops.Read(r, "standard input", graphops.OpenOptions{AllowExternal: tt.allow})
			if err != nil {
				t.Fatal(err)
			}
			checkWeight(t, m, "the data", tt.want)
		})
	}
}

// TestModelFolderExchanged puts a link in the place of the model's folder once the
// model is open: what lies there is not the model's.
func TestModelFolderExchanged(t *testing.T) {
	root := t.TempDir()
	tree(t, root, map[string]string{
		"models/m.onnx": eightBytes(t, "w.bin"), "models/w.bin": "the data",
		"secret/m.onnx": "another", "secret/w.bin": "not this",
	})
	m, err := graphops.Open(filepath.Join(root, "models", "m.onnx"), graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(
		os.Rename(filepath.Join(root, "models"), filepath.Join(root, "moved")),
		os.Rename(filepath.Join(root, "secret"), filepath.Join(root, "models")),
	); err != nil {
		t.Fatal(err)
	}
	checkWeight(t, m, "", "was replaced while the model was being opened")
}

// TestManySpellings names one file in very many ways. It is opened once: a model
// cannot use up the descriptors of the process.
func TestManySpellings(t *testing.T) {
	root := t.TempDir()
	const n = 3000
	p := graphtest.Proto(t, "init w f32[2] 1 2\ny = Relu(w)\noutput y")
	w := p.Graph.Initializer[0]
	p.Graph.Initializer = nil
	for i := range n {
		x := proto.CloneOf(w)
		x.Name = proto.String(fmt.Sprint("w", i))
		outside(x, entries("location", strings.Repeat("./", i%1000)+strings.Repeat("sub/../", i/1000)+"w.bin"))
		p.Graph.Initializer = append(p.Graph.Initializer, x)
	}
	tree(t, root, map[string]string{"m.onnx": serialized(t, p), "w.bin": "the data", "sub/x": ""})
	m, err := graphops.Open(filepath.Join(root, "m.onnx"), graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	before := descriptors(t)
	if missing := m.MissingExternal(); len(missing) > 0 {
		t.Errorf("%d cannot be read: %v", len(missing), missing[0])
	}
	if opened := descriptors(t) - before; opened > 10 {
		t.Errorf("%d descriptors for one file", opened)
	}
}

// descriptors counts those that the process has open.
func descriptors(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Skipf("the system does not tell open descriptors: %v", err)
	}
	return len(list)
}

// TestInPlace tells files that are as they were from those that were changed, and
// from names that now lead to another file, which goes on being read all the same.
func TestInPlace(t *testing.T) {
	root := t.TempDir()
	data, path := filepath.Join(root, "w.bin"), filepath.Join(root, "m.onnx")
	tests := map[string]struct {
		change func() error
		want   string // of what is in place
		read   string // of the weight, "" where saving is an error
	}{
		"nothing":         {func() error { return nil }, "", "the data"},
		"a hard link":     {func() error { return os.Link(data, filepath.Join(root, "other")) }, "", "the data"},
		"permissions":     {func() error { return os.Chmod(data, 0o640) }, "", "the data"},
		"the data moved":  {func() error { return os.Rename(data, filepath.Join(root, "moved")) }, "another file has taken its place", "the data"},
		"the data anew":   {func() error { return replace(data, "others!!") }, "another file has taken its place", "the data"},
		"the model anew":  {func() error { return replace(path, "others!!") }, "another file has taken its place", "the data"},
		"the data inside": {func() error { return os.WriteFile(data, []byte("others!!"), 0o600) }, "changed while it was in use", ""},
		"the data longer": {func() error { return os.Truncate(data, 9) }, "changed while it was in use", ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			for _, f := range []string{"m.onnx", "w.bin", "other", "moved"} {
				_ = os.Remove(filepath.Join(root, f)) // of the test before, if it was made
			}
			tree(t, root, map[string]string{"m.onnx": eightBytes(t, "w.bin"), "w.bin": "the data"})
			old := time.Now().Add(-time.Hour)
			if err := os.Chtimes(data, old, old); err != nil {
				t.Fatal(err)
			}
			m, err := graphops.Open(path, graphops.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			checkWeight(t, m, "the data", "")
			if err := tt.change(); err != nil {
				t.Fatal(err)
			}
			if err := graphops.InPlace(m); (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %v, want one with %q", err, tt.want)
			}
			var out bytes.Buffer
			if err := graphops.Write(&out, m); (err == nil) != (tt.read != "") || err == nil && !strings.Contains(out.String(), tt.read) {
				t.Errorf("written: %v, want %q", err, tt.read)
			}
		})
	}
}

// replace puts another file in the place of one.
func replace(path, content string) error {
	return errors.Join(os.WriteFile(path+".new", []byte(content), 0o600), os.Rename(path+".new", path))
}
