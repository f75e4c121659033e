package fault

import (
	"strconv"
	"strings"
	"sync"

	"lathe/graphops/pattern"
	"lathe/graphops/tensor"
)

// elements maps the names that the runtime has for element types, such as "float", to data types.
var elements = sync.OnceValue(func() map[string]tensor.DType {
	names := map[string]tensor.DType{}
	for d := tensor.DType(1); d.Valid(); d++ {
		names[strings.ToLower(d.ONNXName())] = d
	}
	return names
})

var (
	tensorType = pattern.New(`\b(sparse_)?tensor\((\w+)\)`)
	braces     = pattern.New(`^\{([-\d, ]*)\}$`)
)

// spelled converts a type or shape from the runtime's notation to Lathe's: tensor(float) becomes
// f32, and {2,3} becomes 2×3. It returns other text unchanged.
func spelled(s string) string {
	if m := braces.FindStringSubmatch(s); m != nil {
		if strings.TrimSpace(m[1]) == "" {
			return "scalar"
		}
		return strings.NewReplacer(" ", "", ",", "×").Replace(strings.Trim(m[1], " ,"))
	}
	if d, ok := elements()[s]; ok {
		return d.String()
	}
	s = tensorType.ReplaceAllStringFunc(s, func(t string) string {
		m := tensorType.FindStringSubmatch(t)
		name := m[2]
		if d, ok := elements()[name]; ok {
			name = d.String()
		}
		if m[1] != "" {
			return "sparse(" + name + ")"
		}
		return name
	})
	return strings.ReplaceAll(s, "optional(", "opt(")
}

// numbered returns the name of the element type that has the number s in ONNX
// (TensorProto.DataType).
func numbered(s string) string {
	n, err := strconv.ParseInt(s, 10, 32)
	if err != nil || n <= 0 {
		return s
	}
	return tensor.DType(n).String()
}
