package graphops_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// entries are external_data, key and value in turn.
func entries(keysAndValues ...string) []*onnxpb.StringStringEntryProto {
	var out []*onnxpb.StringStringEntryProto
	for i := 0; i < len(keysAndValues); i += 2 {
		out = append(out, &onnxpb.StringStringEntryProto{Key: &keysAndValues[i], Value: &keysAndValues[i+1]})
	}
	return out
}

// outside makes an initializer of the message external.
func outside(x *onnxpb.TensorProto, e []*onnxpb.StringStringEntryProto) {
	x.RawData, x.ExternalData, x.DataLocation = nil, e, onnxpb.TensorProto_EXTERNAL.Enum()
}

// writeModel writes a message as a file and opens it.
func writeModel(t testing.TB, path string, p *onnxpb.ModelProto) *graphops.Model {
	t.Helper()
	b, err := proto.Marshal(p)
	if err == nil {
		err = os.WriteFile(path, b, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	m, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestHostileExternalData tries every way out of the model's folder, and ranges
// that make no sense.
func TestHostileExternalData(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "models")
	const eight = "12345678"
	err := errors.Join(
		os.MkdirAll(filepath.Join(dir, "sub"), 0o700),
		os.WriteFile(filepath.Join(root, "secret"), []byte("secret!!"), 0o600),
		os.WriteFile(filepath.Join(dir, "w.bin"), []byte(eight), 0o600),
		os.WriteFile(filepath.Join(dir, "a..b.bin"), []byte(eight), 0o600),
		os.WriteFile(filepath.Join(dir, "sub", "w.bin"), []byte("......."+eight), 0o600),
		os.Symlink("w.bin", filepath.Join(dir, "inside.lnk")),
		os.Symlink("../secret", filepath.Join(dir, "outside.lnk")),
		os.Symlink("..", filepath.Join(dir, "up")),
		os.MkdirAll(filepath.Join(dir, "sub", "deep"), 0o700),
		os.Symlink("sub/deep", filepath.Join(dir, "deep.lnk")),
		os.Symlink("gone.bin", filepath.Join(dir, "dangling.lnk")),
		os.Symlink("../.git/annex/objects/a/b/w.bin", filepath.Join(dir, "annex.bin")),
		os.Symlink("loop.lnk", filepath.Join(dir, "loop.lnk")),
		syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600),
	)
	if err != nil {
		t.Fatal(err)
	}
	at := func(loc string, more ...string) []*onnxpb.StringStringEntryProto {
		return entries(append([]string{"location", loc}, more...)...)
	}
	tests := []struct {
		name    string
		entries []*onnxpb.StringStringEntryProto
		want    string // in the error; "" where the weight is read
	}{
		{"beside the model", at("w.bin"), ""},
		{"with offset and length", at("sub/w.bin", "offset", "7", "length", "8"), ""},
		{"without a length", at("sub/w.bin", "offset", "7"), ""},
		{"dots in a name", at("a..b.bin"), ""},
		{"a link that stays inside", at("inside.lnk"), ""},
		{"a dot", at("./w.bin"), ""},
		{"unknown keys", at("w.bin", "checksum", "00", "basepath", "/etc"), ""},
		{"up and in again", at("sub/../w.bin"), ""},
		{"out and in again", at("../models/w.bin"), ""},
		{"up from behind a link", at("deep.lnk/../w.bin", "offset", "7"), ""},
		{"absolute, inside", at(filepath.Join(dir, "w.bin")), ""},
		{"a length of 0", at("w.bin", "length", "0"), ""},
		{"leading zeros", at("w.bin", "offset", "000", "length", "08"), ""},

		{"the folder above", at("../secret"), `".."`},
		{"the folder above, hidden", at("sub/../../secret"), `".."`},
		{"back slashes", at(`..\secret`), `".."`},
		{"absolute", at(filepath.Join(root, "secret")), "is absolute"},
		{"absolute, elsewhere", at(`\\host\share`), "is absolute"},
		{"a drive", at("C:secret"), "is absolute"},
		{"a link that leads out", at("outside.lnk"), "leads out of the model's folder"},
		{"a folder that leads out", at("up/secret"), "leads out of the model's folder"},
		{"a link to itself", at("loop.lnk"), "too many links"},
		{"a link to nothing", at("dangling.lnk"), "is a link to gone.bin, which does not exist"},
		{"a link into an annex", at("annex.bin"), "git annex get"},
		{"a folder's name", at("w.bin/"), "names a folder"},
		{"a part that is no folder", at("w.bin/x"), "not a directory"},
		{"longer than any path", at(strings.Repeat("a/", 3000) + "w.bin"), "6005 bytes"},
		{"no location", entries("offset", "0"), "no location"},
		{"an empty location", at(""), "no location"},
		{"a zero byte", at("w.bin\x00.txt"), "zero byte"},
		{"an address", at("*/_ORT_MEM_ADDR_/*", "offset", "4096"), "address in memory"},
		{"missing", at("gone.bin"), "no such file"},
		{"a folder", at("sub"), "is a directory"},
		{"a pipe", at("pipe"), "is a named pipe"},
		{"a location twice", at("w.bin", "location", "a..b.bin"), `key "location" occurs twice`},
		{"a negative offset", at("w.bin", "offset", "-8"), `offset "-8"`},
		{"a signed offset", at("w.bin", "offset", "+0"), `offset "+0"`},
		{"an offset after a space", at("w.bin", "offset", " 0"), `offset " 0"`},
		{"a long word for an offset", at("w.bin", "offset", strings.Repeat("9", 1<<20)), "999…"},
		{"an offset past the end", at("w.bin", "offset", "9"), `"w.bin": 8 bytes from byte 9 on are needed, but the file has only 8 bytes`},
		{"a range past the end", at("w.bin", "offset", "1", "length", "8"), "8 bytes from byte 1 on are needed, but the file has only 8 bytes"},
		{"an offset that overflows", at("w.bin", "offset", "9223372036854775807", "length", "8"), "8 bytes from byte 9223372036854775807 on are needed, but the file has only 8 bytes"},
		{"an offset beyond counting", at("w.bin", "offset", "9223372036854775808"), "not a whole number"},
		{"a length beyond counting", at("w.bin", "length", "99999999999999999999"), "not a whole number"},
		{"a huge length", at("w.bin", "length", "9223372036854775807"), "its length is 9223372036854775807, but f32 2 needs 8 bytes"},
		{"a length other than the shape's", at("w.bin", "length", "4"), `"w.bin": its length is 4, but f32 2 needs 8 bytes`},
		{"words for a length", at("w.bin", "length", "eight"), `length "eight"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := graphtest.Proto(t, "init w f32[2] 1 2\ny = Relu(w)\noutput y")
			outside(p.Graph.Initializer[0], tt.entries)
			m := writeModel(t, filepath.Join(dir, "m.onnx"), p)
			data, err := m.Graph().Initializers()[0].Data()
			if tt.want != "" {
				if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), `"w"`) {
					t.Errorf("error %v, want one with %q", err, tt.want)
				}
				if missing := m.MissingExternal(); len(missing) != 1 {
					t.Errorf("MissingExternal says %v", missing)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if b, err := data.Bytes(); string(b) != eight || err != nil {
				t.Errorf("read %q, %v", b, err)
			}
		})
	}
}

// TestExternalDataMovesAlong saves external data as it is, embedded and moved
// outside, and compares every tensor with the original, those that Constant
// nodes and bodies hold included.
func TestExternalDataMovesAlong(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	p := graphtest.Proto(t, `
		init w f32[2] 1 2
		init big f32[700] 1 2 3
		init here f32[2] 3 4
		graph yes
		init inner f32[2] 5 6
		held = Constant() value={f32[2] 7 8}
		output held
		end
		k = Constant() value={f32[2] 9 10}
		y = If(c) then_branch=@yes else_branch=@yes
		input c bool[]
		output y`)
	var data []byte
	move := func(x *onnxpb.TensorProto) {
		b := x.RawData
		outside(x, entries("location", "all.bin", "offset", fmt.Sprint(len(data)), "length", fmt.Sprint(len(b))))
		data = append(data, b...)
	}
	g := p.Graph
	body := g.Node[1].Attribute[0].G
	move(g.Initializer[0])
	move(g.Initializer[1])
	move(g.Node[0].Attribute[0].T)
	move(body.Initializer[0])
	move(body.Node[0].Attribute[0].T)
	g.Node[1].Attribute[1].G = proto.CloneOf(body)
	if err := os.WriteFile(filepath.Join(dir, "all.bin"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	m := writeModel(t, filepath.Join(dir, "m.onnx"), p)
	want := tensorsOf(t, m)
	for name, o := range map[string]graphops.SaveOptions{
		"as it is":         {Storage: graphops.StoreAsIs},
		"embedded":         {Storage: graphops.StoreEmbedded},
		"outside":          {Storage: graphops.StoreExternal, MinExternal: graphops.DefaultMinExternal},
		"outside, all":     {Storage: graphops.StoreExternal, MinExternal: 1},
		"as it is, edited": {Storage: graphops.StoreAsIs},
	} {
		t.Run(name, func(t *testing.T) {
			model := m
			if strings.HasSuffix(name, "edited") {
				model = graphops.Edit(m).Model()
			}
			path := filepath.Join(other, strings.ReplaceAll(name, " ", "")+".onnx")
			saved, err := graphops.Save(context.Background(), model, path, o)
			if err != nil {
				t.Fatal(err)
			}
			again, err := graphops.Open(path, graphops.OpenOptions{})
			if err != nil {
				t.Fatal(err)
			}
			got := tensorsOf(t, again)
			for key, b := range want {
				if !bytes.Equal(got[key], b) {
					t.Errorf("%s: %x, want %x", key, got[key], b)
				}
			}
			if o.Storage == graphops.StoreEmbedded && (again.HasExternalData() || len(saved.Data) > 0) {
				t.Errorf("embedded, and some of it is external: %+v", saved)
			}
			checkAlignment(t, again)
		})
	}
}

// tensorsOf reads every tensor, by its place among all.
func tensorsOf(t *testing.T, m *graphops.Model) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	i := 0
	for x := range m.Tensors() {
		key := fmt.Sprintf("%d %q", i, x.Name())
		i++
		p, err := x.Data()
		if err != nil {
			t.Errorf("%s: %v", key, err)
			continue
		}
		b, err := p.Bytes()
		if err != nil {
			t.Errorf("%s: %v", key, err)
		}
		out[key] = b
	}
	return out
}

// checkAlignment wants external tensors to start at pages, as mapping needs.
func checkAlignment(t *testing.T, m *graphops.Model) {
	t.Helper()
	for x := range m.Tensors() {
		if !x.IsExternal() {
			continue
		}
		r, err := x.ExternalRange()
		if err != nil || r.Offset%4096 != 0 {
			t.Errorf("tensor %q lies at %+v, %v", x.Name(), r, err)
		}
	}
}
