package mutate

import (
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
)

// Base is a model that a runtime accepts.
type Base struct {
	Name  string // the operators, or the file
	Model *onnxpb.ModelProto
}

//go:embed bases/*.txt
var texts embed.FS

// Bases returns the bases of this package. Together they have nearly all operators that run on a
// CPU, bodies, functions, sequences, and patterns that optimizers look for.
func Bases(t testing.TB) []Base {
	t.Helper()
	var bases []Base
	for _, line := range strings.Split(read(t, "operators"), "\n") {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			bases = append(bases, base(t, strings.ReplaceAll(line, "; ", "\n")))
		}
	}
	for _, block := range strings.Split(read(t, "graphs"), "\n\n")[1:] {
		bases = append(bases, base(t, block))
	}
	return bases
}

func read(t testing.TB, name string) string {
	t.Helper()
	text, err := texts.ReadFile("bases/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func base(t testing.TB, text string) Base {
	t.Helper()
	m := graphtest.Proto(t, spell(text))
	b := Base{Model: m}
	b.Name = b.Operators()
	return b
}

// Operators returns the names of the operators in the main graph, without duplicates.
func (b Base) Operators() string {
	var names []string
	for _, n := range b.Model.GetGraph().GetNode() {
		if !slices.Contains(names, n.GetOpType()) {
			names = append(names, n.GetOpType())
		}
	}
	return strings.Join(names, "+")
}

// header has the lines that every base starts with.
const header = "ir 10\nopset com.microsoft 1\n"

// call matches a line with a node.
var call = regexp.MustCompile(`^(.*) = ([\w.:]+)\((.*)\)(.*)$`)

// spell translates the text of a base to that of graphtest. In a base, a type may take the place of
// an argument; it becomes an input or, if values follow it, a constant. The results of the main
// graph become outputs.
func spell(text string) string {
	var out strings.Builder
	out.WriteString(header)
	if !regexp.MustCompile(`(?m)^opset \d`).MatchString(text) {
		out.WriteString("opset 21\n")
	}
	if !strings.Contains(text, "opset ai.onnx.ml") {
		out.WriteString("opset ai.onnx.ml 5\n")
	}
	inside, outputs := false, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		inside = (inside || strings.HasPrefix(line, "graph ") || strings.HasPrefix(line, "function ")) && line != "end"
		if form := call.FindStringSubmatch(line); form != nil && !inside {
			stated, args := arguments(form[3])
			line = fmt.Sprintf("%s%s = %s(%s)%s", stated, form[1], form[2], args, form[4])
			for name := range strings.SplitSeq(form[1], ", ") {
				outputs += "output " + name + "\n"
			}
		}
		out.WriteString(line + "\n")
	}
	return out.String() + outputs
}

// arguments translates the arguments of a node. stated has the lines that define the inputs and
// constants among them, and args has the arguments by name.
func arguments(list string) (stated, args string) {
	var names []string
	for i, arg := range split(list) {
		if typ, values, constant := strings.Cut(arg, " "); strings.Contains(typ, "[") {
			arg = fmt.Sprintf("a%d", i)
			if constant {
				stated += fmt.Sprintf("init %s %s %s\n", arg, typ, values)
			} else {
				stated += fmt.Sprintf("input %s %s\n", arg, typ)
			}
		}
		names = append(names, arg)
	}
	return stated, strings.Join(names, ", ")
}

// split splits a list at the commas outside of brackets.
func split(list string) []string {
	var parts []string
	depth, from := 0, 0
	for i, r := range list {
		switch r {
		case '[':
			depth++
		case ']':
			depth--
		case ',':
			if depth == 0 && strings.HasPrefix(list[i:], ", ") {
				parts, from = append(parts, strings.TrimSpace(list[from:i])), i+1
			}
		}
	}
	return append(parts, strings.TrimSpace(list[from:]))
}

// Conformance is the folder of Debian's package libonnx-testdata. It has the models with which ONNX
// tests its operators.
const Conformance = "/usr/share/libonnx-testdata/data"

// Files returns the models below a folder that have at most limit bytes, sorted by path. If a model
// comes with input values, all of its inputs except the first become constants.
func Files(t testing.TB, folder string, limit int64) []Base {
	t.Helper()
	var bases []Base
	_ = filepath.WalkDir(folder, func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".onnx" {
			return nil // a missing folder has no models
		}
		if info, err := d.Info(); err != nil || info.Size() > limit {
			return nil
		}
		m := &onnxpb.ModelProto{}
		if err := unmarshal(path, m); err != nil || m.Graph == nil {
			return nil // intentionally broken files
		}
		name := filepath.Base(path)
		if name == "model.onnx" {
			name = filepath.Base(filepath.Dir(path))
		}
		embedValues(m, filepath.Dir(path))
		bases = append(bases, Base{Name: name, Model: m})
		return nil
	})
	return bases
}

func unmarshal(path string, m proto.Message) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return proto.Unmarshal(content, m)
}

// embedValues turns inputs of a model into constants, if the folder test_data_set_0 has values for
// them.
func embedValues(m *onnxpb.ModelProto, folder string) {
	g := m.GetGraph()
	var kept []*onnxpb.ValueInfoProto
	for i, in := range g.GetInput() {
		var value onnxpb.TensorProto
		path := filepath.Join(folder, "test_data_set_0", fmt.Sprintf("input_%d.pb", i))
		if in.GetType().GetTensorType() == nil || i == 0 || unmarshal(path, &value) != nil {
			// the first stays an input, because a model without inputs would be folded completely
			kept = append(kept, in)
			continue
		}
		value.Name = proto.String(in.GetName())
		g.Initializer = append(g.Initializer, &value)
	}
	g.Input = kept
}
