package tensor

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseLiteral(t *testing.T) {
	for _, tt := range []struct {
		text string
		want Tensor
		says string // Literal, where it is not the text
	}{
		{text: "f32[2]{1,-0.5}", want: Tensor{DType: F32, Shape: []int64{2}, Data: []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0xbf}}},
		{text: "f32[2]{+Inf,NaN}", want: Tensor{DType: F32, Shape: []int64{2}, Data: []byte{0, 0, 0x80, 0x7f, 0, 0, 0xc0, 0x7f}}},
		{text: "f32[2]{inf,nan}", want: Tensor{DType: F32, Shape: []int64{2}, Data: []byte{0, 0, 0x80, 0x7f, 0, 0, 0xc0, 0x7f}}, says: "f32[2]{+Inf,NaN}"},
		{text: "i64[]{3}", want: Tensor{DType: I64, Shape: []int64{}, Data: []byte{3, 0, 0, 0, 0, 0, 0, 0}}},
		{text: "u64[1]{18446744073709551615}", want: Tensor{DType: U64, Shape: []int64{1}, Data: []byte{255, 255, 255, 255, 255, 255, 255, 255}}},
		{text: "i64[1]{-9223372036854775808}", want: Tensor{DType: I64, Shape: []int64{1}, Data: []byte{0, 0, 0, 0, 0, 0, 0, 0x80}}},
		{text: "i8[ 2 , 2 ]{ 1, -1 ,2,-128}", want: Tensor{DType: I8, Shape: []int64{2, 2}, Data: []byte{1, 255, 2, 128}}, says: "i8[2,2]{1,-1,2,-128}"},
		{text: "u4[3]{1,2,15}", want: Tensor{DType: U4, Shape: []int64{3}, Data: []byte{0x21, 0x0f}}},
		{text: "i2[3]{1,-2,-1}", want: Tensor{DType: I2, Shape: []int64{3}, Data: []byte{0b111001}}},
		{text: "bool[3]{true,false,true}", want: Tensor{DType: Bool, Shape: []int64{3}, Data: []byte{1, 0, 1}}},
		{text: "bool[2]{1,0}", want: Tensor{DType: Bool, Shape: []int64{2}, Data: []byte{1, 0}}, says: "bool[2]{true,false}"},
		{text: "f16[2]{65504,-0}", want: Tensor{DType: F16, Shape: []int64{2}, Data: []byte{0xff, 0x7b, 0, 0x80}}},
		{text: "f16[1]{-Inf}", want: Tensor{DType: F16, Shape: []int64{1}, Data: []byte{0, 0xfc}}},
		{text: "bf16[1]{1.5}", want: Tensor{DType: BF16, Shape: []int64{1}, Data: []byte{0xc0, 0x3f}}},
		{text: "f8e4m3fn[2]{448,-448}", want: Tensor{DType: F8E4M3FN, Shape: []int64{2}, Data: []byte{0x7e, 0xfe}}},
		{text: "c64[1]{1+2i}", want: Tensor{DType: C64, Shape: []int64{1}, Data: []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0x40}}},
		{text: `str[3]{"a","b,\"c\"","\xff"}`, want: Tensor{DType: String, Shape: []int64{3}, Strings: []string{"a", `b,"c"`, "\xff"}}},
		{text: "f32[0]{}", want: Tensor{DType: F32, Shape: []int64{0}, Data: []byte{}}},
		{text: "str[0,2]{}", want: Tensor{DType: String, Shape: []int64{0, 2}, Strings: []string{}}},
	} {
		t.Run(tt.text, func(t *testing.T) {
			got, err := ParseLiteral(tt.text)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if tt.says == "" {
				tt.says = tt.text
			}
			if says, err := got.Literal(); says != tt.says || err != nil {
				t.Errorf("written as %q, %v; want %q", says, err, tt.says)
			}
		})
	}
}

func TestParseLiteralRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                              "expected the elements in braces at the end",
		"f32[2]":                        "expected the elements in braces",
		"f32[2]{1,2} ":                  "expected the elements in braces at the end",
		"f32{1}":                        "expected the shape in brackets",
		"f32[2{1,2}":                    "expected the shape in brackets",
		"floaty[2]{1,2}":                `"floaty" is not an element type`,
		"f32[n]{1}":                     `"n" is no size`,
		"f32[-1]{1}":                    `"-1" is no size`,
		"f32[2]{1}":                     "shape 2 needs 2 elements, there are 1",
		"f32[]{}":                       "shape scalar needs 1 elements, there are 0",
		"f32[1]{a}":                     `element 0, "a": expected a number`,
		"f32[1]{1e39}":                  "element 0, 1e39: is out of range",
		"f16[2]{1,65520}":               "element 1, 65520: is outside the range of f16, which ends at 65504",
		"f8e4m3fn[1]{449}":              "is outside the range of f8e4m3fn, which ends at 448",
		"f8e4m3fn[1]{inf}":              "is outside the range",
		"f4e2m1[1]{nan}":                "f4e2m1 cannot represent this number",
		"f8e8m0[1]{0}":                  "f8e8m0 cannot represent this number",
		"f8e8m0[1]{-1}":                 "f8e8m0 cannot represent this number",
		"i8[1]{128}":                    "128 at element 0 is outside the range of i8",
		"i8[1]{1.5}":                    `element 0, "1.5": expected a whole number`,
		"i64[1]{9223372036854775808}":   "is out of range",
		"u64[1]{-1}":                    "expected a whole number",
		"u8[1]{-1}":                     "-1 at element 0 is outside the range of u8",
		"bool[1]{2}":                    `element 0, "2": expected true or false`,
		"str[1]{a}":                     "expected a string in double quotes",
		"str[1]{'a'}":                   "expected a string in double quotes",
		`str[1]{"a}`:                    "expected a string in double quotes",
		"f32[9223372036854775807,2]{":   "expected the elements in braces",
		"f32[9223372036854775807,2]{1}": "has more than 2^63 elements",
		"f32[9223372036854775807]{1}":   "needs 9223372036854775807 elements, there are 1",
	} {
		t.Run(text, func(t *testing.T) {
			_, err := ParseLiteral(text)
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v lacks %q", err, want)
			}
		})
	}
}

// FuzzLiteral wants what is read to be written so that it is read as the same.
func FuzzLiteral(f *testing.F) {
	for _, s := range []string{"f32[2]{1,-0.5}", "i4[3]{1,2,-8}", "c128[1]{1+2i}", `str[1]{"a,b"}`, "f16[1]{nan}", "f8e8m0[1]{0.3}", "bool[1]{t}"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		want, err := ParseLiteral(s)
		if err != nil {
			return
		}
		if err := want.Check(); err != nil {
			t.Fatal(err)
		}
		text, err := want.Literal()
		if err != nil {
			t.Fatal(err)
		}
		got, err := ParseLiteral(text)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", text, diff)
		}
	})
}
