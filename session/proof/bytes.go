package proof

import (
	"lathe/graphops"
	"lathe/graphops/tensor"
)

// textBytes is how much memory an element that is a text takes beside its characters.
const textBytes = 16

// bytesOf returns how much memory the elements of a value take.
func bytesOf(v graphops.Value) int64 {
	total := int64(0)
	for _, t := range v.Tensors() {
		total += int64(len(t.Data))
		if t.DType == tensor.String {
			for _, s := range t.Strings {
				total += textBytes + int64(len(s))
			}
		}
	}
	return total
}

func bytesOfAll(values map[string]graphops.Value) int64 {
	total := int64(0)
	for _, v := range values {
		total += bytesOf(v)
	}
	return total
}
