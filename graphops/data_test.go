package graphops_test

import (
	"bytes"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

func typeOf(t testing.TB, s string) graphops.Type {
	t.Helper()
	typ, err := graphops.ParseType(s)
	if err != nil {
		t.Fatal(err)
	}
	return typ
}

// show writes a value as "[f32 2, f32 1]", "{1: 2}" or the literal of a tensor.
func show(v graphops.Value) string {
	if v.IsTensor() {
		s, err := v.Tensor.Literal()
		if err != nil {
			return err.Error()
		}
		return s
	}
	parts := make([]string, len(v.Items))
	for i, item := range v.Items {
		parts[i] = show(item)
	}
	return v.Type.String() + "(" + strings.Join(parts, "; ") + ")"
}

// TestDecodeData reads what onnx 1.23.2 writes.
func TestDecodeData(t *testing.T) {
	tests := []struct{ typ, raw, name, want string }{
		{"u4", "080310152a022103420175", "u", "u4[3]{1,2,3}"},
		{"f16", "0802100a2a058078808001420168", "h", "f16[2]{1,2}"},
		{"str", "08021008320161320042017a", "z", `str[2]{"a",""}`},
		{"seq(f32)", "0a017310011a0e080210014a080000803f000000401a0a080110014a0400004040", "s", "seq(f32)(f32[2]{1,2}; f32[1]{3})"},
		{"map(i64,f32)", "0a016d1007180118052a1610011a0810014a04000000401a0810014a0400004040", "m", "map(i64,f32)(i64[2]{1,5}; f32[2]{2,3})"},
		{
			"map(str,i64)", "0a017710082201612201622a1e10011a0c10074a0802000000000000001a0c10074a080300000000000000", "w",
			`map(str,i64)(str[2]{"a","b"}; i64[2]{2,3})`,
		},
		{"opt(i64)", "0a016f10011a0e080110074a080700000000000000", "o", "opt(i64)(i64[1]{7})"},
		{"opt(i64)", "0a01651000", "e", "opt(i64)()"},
		{"opt(seq(i64))", "0a026f7310032a1210011a0e080110074a080700000000000000", "os", "opt(seq(i64))(seq(i64)(i64[1]{7}))"},
		{
			"seq(map(i64,f32))", "0a02736d10043212100718012a0c10011a0810014a04000000403212100718012a0c10011a0810014a0400004040", "sm",
			"seq(map(i64,f32))(map(i64,f32)(i64[1]{1}; f32[1]{2}); map(i64,f32)(i64[1]{1}; f32[1]{3}))",
		},
	}
	for _, c := range tests {
		raw, err := hex.DecodeString(c.raw)
		if err != nil {
			t.Fatal(err)
		}
		got, name, err := graphops.DecodeData(raw, typeOf(t, c.typ))
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff([]string{c.name, c.want}, []string{name, show(got)}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
		var again bytes.Buffer
		if err := graphops.WriteData(&again, name, got); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		back, _, err := graphops.DecodeData(again.Bytes(), typeOf(t, c.typ))
		if diff := cmp.Diff(got, back, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("%s: written and read again: %v\n%s", c.name, err, diff)
		}
	}
}

// TestDataTypes: every element type comes back as it was written.
func TestDataTypes(t *testing.T) {
	for d := tensor.F32; d <= tensor.F6E3M2; d++ {
		v := tensor.FromStrings([]string{"a", "", "b\xff"}, 3)
		if d != tensor.String {
			var err error
			values := make([]float64, 3*d.Components())
			for i := range values {
				values[i] = 1
			}
			if v, err = tensor.FromFloat64s(d, values, 3); err != nil {
				t.Fatal(err)
			}
		}
		var b bytes.Buffer
		if err := graphops.WriteData(&b, "x", graphops.TensorValue(v)); err != nil {
			t.Errorf("%s: %v", d, err)
			continue
		}
		got, name, err := graphops.DecodeData(b.Bytes(), graphops.Type{Kind: graphops.TypeTensor})
		if diff := cmp.Diff(v, got.Tensor, cmpopts.EquateEmpty()); diff != "" || err != nil || name != "x" {
			t.Errorf("%s: %q, %v\n%s", d, name, err, diff)
		}
	}
}

func TestDecodeDataRefuses(t *testing.T) {
	tests := []struct{ name, typ, raw, text string }{
		{"nothing", "f32", "", "no element type"},
		{"cut off", "f32", "0a0510", "claims 5 bytes"},
		{"cut off in a sequence", "seq(f32)", "0a0510", "malformed"},
		{"a model's type", "opaque", "", "cannot be stored in a data file"},
		{"sparse", "sparse(f32)", "", "cannot be stored in a data file"},
		{"a huge claim", "i64", "088080808080808080401007" + "3a0101", "overflow"},
		{"a large claim", "i64", "0880808080101007" + "3a0101", "only 1 encoded bytes are stored"},
		{"another number of bytes", "f32", "080210014a0400004040", "needs 8 bytes, the file has 4"},
		{"elsewhere", "f32", "080110016a0d0a086c6f636174696f6e1201787001", "another file"},
		{"a sequence of another kind", "seq(seq(f32))", "0a017310011a0e080210014a080000803f00000040", "elem_type 1, expected 3"},
		{"a sequence that says nothing of its kind", "seq(seq(f32))", "1a0e080210014a080000803f00000040", "field 3, expected field 5"},
		{"keys without values", "map(i64,f32)", "100718011805", "2 keys but 0 values"},
		{"keys of no type", "map(i64,f32)", "18011805", "type undefined"},
		{"keys of two types", "map(i64,f32)", "10071801220161", "1 strings and 1 integers"},
	}
	for _, c := range tests {
		raw, err := hex.DecodeString(c.raw)
		if err != nil {
			t.Fatal(err)
		}
		typ := graphops.Type{Kind: graphops.TypeOpaque}
		if c.typ != "opaque" {
			typ = typeOf(t, c.typ)
		}
		if v, _, err := graphops.DecodeData(raw, typ); err == nil || !strings.Contains(err.Error(), c.text) {
			t.Errorf("%s: got %s, %v, want %q", c.name, show(v), err, c.text)
		}
	}
}

func TestReadDataPaths(t *testing.T) {
	folder := t.TempDir()
	for _, path := range []string{folder, filepath.Join(folder, "none.pb")} {
		if _, _, err := graphops.ReadData(path, typeOf(t, "f32")); err == nil || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("%s: %v", path, err)
		}
	}
	path := filepath.Join(folder, "x.pb")
	raw, _ := hex.DecodeString("0802100a2a058078808001420168")
	if err := os.WriteFile(path, raw, 0o600); err != nil {
		t.Fatal(err)
	}
	if v, name, err := graphops.ReadData(path, typeOf(t, "f16")); err != nil || name != "h" || v.Tensor.Len() != 2 {
		t.Errorf("%q %s, %v", name, show(v), err)
	}
}

// TestConformanceData reads every input and output of ONNX's conformance tests as
// Debian ships them, and finds what the models declare.
func TestConformanceData(t *testing.T) {
	models, _ := filepath.Glob("/usr/share/libonnx-testdata/data/node/*/model.onnx")
	if len(models) == 0 {
		t.Skip("Debian's libonnx-testdata is not installed")
	}
	read := 0
	for _, path := range models {
		m, err := graphops.Open(path, graphops.OpenOptions{})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		for prefix, list := range map[string][]*graphops.ValueInfo{"input_": m.Graph().Inputs(), "output_": m.Graph().Outputs()} {
			files, _ := filepath.Glob(filepath.Join(filepath.Dir(path), "test_data_set_*", prefix+"*.pb"))
			for _, file := range files {
				number := strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), prefix), ".pb")
				at := int(number[0] - '0')
				if len(number) != 1 || at >= len(list) {
					continue
				}
				want := list[at].Type()
				got, _, err := graphops.ReadData(file, want)
				if err == nil {
					err = got.Check()
				}
				// Version 1.12 writes the bits of a bfloat16 as a uint16.
				asBits := want.Elem == tensor.BF16 && got.Type.Elem == tensor.U16
				if err != nil || got.Type.String() != want.String() && !asBits {
					t.Errorf("%s: %s where %s is declared, %v", file, got.Type, want, err)
				}
				read++
			}
		}
	}
	t.Logf("%d values", read)
}

