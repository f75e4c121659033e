package calibration

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"lathe/graphops/tensor"
)

// Table has the ranges of the tensors of a model, by name, as they are stored in a file. The file
// has the format of the calibration cache of onnxruntime.quantization (1.28 and later), so that
// each of the two programs can read the other's files.
type Table struct {
	Method  Method
	Tensors map[string]Calibrated
	// LeftOut has the tensors that should have a range but have none, each with the reason. The
	// reference ignores this part of a file.
	LeftOut map[string]string
}

// LeaveOut records that a tensor has no range, with the reason.
func (t *Table) LeaveOut(name, why string) {
	if t.LeftOut == nil {
		t.LeftOut = map[string]string{}
	}
	t.LeftOut[name] = why
}

// Calibrated is the entry of one tensor in a table.
type Calibrated struct {
	Elem  tensor.DType // F32 or F16
	Range Range
	// Mean and Deviation are 0 unless the method is MethodDistribution.
	Mean, Deviation float64
}

// methodNames has the names by which files identify the methods.
var methodNames = map[Method]string{
	MethodMinMax: "MinMax", MethodEntropy: "Entropy", MethodPercentile: "Percentile", MethodDistribution: "Distribution",
}

type fileTable struct {
	Class       string                `json:"CLS"`
	Data        map[string]fileTensor `json:"data"`
	Method      fileMethod            `json:"calibration_method"`
	SmoothQuant bool                  `json:"smooth_quant"`
	LeftOut     map[string]string     `json:"left_out,omitempty"`
}

type fileMethod struct {
	Class string `json:"CLS"`
	Value string `json:"value"`
}

type fileTensor struct {
	Lowest    *fileNumber `json:"lowest,omitempty"`
	Highest   *fileNumber `json:"highest,omitempty"`
	Mean      *fileNumber `json:"avg,omitempty"`
	Deviation *fileNumber `json:"std,omitempty"`
	Class     string      `json:"CLS"`
}

// fileNumber is a number in a file: a JSON number, or an object that represents a numpy array with
// one number.
type fileNumber struct {
	value float64
	elem  tensor.DType // Undefined if the file does not say
}

type fileArray struct {
	Data  json.RawMessage `json:"data"`
	DType string          `json:"dtype"`
	Class string          `json:"CLS"`
}

func (n *fileNumber) UnmarshalJSON(raw []byte) error {
	var a fileArray
	if json.Unmarshal(raw, &a) != nil || a.Class == "" {
		return json.Unmarshal(raw, &n.value)
	}
	switch a.DType {
	case "float32":
		n.elem = tensor.F32
	case "float16":
		n.elem = tensor.F16
	default:
		return fmt.Errorf("a number of type %q, expected float32 or float16", a.DType)
	}
	if json.Unmarshal(a.Data, &n.value) == nil {
		return nil
	}
	var list []float64
	if err := json.Unmarshal(a.Data, &list); err != nil {
		return err
	}
	if len(list) != 1 {
		return fmt.Errorf("%d numbers, expected one: ranges of channels are not supported for activations", len(list))
	}
	n.value = list[0]
	return nil
}

func (n fileNumber) MarshalJSON() ([]byte, error) {
	elem := "float32"
	if n.elem == tensor.F16 {
		elem = "float16"
	}
	data, err := json.Marshal([]float64{n.value})
	if err != nil {
		return nil, err
	}
	return json.Marshal(fileArray{data, elem, "numpy.array"})
}

// ReadTable reads a table from a file. It returns an error if a range is infinite or its ends are
// in the wrong order.
func ReadTable(r io.Reader) (*Table, error) {
	var f fileTable
	if err := json.NewDecoder(r).Decode(&f); err != nil {
		return nil, fmt.Errorf("not a table of calibrated ranges: %w%s", err, noNumber(err))
	}
	if f.Class != "TensorsData" {
		return nil, fmt.Errorf("not a table of calibrated ranges: CLS is %q, expected \"TensorsData\"", f.Class)
	}
	t := &Table{Tensors: make(map[string]Calibrated, len(f.Data)), LeftOut: f.LeftOut}
	if len(t.LeftOut) == 0 {
		t.LeftOut = nil
	}
	for m, name := range methodNames {
		if strings.TrimPrefix(f.Method.Value, "CalibrationMethod.") == name {
			t.Method = m
		}
	}
	if t.Method == "" {
		return nil, fmt.Errorf("no calibration method is called %q", f.Method.Value)
	}
	for name, x := range f.Data {
		c, err := x.calibrated(t.Method)
		if err != nil {
			return nil, fmt.Errorf("tensor %q: %w", name, err)
		}
		t.Tensors[name] = c
	}
	return t, nil
}

// noNumber returns an explanation to append to a JSON error if the file contains Infinity or NaN,
// which Python writes although JSON does not have them; otherwise "".
func noNumber(err error) string {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && (strings.Contains(err.Error(), "'I'") || strings.Contains(err.Error(), "'N'")) {
		return "; the table has a range with Infinity or NaN, which is not a range; calibrate again without that value"
	}
	return ""
}

func (x fileTensor) calibrated(m Method) (Calibrated, error) {
	if x.Lowest == nil || x.Highest == nil {
		return Calibrated{}, fmt.Errorf("lowest or highest is missing")
	}
	c := Calibrated{Elem: x.Lowest.elem, Range: Range{x.Lowest.value, x.Highest.value}}
	if c.Elem == tensor.Undefined {
		c.Elem = tensor.F32
	}
	c.Range = Range{c.Elem.Round(c.Range.Low), c.Elem.Round(c.Range.High)}
	if math.IsInf(c.Range.Low, 0) || math.IsInf(c.Range.High, 0) || c.Range.Low > c.Range.High {
		return c, fmt.Errorf("its range is from %v to %v, expected finite numbers in order", x.Lowest.value, x.Highest.value)
	}
	if m != MethodDistribution {
		return c, nil
	}
	if x.Mean == nil || x.Deviation == nil {
		return c, fmt.Errorf("avg or std is missing, which method distribution needs")
	}
	c.Mean, c.Deviation = x.Mean.value, x.Deviation.value
	return c, nil
}

// Write writes a table. The same table always gives the same bytes.
func (t *Table) Write(w io.Writer) error {
	f := fileTable{
		Class: "TensorsData", LeftOut: t.LeftOut, Data: make(map[string]fileTensor, len(t.Tensors)),
		Method: fileMethod{"CalibrationMethod", "CalibrationMethod." + methodNames[t.Method]},
	}
	for name, c := range t.Tensors {
		x := fileTensor{Lowest: &fileNumber{c.Range.Low, c.Elem}, Highest: &fileNumber{c.Range.High, c.Elem}, Class: "TensorData"}
		if t.Method == MethodDistribution {
			x.Mean, x.Deviation = &fileNumber{c.Mean, c.Elem}, &fileNumber{c.Deviation, c.Elem}
		}
		f.Data[name] = x
	}
	return json.NewEncoder(w).Encode(f)
}
