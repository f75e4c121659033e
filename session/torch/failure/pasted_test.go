package failure

import (
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf16"
)

// printed is what Python prints when an export fails: a chain of two, with a message of several
// lines and colours.
const printed = `Traceback (most recent call last):
  File "/opt/venv/lib/python3.12/site-packages/torch/onnx/_internal/exporter/_capture_strategies.py", line 121, in __call__
    exported_program = self._capture(model, args, kwargs, dynamic_shapes)
                       ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  File "/home/ann/nets/gate.py", line 27, in forward
    if keep.sum() > 3:
       ^^^^^^^^^^^^^^
  File "/opt/venv/lib/python3.12/site-packages/torch/fx/experimental/symbolic_shapes.py", line 7409, in _evaluate_expr
    raise self._make_data_dependent_error(
torch.fx.experimental.symbolic_shapes.GuardOnDataDependentSymNode: Could not guard on data-dependent expression u0 > 3 (unhinted: u0 > 3).  (Size-like symbols: none)

consider using data-dependent friendly APIs

The above exception was the direct cause of the following exception:

Traceback (most recent call last):
  File "/home/ann/nets/export.py", line 9, in <module>
    torch.onnx.export(net, (x,), "gate.onnx", dynamo=True)
  File "/opt/venv/lib/python3.12/site-packages/torch/onnx/_internal/exporter/_core.py", line 1383, in export
    raise _errors.TorchExportError(
torch.onnx._internal.exporter._errors.TorchExportError: Failed to export the model with torch.export. ` + "\x1b[96mThis is step 1/3\x1b[0m" + ` of exporting the model to ONNX. Next steps:
- Modify the model code for ` + "`torch.export.export`" + ` to succeed.
`

// in has every line behind a prefix; %d in it counts.
func in(prefix string) func(string) string {
	return func(s string) string {
		var b strings.Builder
		for i, line := range strings.Split(strings.TrimSuffix(s, "\n"), "\n") {
			front := prefix
			if strings.Contains(prefix, "%") {
				front = fmt.Sprintf(prefix, i)
			}
			b.WriteString(strings.TrimRight(front+line, " ") + "\n")
		}
		return b.String()
	}
}

func utf16Text(order binary.AppendByteOrder, mark string) func(string) string {
	return func(s string) string {
		out := []byte(mark)
		for _, u := range utf16.Encode([]rune(s)) {
			out = order.AppendUint16(out, u)
		}
		return string(out)
	}
}

func replaced(pairs ...string) func(string) string {
	return func(s string) string { return strings.NewReplacer(pairs...).Replace(s) }
}

