//go:build cgo && (soak || parity)

package sides

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"lathe/session"
)

// testdataRoot is the folder of Debian's package libonnx-testdata. It has a folder for each model
// with inputs and expected outputs.
const testdataRoot = "/usr/share/libonnx-testdata/data"

// testdataModels returns the folders, such as "node/test_abs".
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

// exception says why some folders do not pass, and what is reported for them.
type exception struct {
	folders string // patterns of path.Match, separated by spaces
	said    string // part of the verdict or of the error
	why     string
	// some reports that the patterns also match folders that pass.
	some bool
}

// lacking are models that the runtime does not load, and models whose data cannot be fed to it.
var lacking = []exception{
	{
		folders: "node/test_adagrad* node/test_adam node/test_adam_multiple node/test_momentum* node/test_nesterov_momentum simple/test_gradient_of_*",
		said:    "does not exist in this version of the runtime", why: "operators of ai.onnx.preview.training, which builds for training have",
	},
	{
		folders: "node/test_bitshift_*_uint16 node/test_max_*int16 node/test_min_*int16 node/test_pow_types_float32_uint??",
		said:    "has no implementation for these types", why: "no kernel for the type",
	},
	{folders: "node/test_*_batchwise", said: "layout == 1", why: "recurrent operators of the other layout have no kernel"},
	{folders: "*/test_strnorm*monday*", said: "Failed to construct locale", why: "the system has no locale en_US.UTF-8", some: true},
	{folders: "pytorch-*/*", said: "and not as opset", why: "the runtime has later forms of the operator only", some: true},
	{folders: "node/test_castlike_*BFLOAT16*", said: `input "like" expects shape 3×4, got 1`, why: "what onnx's data gives as an input is not what the model declares"},
}

// exceptionOf returns the exception of a folder, or nil.
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

// judgeTestdata validates every folder. It must pass, or report what its exception says.
func judgeTestdata(t *testing.T, env session.Env, reference bool, list []exception) {
	t.Helper()
	used := map[*exception]int{}
	passed := 0
	only := os.Getenv("LATHE_TESTDATA") // part of the names, to run only some folders
	for _, folder := range testdataModels(t) {
		if !strings.Contains(folder, only) {
			continue
		}
		s := &Comparison{A: filepath.Join(testdataRoot, folder, "model.onnx"), Reference: reference}
		s.Data = filepath.Join(testdataRoot, folder)
		r, err := s.Run(t.Context(), env)
		said, pass := "", false
		if err != nil {
			said = err.Error()
		} else {
			report := r.Report.(*Report)
			said, pass = report.Headline, report.Pass
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
