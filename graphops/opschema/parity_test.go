//go:build parity

package opschema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"lathe/graphops"
	"lathe/graphops/tensor"
)

// python runs a script of this folder.
func python(t *testing.T, script string) []byte {
	t.Helper()
	name := os.Getenv("LATHE_PARITY_PYTHON")
	if name == "" {
		t.Skip("LATHE_PARITY_PYTHON names no Python with the references; run `make parity`")
	}
	cmd := exec.Command(name, script)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return out
}

// packages is the first line of testdata/schemas.py.
type packages struct {
	ONNX    string           `json:"onnx"`
	Runtime string           `json:"onnxruntime"`
	Latest  map[string]int64 `json:"latest"`
}

// said is a schema as a package has it.
type said struct {
	Package      string
	Domain, Name string
	Since        int64
	Deprecated   bool
	Function     *bool // nil where the package does not tell
	Inputs       []saidParam
	Outputs      []saidParam
	Least, Most  [2]int // of inputs and outputs
	Types        map[string][]string
	Attributes   map[string]saidAttribute
}

type saidAttribute struct {
	Kind     graphops.AttributeKind
	Required bool
	Default  any
}

// saidParam is an array in JSON.
type saidParam struct {
	name, typ, option string
	homogeneous       bool
	least             *int
}

func (p *saidParam) UnmarshalJSON(b []byte) error {
	return json.Unmarshal(b, &[]any{&p.name, &p.typ, &p.option, &p.homogeneous, &p.least})
}

