//go:build cgo

package worker

// #include "api.h"
import "C"

import (
	"unsafe"

	"lathe/graphops/tensor"
)

func (l *library) newTensor(dtype tensor.DType, shape []int64) (*C.OrtValue, error) {
	element, err := toElement(dtype)
	if err != nil {
		return nil, err
	}
	var value *C.OrtValue
	err = check(C.ort_CreateTensorAsOrtValue(l.allocator, (*C.int64_t)(unsafe.SliceData(shape)), C.size_t(len(shape)), element, &value))
	return value, err
}

// tensorBytes returns the elements of a tensor without copying them. The result must not be used
// after the value is released.
func tensorBytes(value *C.OrtValue) ([]byte, error) {
	var size C.size_t
	if err := check(C.ort_GetTensorSizeInBytes(value, &size)); err != nil || size == 0 {
		return nil, err
	}
	var memory unsafe.Pointer
	if err := check(C.ort_GetTensorMutableData(value, &memory)); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(memory), size), nil
}

// setString sets an element of a string tensor to a copy of s. s may contain NUL characters.
func setString(value *C.OrtValue, index int, s string) error {
	var room *C.char
	if err := check(C.ort_GetResizedStringTensorElementBuffer(value, C.size_t(index), C.size_t(len(s)), &room)); err != nil {
		return err
	}
	copy(unsafe.Slice((*byte)(unsafe.Pointer(room)), len(s)), s)
	return nil
}

// tensorStrings returns copies of the elements of a string tensor, which has count elements.
func tensorStrings(value *C.OrtValue, count int64) ([]string, error) {
	if count == 0 {
		return nil, nil
	}
	var size C.size_t
	if err := check(C.ort_GetStringTensorDataLength(value, &size)); err != nil {
		return nil, err
	}
	text := make([]byte, size+1) // never empty, so that it has an address
	offsets := make([]C.size_t, count, count+1)
	err := check(C.ort_GetStringTensorContent(value, unsafe.Pointer(&text[0]), size, &offsets[0], C.size_t(count)))
	if err != nil {
		return nil, err
	}
	offsets = append(offsets, size)
	elements := make([]string, count)
	for i := range elements {
		elements[i] = string(text[offsets[i]:offsets[i+1]])
	}
	return elements, nil
}
