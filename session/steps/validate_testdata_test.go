//go:build cgo && (soak || parity)

package steps

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"lathe/session"
)

// testdataRoot is where Debian's package libonnx-testdata has the models of onnx, each in
// a folder with inputs and what is expected of outputs.
const testdataRoot = "/usr/share/libonnx-testdata/data"

// testdataModels are the folders, as "node/test_abs".
func testdataModels(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(testdataRoot, "*", "*", "model.onnx"))
	if err != nil || len(found) == 0 {
		t.Skipf("%s holds no models: install the package libonnx-testdata", testdataRoot)
	}
	for i, file := range found {
		found[i] = strings.TrimPrefix(filepath.Dir(file), testdataRoot+"/")
	}
	return found
}

// exception is why some folders do not pass, and what is said of them.
type exception struct {
	folders string // patterns of path.Match, between blanks
	said    string // a part of the verdict, or of the error
	why     string
	// some says that the patterns fit folders as well that pass.
	some bool
}

// of is the exception that a folder has; nil for none.
func exceptionOf(list []exception, folder string) *exception {
	for i, e := range list {
		for _, pattern := range strings.Fields(e.folders) {
			if matched, err := path.Match(pattern, folder); err == nil && matched {
				return &list[i]
			}
		}
	}
	return nil
}

// judgeTestdata validates every folder: each passes, or says what its exception does.
func judgeTestdata(t *testing.T, env session.Env, reference bool, list []exception) {
	t.Helper()
	used := map[*exception]int{}
	passed := 0
	only := os.Getenv("LATHE_TESTDATA") // a part of the names, to look at some
	for _, folder := range testdataModels(t) {
		if !strings.Contains(folder, only) {
			continue
		}
		s := &Validate{A: filepath.Join(testdataRoot, folder, "model.onnx"), Reference: reference}
		s.Data = filepath.Join(testdataRoot, folder)
		r, err := s.Run(t.Context(), env, nil)
		said, pass := "", false
		if err != nil {
			said = err.Error()
		} else {
			report := r.Report.(*ValidateReport)
			said, pass = report.Verdict, report.Pass
		}
		switch e := exceptionOf(list, folder); {
		case pass && (e == nil || e.some):
			passed++
		case e == nil:
			t.Errorf("%s: %s", folder, said)
		case pass:
			t.Errorf("%s: passes, and is listed: %s", folder, e.why)
		case !strings.Contains(said, e.said):
			t.Errorf("%s: %s; listed as %q", folder, said, e.said)
		default:
			used[e]++
		}
	}
	for i := range list {
		if used[&list[i]] == 0 && only == "" {
			t.Errorf("nothing is like %q any more: %s", list[i].folders, list[i].why)
		}
	}
	t.Logf("%d pass", passed)
	for i, e := range list {
		t.Logf("%4d %s", used[&list[i]], e.why)
	}
}
