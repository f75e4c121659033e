package tui

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"google.golang.org/protobuf/proto"

	"github.com/charmbracelet/x/exp/golden"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	traces "lathe/graphops/origin"
	"lathe/tui/actions"
	"lathe/tui/graph"
	"lathe/tui/origin"
	"lathe/tui/shell"
	"lathe/tui/workspace"
)

func originPaneOf(d *desk) *origin.Pane {
	return d.paneOf(origin.Place).(*origin.Pane)
}

func init() {
	effects[origin.Place] = map[actions.Name]effect{
		"whole-model": {at(origin.Place, "j", "j"), shows("IR version")},
	}
	effects[shell.PlaceMain]["look-origin"] = effect{nil, looksAt(origin.Place)}
	positions[origin.Place] = struct {
		enter func(*desk)
		at    func(*desk) int
	}{func(d *desk) {
		at(origin.Place)(d)
		originPaneOf(d).Lines = make([]graph.DetailLine, 200)
		d.app.sync()
		d.press("pgdown", "pgdown")
	}, func(d *desk) int { return originPaneOf(d).Scroll.Top }}
}

// torchLike is a model like those of PyTorch's exporter, with additions of other tools: a duplicate
// key, an unknown key, and one that cannot be parsed.
func torchLike(t testing.TB, stack string) *graphops.Model {
	t.Helper()
	p := graphtest.Proto(t, `
		opset 20
		opset local 1
		metadata author somebody
		metadata author somebody else
		function local Block(a) -> (b)
		b = Relu(a)
		end
		input x f32[batch,4]
		init w f32[4,4] 1
		fc: h = Gemm(x, w)
		act: y = Relu(h)
		output y f32[batch,4]
	`)
	p.ProducerName, p.ProducerVersion, p.Domain = proto.String("pytorch"), proto.String("2.9"), proto.String("org.example")
	p.DocString = proto.String("a model\nof two lines")
	p.Functions[0].MetadataProps = entries("pkg.torch.ops.higher_order.invoke_subgraph.identifier", "block_0")
	p.Graph.MetadataProps = entries(
		"pkg.torch.export.ExportedProgram.graph_signature", "\n# inputs\np_fc_weight: PARAMETER target='fc.weight'\nx: USER_INPUT\n\n# outputs\nrelu: USER_OUTPUT\n",
		"pkg.torch.export.ExportedProgram.range_constraints", "{s97: VR[0, int_oo]}",
	)
	p.Graph.Node[0].MetadataProps = entries(
		"pkg.torch.onnx.name_scopes", "['', 'encoder', 'encoder.fc', 'linear']",
		"pkg.torch.onnx.class_hierarchy", "['app.Net', 'app.Encoder', 'torch.nn.modules.linear.Linear', 'aten.linear.default']",
		"pkg.torch.onnx.fx_node", "%linear : [num_users=1] = call_function[target=torch.ops.aten.linear.default](args = (%x, %p_fc_weight), kwargs = {})",
		"pkg.torch.onnx.stack_trace", stack,
		"pkg.onnxscript.rewriter.rule_name", "FuseAddMatMul, CastCast",
		"other.tool", "first", "other.tool", "second\nline",
	)
	p.Graph.Node[1].MetadataProps = entries("pkg.torch.onnx.stack_trace", "no trace", "pkg.torch.onnx.fx_node", "((")
	p.Graph.Input[0].MetadataProps = entries("pkg.torch.export.graph_signature.InputSpec.kind", "USER_INPUT", "pkg.torch.onnx.original_node_name", "x")
	p.Graph.Initializer[0].MetadataProps = entries("pkg.torch.export.graph_signature.InputSpec.kind", "PARAMETER", "pkg.torch.onnx.original_node_name", "p_fc_weight", "note", "kept")
	return graphtest.Decode(t, p)
}

func entries(words ...string) []*onnxpb.StringStringEntryProto {
	var out []*onnxpb.StringStringEntryProto
	for i := 0; i < len(words); i += 2 {
		out = append(out, &onnxpb.StringStringEntryProto{Key: &words[i], Value: &words[i+1]})
	}
	return out
}

const someTrace = `File "app.py", line 7, in forward
    x = self.encoder(x)
  File "/usr/lib/python3/site-packages/torch/nn/modules/linear.py", line 134, in forward
    return F.linear(input, self.weight, self.bias)`

