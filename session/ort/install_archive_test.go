package ort

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// An entry is one member of an archive made by a test; the zero kind is a regular file.
type entry struct {
	name string
	body string
	kind byte   // a tar type flag
	link string // where a link leads
}

func makeTgz(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	w := tar.NewWriter(gz)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Size: int64(len(e.body)), Mode: 0o755, Typeflag: e.kind, Linkname: e.link}
		if e.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.body)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []interface{ Close() error }{w, gz} {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return b.Bytes()
}

func makeZip(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, e := range entries {
		h := &zip.FileHeader{Name: e.name, Method: zip.Deflate}
		body := e.body
		switch e.kind {
		case tar.TypeSymlink:
			h.SetMode(fs.ModeSymlink | 0o777)
			body = e.link
		case tar.TypeFifo:
			h.SetMode(fs.ModeNamedPipe | 0o666)
		}
		w, err := z.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(body)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// testLimits are small enough to be reached.
var testLimits = limits{archive: 1 << 20, member: 400_000, total: 600_000, entries: 50, ratio: 20, slack: 100_000}

func unpackBytes(t testing.TB, archive []byte, dir string) ([]installedFile, error) {
	t.Helper()
	u := unpacker{ctx: t.Context(), dir: dir, platform: linux, lim: testLimits, onBytes: func(int64) {}}
	err := walkArchive(bytes.NewReader(archive), int64(len(archive)), testLimits, u.visit)
	return u.files, err
}

func TestUnpackTakesWhatIsNeeded(t *testing.T) {
	wheel := []entry{
		{name: "onnxruntime/LICENSE", body: "MIT"},
		{name: "onnxruntime/ThirdPartyNotices.txt", body: "others"},
		{name: "onnxruntime/capi/_pybind_state.py", body: "import this"},
		{name: "onnxruntime/capi/libonnxruntime.so.1.30.0", body: "lib"},
		{name: "onnxruntime/capi/libonnxruntime_providers_shared.so", body: "bridge"},
		{name: "onnxruntime/capi/onnxruntime_pybind11_state.cpython-312-x86_64-linux-gnu.so", body: "python"},
		{name: "onnxruntime-1.30.0.dist-info/licenses/LICENSE", body: "MIT again"},
	}
	node := []entry{
		{name: "package/bin/napi-v6/linux/arm64/libonnxruntime.so.1", body: "arm"},
		{name: "package/bin/napi-v6/linux/x64/libonnxruntime.so.1", body: "lib"},
		{name: "package/bin/napi-v6/linux/x64/onnxruntime_binding.node", body: "node"},
		{name: "package/bin/napi-v6/darwin/arm64/libonnxruntime.1.30.0.dylib", body: "mac"},
	}
	linked := []entry{
		{name: "onnxruntime-linux-x64-1.30.0/lib/libonnxruntime.so", kind: tar.TypeSymlink, link: "libonnxruntime.so.1.30.0"},
		{name: "onnxruntime-linux-x64-1.30.0/lib/libonnxruntime.so.1.30.0", body: "lib"},
		{name: "onnxruntime-linux-x64-1.30.0/LICENSE", body: "MIT"},
	}
	for name, c := range map[string]struct {
		archive []byte
		want    map[string]string
	}{
		"wheel":            {makeZip(t, wheel...), map[string]string{"LICENSE": "MIT", "ThirdPartyNotices.txt": "others", "libonnxruntime.so.1.30.0": "lib", "libonnxruntime_providers_shared.so": "bridge"}},
		"node package":     {makeTgz(t, node...), map[string]string{"libonnxruntime.so.1": "lib"}},
		"archive of links": {makeTgz(t, linked...), map[string]string{"LICENSE": "MIT", "libonnxruntime.so.1.30.0": "lib"}},
		"NuGet package": {
			makeZip(t, entry{name: "runtimes/linux-x64/native/libonnxruntime.so", body: "lib"}, entry{name: "runtimes/osx-arm64/native/libonnxruntime.dylib", body: "mac"}),
			map[string]string{"libonnxruntime.so": "lib"},
		},
		"nothing": {makeZip(t, entry{name: "README.md", body: "hi"}), map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if _, err := unpackBytes(t, c.archive, dir); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, contents(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range fileNames(dir) {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(raw)
	}
	return files
}

// TestUnpackHostile holds that no archive writes anything but files of its own folder, and that
// what tries to is refused by name.
func TestUnpackHostile(t *testing.T) {
	const lib = "libonnxruntime.so.1.30.0"
	zeros := strings.Repeat("\x00", 300_000)
	noise := make([]byte, 20_000)
	if _, err := rand.NewChaCha8([32]byte{}).Read(noise); err != nil {
		t.Fatal(err)
	}
	many := make([]entry, testLimits.entries+1)
	libs := make([]entry, 0, 40)
	for i := range many {
		many[i] = entry{name: "x/" + strings.Repeat("y", i+1)}
	}
	for i := range 40 {
		libs = append(libs, entry{name: "a/libonnxruntime_p" + strings.Repeat("q", i) + ".so", body: string(noise)})
	}
	lying := makeZip(t, entry{name: lib, body: strings.Repeat("ab", 500)})
	// The central directory's record claims 4 bytes where 1000 come out.
	copy(lying[bytes.Index(lying, []byte("PK\x01\x02"))+24:], []byte{4, 0, 0, 0})
	short := bytes.Clone(lying)
	copy(short[bytes.Index(short, []byte("PK\x01\x02"))+24:], []byte{0, 16, 0, 0})
	whole := makeTgz(t, entry{name: lib, body: "0123456789"})
	for name, c := range map[string]struct {
		archive []byte
		err     string
	}{
		"zip climbs out":      {makeZip(t, entry{name: "../../" + lib, body: "x"}), "leads outside of the archive"},
		"tar climbs out":      {makeTgz(t, entry{name: "a/../../" + lib, body: "x"}), "leads outside of the archive"},
		"zip absolute":        {makeZip(t, entry{name: "/tmp/" + lib, body: "x"}), "leads outside of the archive"},
		"tar absolute":        {makeTgz(t, entry{name: "/tmp/" + lib, body: "x"}), "leads outside of the archive"},
		"backslashes":         {makeZip(t, entry{name: `..\..\` + lib, body: "x"}), "leads outside of the archive"},
		"unwanted climbs":     {makeTgz(t, entry{name: "../.bashrc", body: "x"}), "leads outside of the archive"},
		"library twice":       {makeZip(t, entry{name: "a/" + lib, body: "x"}, entry{name: "b/" + lib, body: "y"}), "contains a second file of this name"},
		"too many members":    {makeTgz(t, many...), "the archive contains more than 50 files"},
		"member too large":    {makeTgz(t, entry{name: lib, body: zeros + zeros}), "expected at most 400000"},
		"zip inflates":        {makeZip(t, entry{name: lib, body: zeros}), "more than 20 times its size"},
		"tar inflates":        {makeTgz(t, entry{name: lib, body: zeros}), "more than 20 times its size"},
		"skipped inflates":    {makeTgz(t, entry{name: "unwanted", body: zeros}), "more than 20 times its size"},
		"inflates at the end": {gzipped(t, inflate(t, makeTgz(t))+zeros), "more than 20 times its size"},
		"total too large":     {makeZip(t, libs...), "more than 600000 bytes"},
		"more than declared":  {lying, "not a valid zip file"},
		"less than declared":  {short, "EOF"},
		"tar cut off":         {whole[:len(whole)-12], "EOF"},
		"gzip cut off":        {whole[:5], "EOF"},
		"not an archive":      {[]byte("<html>404"), `neither a zip archive (.whl, .zip) nor a gzipped tar archive`},
		"empty":               {nil, "neither a zip"},
		"zip header only":     {[]byte("PK\x03\x04"), "not a valid zip file"},
		"gzip of text":        {gzipped(t, "hello, this is no tar archive"), "EOF"},
	} {
		t.Run(name, func(t *testing.T) {
			outer := t.TempDir()
			dir := filepath.Join(outer, "in", "ner")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			_, err := unpackBytes(t, c.archive, dir)
			checkError(t, err, c.err)
			checkConfined(t, outer, dir)
		})
	}
}

// TestUnpackSkipsLinks holds that links and devices are never made, whatever they are called.
func TestUnpackSkipsLinks(t *testing.T) {
	const lib = "libonnxruntime.so.1.30.0"
	for name, archive := range map[string][]byte{
		"zip symlink":  makeZip(t, entry{name: lib, kind: tar.TypeSymlink, link: "/etc/passwd"}),
		"zip pipe":     makeZip(t, entry{name: lib, kind: tar.TypeFifo}),
		"tar symlink":  makeTgz(t, entry{name: lib, kind: tar.TypeSymlink, link: "/etc/passwd"}),
		"tar hardlink": makeTgz(t, entry{name: lib, kind: tar.TypeLink, link: "/etc/passwd"}),
		"tar pipe":     makeTgz(t, entry{name: lib, kind: tar.TypeFifo}),
		"tar device":   makeTgz(t, entry{name: lib, kind: tar.TypeChar}),
		"tar folder":   makeTgz(t, entry{name: lib, kind: tar.TypeDir}),
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			files, err := unpackBytes(t, archive, dir)
			if err != nil || len(files) != 0 || len(fileNames(dir)) != 0 {
				t.Errorf("wrote %v, %v (%v), expected nothing", files, fileNames(dir), err)
			}
		})
	}
}

func gzipped(t testing.TB, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	if err != nil || w.Close() != nil {
		t.Fatal("cannot gzip")
	}
	return b.Bytes()
}

func inflate(t testing.TB, archive []byte) string {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return string(raw)
}

// TestUnpackHoldsToSize holds that a file that grows or shrinks while it is copied is noticed,
// and that it is not copied past the size it was admitted with.
func TestUnpackHoldsToSize(t *testing.T) {
	for name, body := range map[string]string{"shrinks": "1234", "grows": strings.Repeat("1234", 1000)} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			u := unpacker{ctx: t.Context(), dir: dir, platform: linux, lim: testLimits, onBytes: func(int64) {}}
			open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(body)), nil }
			err := u.visit(member{"libonnxruntime.so", 10, true, open})
			checkError(t, err, `member "libonnxruntime.so": does not unpack to the 10 bytes it declares`)
			if n := len(contents(t, dir)["libonnxruntime.so"]); n > 11 {
				t.Errorf("copied %d bytes", n)
			}
		})
	}
}

// checkConfined fails if anything but regular files directly in dir, within the limits, came to
// be under outer.
func checkConfined(t testing.TB, outer, dir string) {
	t.Helper()
	var total int64
	err := filepath.WalkDir(outer, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && strings.HasPrefix(dir, path) {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if total += info.Size(); filepath.Dir(path) != dir || !info.Mode().IsRegular() {
			t.Errorf("made %s (%s)", path, info.Mode())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if total > testLimits.total {
		t.Errorf("wrote %d bytes, expected at most %d", total, testLimits.total)
	}
}

func TestWalkFolder(t *testing.T) {
	dir, elsewhere := t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(dir, "libonnxruntime.so.1.30.0"), []byte("lib"))
	symlink(t, "libonnxruntime.so.1.30.0", filepath.Join(dir, "libonnxruntime.so.1"))
	symlink(t, "libonnxruntime.so.1", filepath.Join(dir, "libonnxruntime.so"))
	symlink(t, "nowhere", filepath.Join(dir, "libonnxruntime.so.2"))
	symlink(t, writeFile(t, filepath.Join(elsewhere, "cuda"), []byte("cuda")), filepath.Join(dir, "libonnxruntime_providers_cuda.so"))
	writeFile(t, filepath.Join(dir, "CMakeFiles/libonnxruntime_x.so"), []byte("not this"))
	target := t.TempDir()
	u := unpacker{ctx: t.Context(), dir: target, platform: linux, lim: testLimits, onBytes: func(int64) {}}
	if _, err := u.unpack(dir); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"libonnxruntime.so.1.30.0": "lib", "libonnxruntime_providers_cuda.so": "cuda"}
	if diff := cmp.Diff(want, contents(t, target)); diff != "" {
		t.Error(diff)
	}
}

func FuzzUnpack(f *testing.F) {
	const lib = "a/libonnxruntime.so.1.30.0"
	f.Add(makeZip(f, entry{name: lib, body: "lib"}, entry{name: "LICENSE", body: "MIT"}))
	f.Add(makeTgz(f, entry{name: lib, body: "lib"}, entry{name: "b/libonnxruntime.so", kind: tar.TypeSymlink, link: lib}))
	f.Add(makeZip(f, entry{name: "../" + lib, body: "x"}))
	f.Fuzz(func(t *testing.T, archive []byte) {
		outer := t.TempDir()
		dir := filepath.Join(outer, "in")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		files, err := unpackBytes(t, archive, dir)
		checkConfined(t, outer, dir)
		if err == nil && len(files) != len(fileNames(dir)) {
			t.Errorf("reported %v, wrote %v", files, fileNames(dir))
		}
	})
}
