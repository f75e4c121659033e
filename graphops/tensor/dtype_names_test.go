package tensor

import "testing"

// TestParseDType finds types by all their names.
func TestParseDType(t *testing.T) {
	for want, names := range map[DType][]string{
		F32: {"f32", "float", "float32", "fp32", "FLOAT"}, F16: {"f16", "float16", "fp16", "half", "FLOAT16"},
		BF16: {"bf16", "bfloat16", "BFLOAT16"}, F64: {"f64", "double", "float64"}, I8: {"i8", "int8", "INT8"},
		U4: {"u4", "uint4"}, String: {"str", "string"}, Bool: {"bool", "BOOL"}, F8E4M3FN: {"f8e4m3fn", "float8e4m3fn", "float8_e4m3fn"},
	} {
		for _, name := range names {
			if got, err := ParseDType(name); err != nil || got != want {
				t.Errorf("%s is %v, %v, expected %v", name, got, err, want)
			}
		}
	}
	for _, name := range []string{"", "undefined", "UNDEFINED", "float7", "f 16"} {
		if got, err := ParseDType(name); err == nil {
			t.Errorf("%q is %v", name, got)
		}
	}
	for d := F32; d.Valid(); d++ {
		if got, err := ParseDType(d.ONNXName()); err != nil || got != d {
			t.Errorf("%s is %v, %v", d.ONNXName(), got, err)
		}
	}
}