// pastes are the ways in which one failure reaches a file.
var pastes = map[string]func(string) string{
	"as it is":       func(s string) string { return s },
	"text around it": func(s string) string { return "It fails:\n\n" + s + "\nAny idea?\n" },
	"a fence": func(s string) string {
		return "### 🐛 Describe the bug\n\n```pytb\n" + s + "```\n\n### Versions\n\nPyTorch version: 2.9\n"
	},
	"a plain fence": func(s string) string { return "# Bug\n\n```\n" + s + "```\n" },
	"details": func(s string) string {
		return "<details><summary>log</summary>\n\n```\n" + s + "\n```\n</details>\n\nThanks: all\n"
	},
	"an indented block": in("    "),
	"a list":            func(s string) string { return "1. It fails:\n\n" + in("   ")(s) + "2. Why?\n" },
	"quoted mail":       func(s string) string { return "On Monday Ann wrote:\n" + in("> ")(s) + "\nTry dynamic=False.\n" },
	"mail quoted twice": in(">> "),
	"mail, spaced":      in("> > "),
	"a log":             in("2026-01-02 03:04:%02d,123 ERROR export: "),
	"a log of CI":       in("2026-01-02T03:04:%02d.1234567Z "),
	"a log of ranks":    in("[rank%d]: "),
	"a log of compose":  in("trainer-1  | "),
	"a log, first line": func(s string) string { return "ERROR:root:export failed\n" + s },
	"a log, same line":  func(s string) string { return "2026-01-02 03:04:05 ERROR " + s },
	"a log, more": func(s string) string {
		return strings.ReplaceAll(in("12:00:%02d E ")(s), "Traceback", "export failed: Traceback")
	},
	"CRLF":               replaced("\n", "\r\n"),
	"CR":                 replaced("\n", "\r"),
	"UTF-8 with a mark":  func(s string) string { return "\xef\xbb\xbf" + s },
	"UTF-16 LE":          utf16Text(binary.LittleEndian, "\xff\xfe"),
	"UTF-16 BE":          utf16Text(binary.BigEndian, "\xfe\xff"),
	"UTF-16 LE, no mark": utf16Text(binary.LittleEndian, ""),
	"UTF-16 BE, no mark": utf16Text(binary.BigEndian, ""),
	"UTF-16 and CRLF":    func(s string) string { return utf16Text(binary.LittleEndian, "\xff\xfe")(replaced("\n", "\r\n")(s)) },
	"UTF-16, cut":        func(s string) string { return utf16Text(binary.LittleEndian, "\xff\xfe")(s) + "\n" },
	"colours written":    replaced("\x1b[", `\x1b[`),
	"colours of caret":   replaced("\x1b[", "^[["),
	"colours lost":       replaced("\x1b[", "["),
	"coloured all over":  replaced("Error", "\x1b[31mError\x1b[0m", "File", "\x1b[35mFile\x1b[0m"),
	"one line of JSON": func(s string) string {
		return `{"exc": "` + replaced("\n", `\n`, `"`, `\"`, "\x1b", `\u001b`)(s) + `"}`
	},
	"of a page":         replaced(`"`, "&quot;", "<", "&lt;", ">", "&gt;"),
	"no indent":         func(s string) string { return regexp.MustCompile(`(?m)^ +`).ReplaceAllString(s, "") },
	"blank lines":       replaced("\n", "\n\n"),
	"Windows":           replaced("/opt/venv/lib/python3.12/", `C:\\venv\\Lib\\`, "/home/ann/nets/", `C:\\Users\\ann\\nets\\`),
	"no break spaces":   replaced("    ", "\u00a0\u00a0\u00a0\u00a0"),
	"Latin-1 beside it": func(s string) string { return "Gr\xfc\xdfe\n" + s },
	"twice":             func(s string) string { return s + "\n" + s },
	"another one behind": func(s string) string {
		return s + "\nand without dynamo:\n\n" + "Traceback (most recent call last):\n  File \"/home/ann/nets/export.py\", line 12, in <module>\n    torch.onnx.export(net, (x,), \"gate.onnx\", dynamo=False)\ntorch.onnx.errors.UnsupportedOperatorError: Exporting the operator 'aten::fake_op' to ONNX opset version 17 is not supported.\n"
	},
	"another's in front": func(s string) string {
		return "Traceback (most recent call last):\n  File \"/home/ann/nets/setup.py\", line 2, in <module>\n    read(\"settings\")\nFileNotFoundError: settings\n\nwhich does not matter\n\n" + s
	},
}

// told is what is known of a text in short.
func told(t *testing.T, s string) string {
	t.Helper()
	raw, err := parse(decoded([]byte(s)), "issue.txt")
	if err != nil {
		return err.Error()
	}
	f := Distil(raw)
	at := ""
	if f.UserFrame != nil {
		at = fmt.Sprintf("%s:%d", regexp.MustCompile(`[^/\\]+$`).FindString(f.UserFrame.File), f.UserFrame.Line)
	}
	return f.Stage + "|" + f.Class + "|" + at + "|" + f.Entry
}

// TestPasted: one failure tells the same whichever way it is pasted.
func TestPasted(t *testing.T) {
	for name, paste := range pastes {
		if got, want := told(t, paste(printed)), "capture|GuardOnDataDependentSymNode|gate.py:27|data-dependent"; got != want {
			t.Errorf("%s: got %s, want %s\n%s", name, got, want, paste(printed))
		}
	}
}

// TestPastedReports: so does a report of the exporter, which tells the line of a program as well.
func TestPastedReports(t *testing.T) {
	files, err := filepath.Glob(reports + "/*/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no reports")
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		want := told(t, string(b))
		for _, name := range []string{"text around it", "quoted mail", "a log of CI", "an indented block", "CRLF", "CR", "UTF-8 with a mark", "UTF-16 LE", "UTF-16 BE, no mark", "Latin-1 beside it"} {
			if got := told(t, pastes[name](string(b))); got != want || strings.HasPrefix(got, "|") {
				t.Errorf("%s, %s: got %s, want %s", filepath.Base(file), name, got, want)
			}
		}
	}
}

