package graphtest

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
)

var typeForm = regexp.MustCompile(`^(\w+)(?:\[([^\]]*)\])?$`)

// parseType parses a type such as "f32[batch,4,?]".
func parseType(s string) (*onnxpb.TypeProto, error) {
	m := typeForm.FindStringSubmatch(s)
	if m == nil {
		return nil, fmt.Errorf("%q is no type", s)
	}
	elem, err := tensor.ParseDType(m[1])
	if err != nil {
		return nil, err
	}
	t := &onnxpb.TypeProto_Tensor{ElemType: proto.Int32(int32(elem))}
	if strings.Contains(s, "[") {
		t.Shape = &onnxpb.TensorShapeProto{}
		for _, axis := range names(m[2]) {
			t.Shape.Dim = append(t.Shape.Dim, dimension(axis))
		}
	}
	return &onnxpb.TypeProto{Value: &onnxpb.TypeProto_TensorType{TensorType: t}}, nil
}

func dimension(s string) *onnxpb.TensorShapeProto_Dimension {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimValue{DimValue: n}}
	}
	if s == "?" {
		return &onnxpb.TensorShapeProto_Dimension{}
	}
	return &onnxpb.TensorShapeProto_Dimension{Value: &onnxpb.TensorShapeProto_Dimension_DimParam{DimParam: s}}
}

// parseTensor parses a tensor such as "f32[2,2] 1 2 3 4" into raw_data. If there are fewer numbers
// than elements, they are repeated. A tensor without numbers has only zeros.
func parseTensor(name, literal string) (*onnxpb.TensorProto, error) {
	typ, rest, _ := strings.Cut(literal, " ")
	form := typeForm.FindStringSubmatch(typ)
	if form == nil {
		return nil, fmt.Errorf("%q is no tensor", literal)
	}
	elem, err := tensor.ParseDType(form[1])
	if err != nil {
		return nil, err
	}
	out := &onnxpb.TensorProto{DataType: proto.Int32(int32(elem))}
	if name != "" {
		out.Name = &name
	}
	for _, axis := range names(form[2]) {
		n, err := strconv.ParseInt(axis, 10, 64)
		if err != nil {
			return nil, err
		}
		out.Dims = append(out.Dims, n)
	}
	if elem == tensor.String {
		for _, s := range strings.Fields(rest) {
			out.StringData = append(out.StringData, []byte(s))
		}
		return out, nil
	}
	out.RawData, err = elements(elem, out.Dims, strings.Fields(rest))
	return out, err
}

func elements(elem tensor.DType, dims []int64, words []string) ([]byte, error) {
	n, err := tensor.Elements(dims)
	if err != nil {
		return nil, err
	}
	values := make([]float64, n)
	for i := range values {
		if len(words) == 0 {
			break
		}
		if values[i], err = strconv.ParseFloat(words[i%len(words)], 64); err != nil {
			return nil, err
		}
	}
	t, err := tensor.FromFloat64s(elem, values, dims...)
	return t.Data, err
}

var attributeForm = regexp.MustCompile(`^(\w+)=('[^']*'|\[[^\]]*\]|\{[^}]*\}|@\[[^\]]*\]|\S+)`)

// attribute parses an attribute such as "axis=1" at the start of s, and returns the rest of s.
func (p *parser) attribute(s string) (*onnxpb.AttributeProto, string, error) {
	m := attributeForm.FindStringSubmatch(s)
	if m == nil {
		return nil, "", fmt.Errorf("%q is no attribute", s)
	}
	a := &onnxpb.AttributeProto{Name: &m[1]}
	return a, s[len(m[0]):], p.fill(a, m[2])
}

func (p *parser) fill(a *onnxpb.AttributeProto, v string) error {
	switch {
	case strings.HasPrefix(v, "@"):
		return p.graphs(a, v[1:])
	case strings.HasPrefix(v, "{"):
		t, err := parseTensor("", strings.Trim(v, "{}"))
		a.T, a.Type = t, onnxpb.AttributeProto_TENSOR.Enum()
		return err
	case strings.HasPrefix(v, "["):
		for _, item := range names(strings.Trim(v, "[]")) {
			if err := appendItem(a, item); err != nil {
				return err
			}
		}
		return nil
	}
	return setItem(a, v)
}

// graphs sets the attribute to the graph with a name, or to several graphs for a list such as
// "[one,two]".
func (p *parser) graphs(a *onnxpb.AttributeProto, list string) error {
	a.Type = onnxpb.AttributeProto_GRAPH.Enum()
	for _, name := range names(strings.Trim(list, "[]")) {
		g := p.bodies[name]
		switch {
		case g == nil:
			return fmt.Errorf("no graph %q stands above", name)
		case strings.HasPrefix(list, "["):
			a.Graphs, a.Type = append(a.Graphs, g), onnxpb.AttributeProto_GRAPHS.Enum()
		default:
			a.G = g
		}
	}
	return nil
}

func setItem(a *onnxpb.AttributeProto, v string) error {
	if strings.HasPrefix(v, "'") {
		a.S, a.Type = []byte(strings.Trim(v, "'")), onnxpb.AttributeProto_STRING.Enum()
		return nil
	}
	if n, err := strconv.ParseInt(v, 10, 64); err == nil {
		a.I, a.Type = &n, onnxpb.AttributeProto_INT.Enum()
		return nil
	}
	x, err := strconv.ParseFloat(v, 32)
	a.F, a.Type = proto.Float32(float32(x)), onnxpb.AttributeProto_FLOAT.Enum()
	return err
}

func appendItem(a *onnxpb.AttributeProto, v string) error {
	one := &onnxpb.AttributeProto{}
	err := setItem(one, v)
	switch one.GetType() {
	case onnxpb.AttributeProto_INT:
		a.Ints, a.Type = append(a.Ints, one.GetI()), onnxpb.AttributeProto_INTS.Enum()
	case onnxpb.AttributeProto_FLOAT:
		a.Floats, a.Type = append(a.Floats, one.GetF()), onnxpb.AttributeProto_FLOATS.Enum()
	default:
		a.Strings, a.Type = append(a.Strings, one.GetS()), onnxpb.AttributeProto_STRINGS.Enum()
	}
	return err
}