// TestOriginViews checks what is shown for everything that can be selected, in a hand-made model
// and in one exported by PyTorch.
func TestOriginViews(t *testing.T) {
	exported, err := graphops.Open("../testdata/mlp_dynamo.onnx", graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 60}, {shell.MinWidth, shell.MinHeight}} {
		for _, c := range []struct {
			name  string
			model *graphops.Model
			keys  string
		}{
			{"node", torchLike(t, someTrace), "j"},
			{"not-understood", torchLike(t, someTrace), "j j"},
			{"input", torchLike(t, someTrace), ""},
			{"output", torchLike(t, someTrace), "G"},
			{"model", torchLike(t, someTrace), "m"},
			{"end-of-model", torchLike(t, someTrace), "m G"},
			{"exported-node", exported, "j j j"},
			{"exported-model", exported, "m"},
		} {
			t.Run(fmt.Sprintf("%s/%dx%d", c.name, size[0], size[1]), func(t *testing.T) {
				d := newDesk(t, c.model, size[0], size[1])
				for _, k := range strings.Fields(c.keys) {
					if k == "m" {
						at(origin.Place)(d)
					}
					d.press(k)
				}
				at(origin.Place)(d)
				checkSize(t, d, size)
				golden.RequireEqual(t, trimmed(d.screen()))
			})
		}
	}
}

// tell returns everything that is shown for a row, or for the model if the row is -1.
func tell(m *graphops.Model, row, w int) string {
	var b strings.Builder
	for _, line := range origin.LinesOf(context.Background(), origin.Key{Model: m, Outline: outlineOf(m), Row: row, W: w + 2, Costs: nil}) {
		b.WriteString(line.Text + "\n")
	}
	return b.String()
}

// TestMetadataIsWhole checks that every entry is shown, whatever its length and content.
func TestMetadataIsWhole(t *testing.T) {
	long := strings.Repeat("0123456789", 10_000)
	p := graphtest.Proto(t, "input x f32\nn: y = Relu(x)\noutput y f32")
	p.MetadataProps = entries("vocabulary", long, "empty", "", "twice", "1", "twice", "2")
	told := tell(graphtest.Decode(t, p), -1, 60)
	if !strings.Contains(strings.NewReplacer("\n", "", " ", "").Replace(told), long) {
		t.Error("a long value is not told in full")
	}
	if n := strings.Count(told, "stands more than once"); n != 2 {
		t.Errorf("%d entries are marked as repeated, want 2", n)
	}
	for _, want := range []string{"4 entries", "empty", "  1\n", "  2\n"} {
		if !strings.Contains(told, want) {
			t.Errorf("%q is not told", want)
		}
	}
}

// sourceFolder makes a folder with a source file of ten lines and things that are not source.
func sourceFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var lines []string
	for i := range 10 {
		lines = append(lines, fmt.Sprintf("    line_%d()", i+1))
	}
	write("net.py", strings.Join(lines, "\n"))
	write("windows.py", "first\r\n\tsecond\r\n")
	write("secret.txt", "line_1()\n")
	write("hostile.py", "\x1b[2Jline\n")
	if err := os.Mkdir(filepath.Join(dir, "folder.py"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe.py"), 0o600); err != nil {
		t.Skip(err)
	}
	huge, err := os.Create(filepath.Join(dir, "huge.py"))
	if err != nil {
		t.Fatal(err)
	}
	defer huge.Close()
	if err := huge.Truncate(origin.MaxSource + 1); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "outside.py")
	if err := os.WriteFile(outside, []byte("line_1()\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.py")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestSources shows the lines of a file around the one of a trace if that line equals the recorded
// one, and nothing of any other file.
func TestSources(t *testing.T) {
	dir := sourceFolder(t)
	for _, c := range []struct {
		name, file string
		line       int
		recorded   string
		want       string
	}{
		{"at hand", "net.py", 5, "line_5()", "    3      line_3()\n    4      line_4()\n  › 5      line_5()\n    6      line_6()\n    7      line_7()\n"},
		{"absolute", filepath.Join(dir, "net.py"), 1, "line_1()", "  › 1      line_1()\n    2      line_2()\n    3      line_3()\n"},
		{"the last line", "net.py", 10, "line_10()", "     8      line_8()\n     9      line_9()\n  › 10      line_10()\n"},
		{"other ends of lines", "windows.py", 2, "second", "    1  first\n  › 2      second\n    3\n"},
		{"changed", "net.py", 5, "line_6()", "    line_6()\n    (the file on this machine has another line there)\n"},
		{"too short", "net.py", 11, "line_11()", "    line_11()\n    (the file on this machine has another line there)\n"},
		{"no line", "net.py", 0, "line_1()", "    line_1()\n    (the file on this machine has another line there)\n"},
		{"before the first", "net.py", -4, "line_1()", "    line_1()\n    (the file on this machine has another line there)\n"},
		{"missing", "absent.py", 1, "line_1()", "    line_1()\n"},
		{"nothing recorded", "net.py", 1, "", ""},
		{"a folder", "folder.py", 1, "line_1()", "    line_1()\n    (is not a regular file)\n"},
		{"a pipe", "pipe.py", 1, "line_1()", "    line_1()\n    (is not a regular file)\n"},
		{"below a pipe", filepath.Join(dir, "pipe.py", "net.py"), 1, "line_1()", "    line_1()\n    (not a directory)\n"},
		{"huge", "huge.py", 1, "line_1()", "    line_1()\n    (too large, with 4.0 MiB)\n"},
		{"a link out of the folder", "link.py", 1, "line_1()", "    line_1()\n    (path escapes from parent)\n"},
		{"above the folder", "../net.py", 1, "line_1()", "    line_1()\n"},
		{"no Python", "secret.txt", 1, "line_1()", "    line_1()\n"},
		{"not a file", "<eval_with_key>.0", 1, "line_1()", "    line_1()\n"},
		{"a name with a zero byte", "net.py\x00.py", 1, "line_1()", "    line_1()\n"},
		{"hostile content", "hostile.py", 1, "\x1b[2Jline", "  › 1  \\x1b[2Jline\n    2\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := origin.Story{Page: graph.Page{W: 70}, Ctx: t.Context()}
			s.Frame(traces.Frame{File: c.file, Line: c.line, Source: c.recorded}, origin.ReadSource(dir, c.file))
			var got string
			for _, line := range s.Lines {
				got += strings.TrimRight(line.Text, " ") + "\n"
			}
			if got != c.want {
				t.Errorf("got\n%swant\n%s", got, c.want)
			}
		})
	}
}

