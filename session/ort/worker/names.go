//go:build cgo

package worker

// #include <stdlib.h>
import "C"

import (
	"fmt"
	"strings"
)

// cString copies a name for C, which would cut it at a NUL. The caller frees it.
func cString(s string) (*C.char, error) {
	if strings.ContainsRune(s, 0) {
		return nil, fmt.Errorf("%q holds a NUL character, which ONNX Runtime cannot take", s)
	}
	return C.CString(s), nil
}
