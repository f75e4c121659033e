package torch_test

import (
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

// failing are models whose export fails, with what is to be free.
var failing = map[string][]torch.DynamicAxis{
	"branches": nil, "data_dependent": nil, "item": nil, "killed": nil, "missing_package": nil, "no_onnx_function": nil,
	"specialized": {{Path: "x", Axis: 0, Symbol: "batch"}}, "wrong_example": nil,
}

const failingFolder = "../../testdata/torch/failing"

// tried is what an export of a target by the new exporter raised.
func tried(t *testing.T, target string, dynamic []torch.DynamicAxis) error {
	t.Helper()
	c := child(t)
	folder, err := filepath.Abs(failingFolder)
	if err != nil {
		t.Fatal(err)
	}
	c.Folder = folder
	b, err := torch.Open(t.Context(), c, torch.Opening{Target: target})
	if err != nil {
		return err
	}
	defer b.Close()
	_, err = b.Export(t.Context(), torch.Export{Strategy: torch.NonStrict, Path: filepath.Join(c.TempDir, "m.onnx"), Artifacts: filepath.Join(c.TempDir, "a"), Dynamic: dynamic})
	return err
}

// TestFailing exports every failing model and, where its file has one, the model with the
// change that is suggested.
func TestFailing(t *testing.T) {
	for name, dynamic := range failing {
		t.Run(name, func(t *testing.T) {
			var failed *torch.FailedError
			if err := tried(t, name+".py:Model", dynamic); !errors.As(err, &failed) {
				t.Fatalf("it does not fail: %v", err)
			}
			if *update {
				record(t, name, failed.Raw)
			}
			code, err := os.ReadFile(filepath.Join(failingFolder, name+".py"))
			if err != nil || !strings.Contains(string(code), "class Fixed") {
				return
			}
			if err := tried(t, name+".py:Fixed", dynamic); err != nil {
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
	if err := os.WriteFile(filepath.Join("failure", "testdata", name+".json"), []byte(said+"\n"), 0o644); err != nil { //nolint:gosec // a file of the repository
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
	version, _, _ := strings.Cut(raw.Versions["torch"], "+")
	kept := filepath.Join("../../testdata/torch/reports", version, "onnx_export_"+name+"_"+words[4]+".md")
	if err := errors.Join(os.MkdirAll(filepath.Dir(kept), 0o755), os.WriteFile(kept, []byte(said), 0o644)); err != nil { //nolint:gosec // as above
		t.Fatal(err)
	}
}

// packageCode is a frame of a package with the lines of its code, which are PyTorch's.
var packageCode = regexp.MustCompile(`(?m)(^  File "[^"]*-packages/[^\n]*\n)(?:    [^\n]*\n)+`)