func FuzzDecodeData(f *testing.F) {
	types := []string{"f32", "seq(f32)", "opt(seq(i64))", "map(str,i64)", "seq(map(i64,f32))", "map(i64,seq(f32))", "opt(f32)", "seq(opt(f32))"}
	for _, raw := range []string{
		"080310152a022103420175", "0a017310011a0e080210014a080000803f000000401a0a080110014a0400004040",
		"0a026f7310032a1210011a0e080110074a080700000000000000", "0a017710082201612201622a1e10011a0c10074a0802000000000000001a0c10074a080300000000000000",
		"0a02736d10043212100718012a0c10011a0810014a04000000403212100718012a0c10011a0810014a0400004040",
	} {
		b, _ := hex.DecodeString(raw)
		for i := range types {
			f.Add(b, uint8(i))
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, typ uint8) {
		want, err := graphops.ParseType(types[int(typ)%len(types)])
		if err != nil {
			t.Fatal(err)
		}
		v, name, err := graphops.DecodeData(b, want)
		if err != nil {
			return
		}
		if err := v.Check(); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := graphops.WriteData(&out, name, v); err != nil {
			t.Skip(err) // elements below a byte in a map
		}
		again, _, err := graphops.DecodeData(out.Bytes(), want)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(v, again, cmpopts.EquateEmpty()); diff != "" {
			t.Error(diff)
		}
	})
}