// TestSourcesOfAModelWithoutAFile does not look up relative names.
func TestSourcesOfAModelWithoutAFile(t *testing.T) {
	t.Chdir(sourceFolder(t))
	if src := origin.ReadSource(origin.ModelFolder(""), "net.py"); src.Lines != nil {
		t.Error("a file of the working folder is read")
	}
}

// TestSourceBesideTheModel opens a model next to the source that it comes from.
func TestSourceBesideTheModel(t *testing.T) {
	dir := sourceFolder(t)
	path := filepath.Join(dir, "model.onnx")
	m := torchLike(t, "File \"net.py\", line 5, in forward\n    line_5()")
	if _, err := graphops.Save(t.Context(), m, path, graphops.SaveOptions{}); err != nil {
		t.Fatal(err)
	}
	opened, err := graphops.Open(path, graphops.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	d := newDesk(t, opened, 120, 40).press("j")
	at(origin.Place)(d)
	d.sees("net.py:5 in forward", "4      line_4()", "› 5      line_5()")
}

// TestHostileTraces shows traces with each payload, and very long ones.
func TestHostileTraces(t *testing.T) {
	for _, payload := range graphtest.Hostile {
		stack := fmt.Sprintf("File \"%s.py\", line 3, in %s\n    %s", payload, payload, payload)
		d := newDesk(t, torchLike(t, stack), 120, 40).press("j")
		at(origin.Place)(d)
		if d.hasControls() {
			t.Errorf("%q: %q", payload, d.app.View().Content)
		}
	}
	many := strings.Repeat("File \"a.py\", line 99999999999999999999, in f\n  File \"b.py\", line 1, in g\n    x\n", 5000)
	if told := tell(torchLike(t, many), 1, 60); !strings.Contains(told, "b.py:1 in g") {
		t.Error("a long trace is not told")
	}
	var files strings.Builder
	for i := range 2 * origin.MaxSources {
		fmt.Fprintf(&files, "File \"f%d.py\", line 1, in g\n    x\n", i)
	}
	if told := tell(torchLike(t, files.String()), 1, 80); strings.Count(told, "only 64 of one trace are read") != origin.MaxSources {
		t.Error("nothing says that files are not looked up")
	}
}

// TestStaleOrigin drops the answer for a row that was left, and keeps the old text until the new
// one arrives.
func TestStaleOrigin(t *testing.T) {
	d := newDesk(t, torchLike(t, someTrace), 120, 40)
	at(origin.Place, "j")(d)
	d.app.Look(workspace.PlaceNodes)
	d.hold = true
	d.press("k")
	d.sees("FuseAddMatMul")
	held := d.waiting
	d.waiting, d.hold = nil, false
	d.press("j", "j")
	for _, cmd := range held {
		d.perform(cmd)
	}
	d.sees("not understood")
	d.lacks("FuseAddMatMul")
}

// TestHiddenOriginReadsNothing moves while another pane is shown: nothing is asked.
func TestHiddenOriginReadsNothing(t *testing.T) {
	d := newDesk(t, torchLike(t, someTrace), 120, 40).press("j", "j")
	if p := originPaneOf(d); p.Asked != (origin.Key{}) || p.Lines != nil {
		t.Errorf("asked for %+v", p.Asked)
	}
}

// TestOriginInTheDetail checks the line in the detail pane.
func TestOriginInTheDetail(t *testing.T) {
	d := newDesk(t, torchLike(t, someTrace), 120, 40).press("j")
	d.sees("encoder.fc · app.py:7", "7 entries of metadata in the pane origin")
	d.press("k")
	d.sees("user input, x in the captured graph")
	huge := torchLike(t, strings.Repeat(someTrace+"\n", 1000))
	d = newDesk(t, huge, 120, 40).press("j")
	d.lacks("app.py:7")
	d.sees("7 entries")
}
