//go:build cgo

package worker

// #include "api.h"
import "C"

import (
	"unsafe"

	binding "github.com/yalue/onnxruntime_go"
)

// optionsHandle returns the OrtSessionOptions that the binding's struct wraps. The binding does not
// export it. It is the first field of the struct, which handle_test.go checks against the binding's
// layout and the library's answers.
func optionsHandle(o *binding.SessionOptions) *C.OrtSessionOptions {
	return *(**C.OrtSessionOptions)(unsafe.Pointer(o))
}
