//go:build cgo

package worker

// #include "api.h"
import "C"

import (
	"unsafe"

	binding "github.com/yalue/onnxruntime_go"
)

// optionsHandle is the OrtSessionOptions that the binding's struct wraps. The
// binding does not export it; it is the first field, which handle_test.go
// checks against the binding's layout and the library's answers.
func optionsHandle(o *binding.SessionOptions) *C.OrtSessionOptions {
	return *(**C.OrtSessionOptions)(unsafe.Pointer(o))
}
