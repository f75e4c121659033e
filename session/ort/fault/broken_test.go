package fault_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"google.golang.org/protobuf/proto"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/graphops/tensor"
)

// broken is one way to break a model, from testdata/broken.txt. Each begins with
// "== NAME" and goes on in the language of graphtest, with lines of its own:
//
//	feed x f32[2] 1 2          what a run is given, as graphtest writes tensors
//	opt all                    the optimization level, "disable" unless stated
//	! external w F 0 8         the initializer lies in file F; "-" is no location
//	! file F 80                a file of so many bytes beside the model
//	! raw w 5                  so many bytes of raw data
//	! constant w 5             the same for the value of the Constant that makes w
//	! dtype w 99 · ! dims w -2 what the initializer says of itself
//	! funcopset F local 1     what functions import besides
//	! noopset · ! noir · ! nograph · ! missing · ! bytes TEXT
type broken struct {
	name, text string
	feeds      graphops.Feeds
	opt        string
	edits      [][]string
}

func readBroken(t *testing.T) []broken {
	t.Helper()
	var list []broken
	for name, lines := range sections(t, "broken.txt") {
		b := broken{name: name, feeds: graphops.Feeds{}, opt: "disable"}
		for _, line := range lines {
			switch word, rest, _ := strings.Cut(line, " "); word {
			case "feed":
				input, literal, _ := strings.Cut(rest, " ")
				b.feeds[input] = graphops.TensorValue(feed(t, literal))
			case "opt":
				b.opt = rest
			case "!":
				b.edits = append(b.edits, strings.Fields(rest))
			default:
				b.text += line + "\n"
			}
		}
		list = append(list, b)
	}
	return list
}

// sections splits a file of testdata at the lines that begin with "== ".
func sections(t *testing.T, file string) func(func(string, []string) bool) {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", file))
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(string, []string) bool) {
		for part := range strings.SplitSeq("\n"+string(content), "\n== ") {
			if name, rest, ok := strings.Cut(strings.TrimRight(part, "\n")+"\n", "\n"); ok && name != "" {
				if !yield(name, strings.Split(strings.TrimRight(rest, "\n"), "\n")) {
					return
				}
			}
		}
	}
}

// feed makes a tensor from a literal of graphtest.
func feed(t *testing.T, literal string) tensor.Tensor {
	t.Helper()
	stored := graphtest.Proto(t, "init x "+literal).Graph.Initializer[0]
	value := tensor.Tensor{DType: tensor.DType(stored.GetDataType()), Shape: stored.Dims, Data: stored.RawData}
	for _, s := range stored.StringData {
		value.Strings = append(value.Strings, string(s))
	}
	return value
}

// proto is the broken model as a message; nil where the file is none.
func (b *broken) proto(t *testing.T) *onnxpb.ModelProto {
	t.Helper()
	m := graphtest.Proto(t, b.text)
	for _, e := range b.edits {
		switch e[0] {
		case "bytes", "missing":
			return nil
		case "noopset":
			m.OpsetImport = nil
		case "noir":
			m.IrVersion = nil
		case "nograph":
			m.Graph = nil
		case "file":
		case "funcopset":
			for _, f := range m.Functions {
				f.OpsetImport = append(f.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: &e[2], Version: proto.Int64(number(e[3]))})
			}
		default:
			damage(b.tensor(t, m, e[1]), e)
		}
	}
	return m
}

// tensor finds an initializer, or the value of the Constant that makes it.
func (b *broken) tensor(t *testing.T, m *onnxpb.ModelProto, name string) *onnxpb.TensorProto {
	t.Helper()
	for _, w := range m.Graph.Initializer {
		if w.GetName() == name {
			return w
		}
	}
	for _, n := range m.Graph.Node {
		if n.GetOpType() == "Constant" && slices.Contains(n.Output, name) {
			return n.Attribute[0].T
		}
	}
	t.Fatalf("%s: no constant %q", b.name, name)
	return nil
}

func damage(w *onnxpb.TensorProto, e []string) {
	switch e[0] {
	case "raw", "constant":
		w.RawData = append(w.RawData, make([]byte, 64)...)[:number(e[2])]
	case "dtype":
		w.DataType = proto.Int32(int32(number(e[2])))
	case "dims":
		w.Dims = nil
		for s := range strings.SplitSeq(e[2], ",") {
			w.Dims = append(w.Dims, number(s))
		}
	case "external":
		w.RawData, w.DataLocation = nil, onnxpb.TensorProto_EXTERNAL.Enum()
		for i, key := range []string{"location", "offset", "length"} {
			if e[i+2] != "-" {
				w.ExternalData = append(w.ExternalData, &onnxpb.StringStringEntryProto{Key: &key, Value: &e[i+2]})
			}
		}
	default:
		panic("no such damage: " + e[0])
	}
}

func number(s string) int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// model is the broken model as Lathe reads it, nil where it is none.
func (b *broken) model(t *testing.T) *graphops.Model {
	t.Helper()
	p := b.proto(t)
	if p == nil || p.Graph == nil {
		return nil
	}
	return graphtest.Decode(t, p)
}

// write puts the model, and what lies beside it, into a folder.
func (b *broken) write(t *testing.T, folder string) string {
	t.Helper()
	path := filepath.Join(folder, "m.onnx")
	var content []byte
	for _, e := range b.edits {
		switch e[0] {
		case "missing":
			return path
		case "bytes":
			content = []byte(strings.Join(e[1:], " "))
		case "file":
			writeFile(t, filepath.Join(folder, e[1]), make([]byte, number(e[2])))
		}
	}
	if m := b.proto(t); m != nil {
		var err error
		if content, err = (proto.MarshalOptions{Deterministic: true}).Marshal(m); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, path, content)
	return path
}

func writeFile(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// said is one text of a runtime. testdata/texts.txt keeps it once for all versions
// that say the same: "== NAME", a line of versions, phase and code, and the text.
// testdata/texts_elsewhere.txt has those that a model and a CPU do not provoke here:
// of GPU builds, as public issues quote them, and of exported models whose weights
// were given other shapes.
type said struct {
	name, version, phase string
	code                 int
	text                 string
}

func readTexts(t *testing.T, file string) []said {
	t.Helper()
	var list []said
	for name, lines := range sections(t, file) {
		var versions string
		s := said{name: name, text: strings.Join(lines[1:], "\n")}
		if n, err := fmt.Sscanf(lines[0], "%s %s %d", &versions, &s.phase, &s.code); n != 3 {
			t.Fatalf("%s: %q: %v", file, lines[0], err)
		}
		for s.version = range strings.SplitSeq(versions, ",") {
			list = append(list, s)
		}
	}
	return list
}

// writeTexts writes what readTexts reads, texts of one model one after the other.
func writeTexts(list []said) string {
	var out strings.Builder
	for i, s := range list {
		same := func(o said) bool { o.version = s.version; return o == s }
		if slices.ContainsFunc(list[:i], same) {
			continue
		}
		var versions []string
		for _, o := range list[i:] {
			if same(o) {
				versions = append(versions, o.version)
			}
		}
		fmt.Fprintf(&out, "== %s\n%s %s %d\n%s\n", s.name, strings.Join(versions, ","), s.phase, s.code, s.text)
	}
	return out.String()
}
