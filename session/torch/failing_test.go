package torch_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lathe/session/torch"
	"lathe/session/torch/failure"
)

var update = flag.Bool("update", false, "record what the failing models raise, for the tests without PyTorch")

// failingCase says how a model is exported for it to fail.
type failingCase struct {
	dynamic      []torch.DynamicAxis
	strategy     torch.Strategy // non-strict without one
	opset        int            // that is asked for, 0 for none
	fixedOpset   int            // with which it passes
	translations bool
	passes       bool // with PyTorch 2.15: an earlier one is recorded
}

var batch = []torch.DynamicAxis{{Path: "x", Axis: 0, Symbol: "batch"}}

// failing are models whose export fails.
var failing = map[string]failingCase{
	"axes_not_converted":   {},
	"branches":             {},
	"data_dependent":       {},
	"decomposition":        {},
	"example_of_one":       {},
	"functions":            {passes: true},
	"guard":                {},
	"item":                 {},
	"killed":               {},
	"missing_package":      {},
	"no_onnx_function":     {},
	"onnxscript_missing":   {},
	"specialized":          {dynamic: batch},
	"translation_defect":   {translations: true},
	"unsupported_by_opset": {strategy: torch.Legacy, opset: 14, fixedOpset: 16},
	"wrong_example":        {},
}

const failingFolder = "../../testdata/torch/failing"

// tried is what an export of a target raised, and with which PyTorch.
func tried(t *testing.T, target string, how failingCase) (version string, err error) {
	t.Helper()
	c := child(t)
	folder, err := filepath.Abs(failingFolder)
	if err != nil {
		t.Fatal(err)
	}
	c.Folder = folder
	b, err := torch.Open(t.Context(), c, torch.Opening{Target: target})
	if err != nil {
		return "", err
	}
	defer b.Close()
	if !b.Description.NewExporter && how.strategy != torch.Legacy {
		t.Skipf("PyTorch %s has the old exporter alone", b.Description.Versions["torch"])
	}
	e := torch.Export{
		Strategy: cmp.Or(how.strategy, torch.NonStrict), Path: filepath.Join(c.TempDir, "m.onnx"), Artifacts: filepath.Join(c.TempDir, "a"), Dynamic: how.dynamic,
	}
	if how.opset > 0 {
		e.Options = map[string]any{"opset_version": how.opset}
	}
	if how.translations {
		file, _, _ := strings.Cut(target, ":")
		e.Translations = file + ":TABLE"
	}
	_, err = b.Export(t.Context(), e)
	return b.Description.Versions["torch"], err
}

// pinned is the PyTorch that `make torch` installs, for which it is known what fails.
const pinned = "2.15."

// TestFailing exports every failing model and, where its file has one, the model with the
// change that is suggested.
func TestFailing(t *testing.T) {
	for name, how := range failing {
		t.Run(name, func(t *testing.T) {
			version, err := tried(t, name+".py:Model", how)
			var failed *torch.FailedError
			switch known := strings.HasPrefix(version, pinned); {
			case err == nil && (!known || how.passes):
				t.Skipf("PyTorch %s exports it", version)
			case !errors.As(err, &failed):
				t.Fatalf("it does not fail: %v", err)
			case known && how.passes:
				t.Fatalf("it fails: %v", err)
			}
			if *update {
				record(t, name, failed.Raw)
			}
			how.opset = how.fixedOpset
			code, err := os.ReadFile(filepath.Join(failingFolder, name+".py"))
			if err != nil || !strings.Contains(string(code), "Fixed") && how.opset == 0 {
				return
			}
			fixed := ":Fixed"
			if how.opset > 0 {
				fixed = ":Model"
			}
			if _, err := tried(t, name+".py"+fixed, how); err != nil {
				t.Errorf("as is suggested: %v", err)
			}
		})
	}
}

// artifacts are where a test has the exporter write.
var artifacts = regexp.MustCompile(`/tmp/TestFailing\w+/\d+/a/`)

// record keeps what was raised, with paths that are of no machine.
func record(t *testing.T, name string, raw failure.Raw) {
	t.Helper()
	report := raw.Report
	raw.Report = ""
	for _, x := range raw.Chain {
		for i := range x.Frames {
			if !x.Frames[i].User {
				x.Frames[i].Code = "" // it is PyTorch's
			}
		}
	}
	text, err := json.MarshalIndent(raw, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	folder, err := filepath.Abs(failingFolder)
	if err != nil {
		t.Fatal(err)
	}
	python := filepath.Dir(filepath.Dir(os.Getenv("LATHE_TORCH_PYTHON")))
	said := strings.NewReplacer(folder, "/home/user/project", python, "/home/user/venv").Replace(string(text))
	said = artifacts.ReplaceAllString(said, "/home/user/artifacts/")
	version := recordedAs(raw)
	kept := filepath.Join("failure", "testdata", version, name+".json")
	if err := errors.Join(os.MkdirAll(filepath.Dir(kept), 0o755), os.WriteFile(kept, []byte(said+"\n"), 0o644)); err != nil { //nolint:gosec // a file of the repository
		t.Fatal(err)
	}
	if report == "" {
		return
	}
	b, err := os.ReadFile(report)
	if err != nil {
		t.Fatal(err)
	}
	said = strings.NewReplacer(folder, "/home/user/project", python, "/home/user/venv").Replace(packageCode.ReplaceAllString(string(b), "$1"))
	words := strings.SplitN(strings.TrimSuffix(filepath.Base(report), ".md"), "_", 5) // onnx, export, date, time, postfix
	kept = filepath.Join("../../testdata/torch/reports", version, "onnx_export_"+name+"_"+words[4]+".md")
	if err := errors.Join(os.MkdirAll(filepath.Dir(kept), 0o755), os.WriteFile(kept, []byte(said), 0o644)); err != nil { //nolint:gosec // as above
		t.Fatal(err)
	}
}

// recordedAs is the folder for what a PyTorch raised; what came before it told its version is
// kept with that of its environment.
func recordedAs(raw failure.Raw) string {
	version, _, _ := strings.Cut(cmp.Or(raw.Versions["torch"], os.Getenv("LATHE_TORCH_VERSION"), "unknown"), "+")
	return version
}

// packageCode is a frame of a package with the lines of its code, which are PyTorch's.
var packageCode = regexp.MustCompile(`(?m)(^  File "[^"]*-packages/[^\n]*\n)(?:    [^\n]*\n)+`)