// askPackages asks both. That they are of other versions than those that the table
// was made from is told first, as the reason for whatever differs then.
func askPackages(t *testing.T) (packages, []said) {
	t.Helper()
	in := json.NewDecoder(bytes.NewReader(python(t, "testdata/schemas.py")))
	var p packages
	if err := in.Decode(&p); err != nil {
		t.Fatal(err)
	}
	from := standing().from
	if p.ONNX != from["onnx"] || p.Runtime != from["onnxruntime"] {
		t.Errorf("the table is made from onnx %s and onnxruntime %s, here are %s and %s; run `make generate`",
			from["onnx"], from["onnxruntime"], p.ONNX, p.Runtime)
	}
	var list []said
	for {
		var s said
		if err := in.Decode(&s); err == io.EOF {
			return p, list
		} else if err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
}

// TestTableIsWhatTheScriptWrites makes the table again.
func TestTableIsWhatTheScriptWrites(t *testing.T) {
	if string(python(t, "make.py")) != text {
		t.Error("make.py writes another table; run `make generate` and look at the difference")
	}
}

type key struct {
	operator
	since int64
}

// stillTaken was withdrawn by the standard (its scale and bias are per group,
// where those of version 21 are per channel), and ONNX Runtime does not say so.
// Of operators of the standard the standard's word is in the table.
var stillTaken = key{operator{"", "GroupNormalization"}, 18}

// TestSchemasParity compares every schema of both packages with what is found,
// field by field and by another way than the table is made.
func TestSchemasParity(t *testing.T) {
	p, list := askPackages(t)
	byStandard, all := map[key]bool{}, map[key]bool{}
	for _, s := range list {
		k := key{operator{s.Domain, s.Name}, s.Since}
		all[k] = true
		byStandard[k] = byStandard[k] || s.Package == "onnx"
		found, ok := Find(s.Domain, s.Name, s.Since)
		if !ok || found.Since != s.Since {
			t.Errorf("%s: %s::%s-%d is not found", s.Package, s.Domain, s.Name, s.Since)
			continue
		}
		for _, d := range s.differences(found) {
			t.Errorf("%s: %s::%s-%d: %s", s.Package, s.Domain, s.Name, s.Since, d)
		}
		if found.Runtime == byStandard[k] {
			t.Errorf("%s::%s-%d is of the runtime alone: %t", s.Domain, s.Name, s.Since, found.Runtime)
		}
	}
	for _, d := range Domains() {
		for _, name := range Names(d) {
			for _, s := range Versions(d, name) {
				if !all[key{operator{d, name}, s.Since}] {
					t.Errorf("no package knows %s::%s-%d", d, name, s.Since)
				}
			}
		}
	}
	if Latest("") != p.Latest[""] {
		t.Errorf("opset %d is the newest, the package has %d", Latest(""), p.Latest[""])
	}
	t.Logf("%d schemas of the packages, %d operators in versions", len(list), len(all))
}

// differences are the fields in which a schema is not what the package says.
func (s *said) differences(got *Schema) []string {
	var out []string
	differ := func(what string, got, want any) {
		if g, w := fmt.Sprint(got), fmt.Sprint(want); g != w {
			out = append(out, fmt.Sprintf("%s: %s, the package has %s", what, g, w))
		}
	}
	if k := (key{operator{s.Domain, s.Name}, s.Since}); s.Package == "onnx" || k != stillTaken {
		differ("deprecated", got.Deprecated, s.Deprecated)
	}
	if s.Function != nil {
		differ("function", got.Function, *s.Function)
	}
	differ("least", [2]int{got.MinInputs, got.MinOutputs}, s.Least)
	differ("most", [2]int{got.MaxInputs, got.MaxOutputs}, [2]int{unbounded(s.Most[0]), unbounded(s.Most[1])})
	differ("inputs", paramsOf(got.Inputs, s.Inputs), wantedParams(s.Inputs))
	differ("outputs", paramsOf(got.Outputs, s.Outputs), wantedParams(s.Outputs))
	for _, list := range [][]Param{got.Inputs, got.Outputs} {
		for _, p := range list {
			differ("types of "+p.Name, typesOf(p.Types()), s.allowed(p.Type))
		}
	}
	differ("number of variables", len(got.Constraints), len(s.Types))
	for _, c := range got.Constraints {
		differ("variable "+c.Name, typesOf(c.Types), s.allowed(c.Name))
	}
	differ("number of attributes", len(got.Attributes), len(s.Attributes))
	for _, a := range got.Attributes {
		want := s.Attributes[a.Name]
		differ("attribute "+a.Name, fmt.Sprint(a.Kind, a.Required, defaultOf(a)), fmt.Sprint(want.Kind, want.Required, want.Default))
	}
	return out
}

func unbounded(n int) int {
	if n == math.MaxInt32 {
		return math.MaxInt
	}
	return n
}

// paramsOf writes parameters, without the least number of those where the package
// does not tell it.
func paramsOf(list []Param, said []saidParam) (out []string) {
	for i, p := range list {
		least := &p.MinArity
		if i < len(said) && said[i].least == nil {
			least = nil
		}
		out = append(out, paramText(p.Name, p.Type, p.Option.String(), p.Homogeneous, least))
	}
	return out
}

func wantedParams(list []saidParam) (out []string) {
	for _, p := range list {
		out = append(out, paramText(p.name, strings.ReplaceAll(p.typ, " ", ""), strings.ToLower(p.option), p.homogeneous, p.least))
	}
	return out
}

func paramText(name, typ, option string, homogeneous bool, least *int) string {
	text := fmt.Sprintf("%s:%s:%s:%t", name, typ, option, homogeneous)
	if least != nil {
		text += fmt.Sprint(":", *least)
	}
	return text
}

// allowed are the types of a variable or of a type that stands for itself, sorted.
func (s *said) allowed(typ string) []string {
	list, ok := s.Types[typ]
	if !ok {
		return []string{typ}
	}
	var out []string
	for _, name := range list {
		out = append(out, strings.ReplaceAll(name, " ", ""))
	}
	slices.Sort(out)
	return out
}

// typesOf spells types as ONNX does, sorted.
func typesOf(list []graphops.Type) []string {
	var out []string
	for _, t := range list {
		out = append(out, onnxText(t))
	}
	slices.Sort(out)
	return out
}

func onnxText(t graphops.Type) string {
	name := func(d tensor.DType) string { return strings.ToLower(d.ONNXName()) }
	switch t.Kind {
	case graphops.TypeTensor:
		return "tensor(" + name(t.Elem) + ")"
	case graphops.TypeSparse:
		return "sparse_tensor(" + name(t.Elem) + ")"
	case graphops.TypeSequence:
		return "seq(" + onnxText(*t.Of) + ")"
	case graphops.TypeOptional:
		return "optional(" + onnxText(*t.Of) + ")"
	case graphops.TypeMap:
		return "map(" + name(t.Elem) + "," + name(t.Of.Elem) + ")"
	default:
		return t.String()
	}
}

// defaultOf is a default as decoding JSON gives it.
func defaultOf(a Attribute) any {
	if !a.HasDefault() {
		return nil
	}
	switch a.Kind {
	case graphops.AttrInt:
		return float64(a.Int())
	case graphops.AttrFloat:
		return float64(a.Float())
	case graphops.AttrString:
		return a.Text()
	case graphops.AttrInts:
		return a.Ints()
	case graphops.AttrFloats:
		return a.Floats()
	default:
		return a.Texts()
	}
}
