//go:build cgo

package worker

// #include "api.h"
import "C"

import "fmt"

// maxTypeDepth is how deep types may be nested. The deepest type in ONNX Runtime is an optional of
// a sequence of maps.
const maxTypeDepth = 8

// spell returns a type in the notation of the command contract: "seq(map(i64,f32))". Parts that are
// nested deeper than depth are written as "…".
func spell(info *C.OrtTypeInfo, depth int) (string, error) {
	if depth == 0 {
		return "…", nil
	}
	var kind C.ONNXType
	if err := check(C.ort_GetOnnxTypeFromTypeInfo(info, &kind)); err != nil {
		return "", err
	}
	switch kind {
	case kindTensor:
		return spellElement(info, "%s")
	case kindSparse:
		return spellElement(info, "sparse(%s)")
	case kindSequence:
		return spellSequence(info, depth)
	case kindMap:
		return spellMap(info, depth)
	case kindOptional:
		return spellOptional(info, depth)
	case kindOpaque:
		return "opaque", nil
	}
	return fmt.Sprintf("kind(%d)", kind), nil
}

func spellElement(info *C.OrtTypeInfo, format string) (string, error) {
	var t *C.OrtTensorTypeAndShapeInfo
	if err := check(C.ort_CastTypeInfoToTensorInfo(info, &t)); err != nil {
		return "", err
	}
	var element C.ONNXTensorElementDataType
	if err := check(C.ort_GetTensorElementType(t, &element)); err != nil {
		return "", err
	}
	return fmt.Sprintf(format, fromElement(element)), nil
}

func spellSequence(info *C.OrtTypeInfo, depth int) (string, error) {
	var sequence *C.OrtSequenceTypeInfo
	if err := check(C.ort_CastTypeInfoToSequenceTypeInfo(info, &sequence)); err != nil {
		return "", err
	}
	var inner *C.OrtTypeInfo
	if err := check(C.ort_GetSequenceElementType(sequence, &inner)); err != nil {
		return "", err
	}
	defer C.ort_ReleaseTypeInfo(inner)
	name, err := spell(inner, depth-1)
	return "seq(" + name + ")", err
}

func spellMap(info *C.OrtTypeInfo, depth int) (string, error) {
	var m *C.OrtMapTypeInfo
	if err := check(C.ort_CastTypeInfoToMapTypeInfo(info, &m)); err != nil {
		return "", err
	}
	var key C.ONNXTensorElementDataType
	if err := check(C.ort_GetMapKeyType(m, &key)); err != nil {
		return "", err
	}
	var inner *C.OrtTypeInfo
	if err := check(C.ort_GetMapValueType(m, &inner)); err != nil {
		return "", err
	}
	defer C.ort_ReleaseTypeInfo(inner)
	name, err := spell(inner, depth-1)
	return fmt.Sprintf("map(%s,%s)", fromElement(key), name), err
}

func spellOptional(info *C.OrtTypeInfo, depth int) (string, error) {
	var optional *C.OrtOptionalTypeInfo
	if err := check(C.ort_CastTypeInfoToOptionalTypeInfo(info, &optional)); err != nil {
		return "", err
	}
	var inner *C.OrtTypeInfo
	if err := check(C.ort_GetOptionalContainedTypeInfo(optional, &inner)); err != nil {
		return "", err
	}
	defer C.ort_ReleaseTypeInfo(inner)
	name, err := spell(inner, depth-1)
	return "opt(" + name + ")", err
}
