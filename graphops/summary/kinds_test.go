package summary

import (
	"strings"
	"testing"
)

func TestSideOf(t *testing.T) {
	for name, want := range map[string]string{
		"/model/encoder/layers.0/MatMul":  "encoder",
		"T5DecoderLayer":                  "decoder",
		"decoderEncoder":                  "",
		"encoders":                        "",
		"层encoder层":                       "",
		"层/encoder/层":                     "encoder",
		"encoder\xff":                     "encoder",
		"\xff\xff":                        "",
		"x\xe5\xb1":                       "",
		strings.Repeat("encoder ", 1<<16): "",
	} {
		if got := sideOf(name); got != want {
			t.Errorf("%.40q: %q, want %q", name, got, want)
		}
	}
}
