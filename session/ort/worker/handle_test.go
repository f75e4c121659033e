//go:build cgo

package worker

import (
	"reflect"
	"strings"
	"testing"

	binding "github.com/yalue/onnxruntime_go"
)

// optionsHandle reads memory that the binding does not export. That its answer
// is the right one, too, TestExternalFolder shows: an option set through the
// binding takes effect on a session made from the handle.
func TestBindingLayout(t *testing.T) {
	options := reflect.TypeFor[binding.SessionOptions]()
	if options.NumField() != 1 {
		t.Fatalf("SessionOptions has %d fields, want the handle alone", options.NumField())
	}
	field := options.Field(0)
	if field.Offset != 0 || field.Type.Kind() != reflect.Pointer || !strings.HasSuffix(field.Type.String(), "OrtSessionOptions") {
		t.Errorf("the first field of SessionOptions is a %v at %d, want a pointer to OrtSessionOptions at 0", field.Type, field.Offset)
	}
}