// TestUnknownMarks: a report whose list has other marks has a stage all the same.
func TestUnknownMarks(t *testing.T) {
	files, err := filepath.Glob(reports + "/*/*_conversion.md")
	if err != nil || len(files) == 0 {
		t.Fatal("there are no reports")
	}
	b, err := os.ReadFile(files[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, mark := range []string{"🟥", "[x]", "?", ""} {
		if got := told(t, strings.ReplaceAll(string(b), "❌", mark)); !strings.HasPrefix(got, "translate|") {
			t.Errorf("%q: %s", mark, got)
		}
	}
}

// TestPastedOtherwise are texts that are not whole, or of other programs.
func TestPastedOtherwise(t *testing.T) {
	const site = "/opt/venv/lib/python3.12/site-packages/"
	for name, c := range map[string]struct{ text, want string }{
		"a summary alone": {
			"Traceback (most recent call last):\n  File \"/home/ann/export.py\", line 9, in <module>\n    torch.onnx.export(net)\ntorch.onnx._internal.exporter._errors.TorchExportError: Failed to export. This is step 1/3 of it.\n\n## Exception summary\n\n<class 'torch._dynamo.exc.UserError'>: Could not guard on data-dependent expression Eq(u0, 1) (unhinted: Eq(u0, 1)).\n\n(Refer to the full stack trace above for more information.)\n",
			"capture|UserError|export.py:9|data-dependent",
		},
		"the last line": {"torch.onnx.errors.UnsupportedOperatorError: Exporting the operator 'aten::fake_op' to ONNX opset version 17 is not supported.", "export|UnsupportedOperatorError||old-exporter-lacks"},
		"the end":       {"    return f(x)\n  File \"/home/ann/net.py\", line 3, in forward\n    y = x.fake_op()\ntorch.onnx.errors.UnsupportedOperatorError: Exporting the operator 'aten::fake_op' to ONNX opset version 17 is not supported.", "export|UnsupportedOperatorError|net.py:3|old-exporter-lacks"},
		"no end":        {"Traceback (most recent call last):\n  File \"/home/ann/net.py\", line 3, in forward\n    y = x.fake_op()\n  File \"" + site + "torch/onnx/utils.py\", line 1, in export\n", "export||net.py:3|"},
		"a package":     {"Traceback (most recent call last):\n  File \"/home/ann/net.py\", line 3, in <module>\n    import onnxscript\nModuleNotFoundError: No module named 'onnxscript'\n", "environment|ModuleNotFoundError|net.py:3|missing-package"},
		"a notebook": {
			"---------------------------------------------------------------------------\nUnsupportedOperatorError                  Traceback (most recent call last)\nCell In[3], line 10\n      8 x = torch.randn(1)\n      9 \n---> 10 torch.onnx.export(net, x, \"m.onnx\")\n     11 \n\nFile " + site + "torch/onnx/utils.py:516, in export(model, args)\n    514     f()\n--> 516     _export(model)\n\nUnsupportedOperatorError: Exporting the operator 'aten::fake_op' to ONNX opset version 17 is not supported.\n",
			"export|UnsupportedOperatorError|Cell In[3]:10|old-exporter-lacks",
		},
		"an older notebook": {
			"RuntimeError                              Traceback (most recent call last)\n<ipython-input-5-abc> in <module>()\n      1 x = 1\n----> 2 torch.onnx.export(net, x)\n\n/usr/local/lib/python3.7/dist-packages/torch/onnx/utils.py in export(model, args)\n    100     f()\n--> 101     g()\n\nRuntimeError: Exporting the operator 'aten::fake_op' to ONNX opset version 11 is not supported.\n",
			"export|RuntimeError|<ipython-input-5-abc>:2|old-exporter-lacks",
		},
		"another program": {"Traceback (most recent call last):\n  File \"/srv/app.py\", line 3, in <module>\n    f()\nKeyError: 'x'\n", "|KeyError|app.py:3|"},
		"prose":           {"The export fails with an error: it cannot do that.\n", errNoFailure.Error()},
		"nothing":         {"", errNoFailure.Error()},
		"code":            {"import torch\n\ndef f(x):\n    return x\n", errNoFailure.Error()},
		"bytes":           {"\x08\x07\x12\x07pytorch\x00\x00\x01", errNoFailure.Error()},
		"a good report":   {"# PyTorch ONNX Conversion Report\n\n```\n✅ Obtain model graph\n✅ Decompose\n```\n", "the report contains no failure"},
	} {
		if got := told(t, c.text); got != c.want {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

// FuzzPasted: what is pasted is anybody's.
func FuzzPasted(f *testing.F) {
	for _, paste := range pastes {
		f.Add([]byte(paste(printed)))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		raw, err := parse(decoded(b), "x.md")
		if err != nil {
			return
		}
		d := Distil(raw)
		if strings.ContainsAny(d.Error+d.About+d.Class, "\n\x1b") || d.Error == "" && d.Class == "" && d.Stage == "" {
			t.Errorf("%q: %q %q %q", d.Stage, d.Class, d.Error, d.About)
		}
	})
}
