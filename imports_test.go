package main

import (
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// order is the import order of the design: a package may import those of the
// rows above it. Packages of one row do not import each other, except below the
// same folder.
var order = [][]string{
	{"lathe/graphops/aside", "lathe/graphops/kernels", "lathe/graphops/pattern", "lathe/graphops/permit"},
	{"lathe/graphops/tensor", "lathe/graphops/dim", "lathe/graphops/fieldnum", "lathe/graphops/departure", "lathe/graphops/flatbuffer", "lathe/graphops/durable", "lathe/graphops/formats"},
	{"lathe/graphops/tensor/npz", "lathe/graphops/tensor/blockwise", "lathe/graphops/calibration"},
	{"lathe/graphops"},
	{"lathe/graphops/onnxpb", "lathe/graphops/opschema", "lathe/graphops/onnxtext", "lathe/graphops/parameters"},
	{"lathe/graphops/shape", "lathe/graphops/evaluate"},
	{"lathe/graphops/rewrite"},
	{"lathe/graphops/cost", "lathe/graphops/axes", "lathe/graphops/region", "lathe/graphops/opset", "lathe/graphops/inference", "lathe/graphops/perturb"},
	{"lathe/graphops/apply"},
	{"lathe/graphops/graphtest", "lathe/graphops/reference", "lathe/graphops/quant", "lathe/graphops/check/suspect", "lathe/graphops/edit", "lathe/graphops/origin", "lathe/graphops/weights", "lathe/graphops/parameters/parameterstest"},
	{"lathe/graphops/scope", "lathe/graphops/quant/static", "lathe/graphops/half", "lathe/graphops/nbits", "lathe/graphops/graphtest/mutate", "lathe/graphops/graphtest/growth", "lathe/graphops/check", "lathe/graphops/diff", "lathe/graphops/simplify"},
	{"lathe/graphops/counterpart", "lathe/graphops/adopt", "lathe/graphops/summary", "lathe/graphops/roles"},
	{"lathe/graphops/filter", "lathe/graphops/folder", "lathe/graphops/architecture"},
	{"lathe/session/text", "lathe/session/ort/ep"},
	{"lathe/bench/machine", "lathe/session/ort/wire", "lathe/session/ort/fault", "lathe/session/inputs/bounds", "lathe/session/inputs/picture", "lathe/session/sizing", "lathe/session/shell"},
	{"lathe/session/ort/sandbox"},
	{"lathe/session/ort", "lathe/session/inputs", "lathe/session/python", "lathe/session/torch/failure", "lathe/session/torch/modules", "lathe/session/compare/ties", "lathe/session/proportion"},
	{"lathe/session/torch"},
	{"lathe/session/generation", "lathe/session/labels", "lathe/session/ort/plugin", "lathe/session/ort/orttest", "lathe/session/ort/crashtest", "lathe/session/compare", "lathe/bench", "lathe/bench/profile"},
	{"lathe/session/ort/worker", "lathe/session/proof", "lathe/bench/store"},
	{"lathe/bench/page"},
	{"lathe/session/ort/workertest"},
	{"lathe/session/layers", "lathe/session/overflow", "lathe/session/calibrate", "lathe/session/stepwise", "lathe/session/generating"},
	{"lathe/session/reduce"},
	{"lathe/session/runtime"},
	{"lathe/session"},
	{"lathe/session/sessiontest"},
	{"lathe/session/trial", "lathe/session/reporting"},
	{"lathe/session/flags", "lathe/session/filling"},
	{"lathe/session/sides"},
	{"lathe/session/timing"},
	{"lathe/session/quantization"},
	{"lathe/session/sensitivity", "lathe/session/search"},
	{"lathe/session/accuracy"},
	{"lathe/session/mixed"},
	{"lathe/session/modes"},
	{"lathe/session/folders"},
	{
		"lathe/session/steps/edit", "lathe/session/steps/look", "lathe/session/steps/cut", "lathe/session/steps/shrink", "lathe/session/steps/quantize",
		"lathe/session/steps/validate", "lathe/session/steps/measure", "lathe/session/steps/torch",
	},
	{"lathe/session/steps", "lathe/session/journal", "lathe/session/preflight", "lathe/session/naming", "lathe/session/trust"},
	{"lathe/tui/cells", "lathe/tui/fuzzy", "lathe/tui/paths", "lathe/tui/config", "lathe/tui/theme"},
	{"lathe/tui/boxes", "lathe/tui/plot", "lathe/tui/lanes", "lathe/tui/list", "lathe/tui/controls", "lathe/tui/controls/keytest", "lathe/tui/frames"},
	{"lathe/tui/actions", "lathe/tui/task"},
	{"lathe/tui/shell"},
	{"lathe/tui/graph"},
	{"lathe/tui/workspace"},
	{"lathe/tui/values"},
	{"lathe/tui/forms"},
	{"lathe/tui/inplace", "lathe/tui/install", "lathe/tui/history"},
	{"lathe/tui/search"},
	{"lathe/tui/detail"},
	{"lathe/tui/nodes"},
	{"lathe/tui/modules"},
	{"lathe/tui/origin"},
	{"lathe/tui/tensors"},
	{"lathe/tui/axes"},
	{"lathe/tui/overview"},
	{"lathe/tui/problems"},
	{"lathe/tui/sheet"},
	{"lathe/tui/passes"},
	{"lathe/tui/comparison"},
	{"lathe/tui/flame", "lathe/tui/front"},
	{"lathe/tui/resume"},
	{"lathe/tui/precision"},
	{"lathe/tui/home", "lathe/tui/members"},
	{"lathe/tui/guide"},
	{"lathe/tui/files"},
	{"lathe/tui/tour"},
	{"lathe/session/command/commandtest"},
	{"lathe/session/command"},
	{"lathe/tui"},
	{"lathe/tui/launch"},
	{"lathe"},
}

// tools are programs that the repository uses on itself.
var tools = []string{"lathe/graphops/onnxpb/protogen"}

func TestImportOrder(t *testing.T) {
	row := map[string]int{}
	for i, list := range order {
		for _, p := range list {
			row[p] = i
		}
	}
	for p, imports := range imports(t) {
		if slices.Contains(tools, p) {
			continue
		}
		at, known := row[p]
		if !known {
			t.Errorf("package %s has no place in the import order; give it one here and in ARCHITECTURE.md", p)
			continue
		}
		for _, q := range imports {
			if strings.HasPrefix(q, "lathe") && row[q] >= at {
				t.Errorf("%s imports %s, which does not stand above it", p, q)
			}
		}
	}
}

// TestSessionImportsLittle checks that steps and history do not import the engines, not even through
// other packages.
func TestSessionImportsLittle(t *testing.T) {
	const most = 24 // with session itself
	all := imports(t)
	seen := map[string]bool{}
	var visit func(p string)
	visit = func(p string) {
		if !strings.HasPrefix(p, "lathe") || seen[p] {
			return
		}
		seen[p] = true
		for _, q := range all[p] {
			visit(q)
		}
	}
	visit("lathe/session")
	if len(seen) > most {
		t.Errorf("session imports %v, which is more than %d packages of this module", slices.Sorted(maps.Keys(seen)), most)
	}
}

// TestLibrariesStayWhereTheyBelong guards the imports that would spread: the
// terminal, the runtime's binding, and the generated messages. Nobody may use templates: they call
// methods by name, so that the linker keeps every exported method of the program, 4 MB of them.
func TestLibrariesStayWhereTheyBelong(t *testing.T) {
	allowed := map[string][]string{
		"charm.land/":                              {"lathe", "lathe/tui", "lathe/tui/actions", "lathe/tui/task", "lathe/tui/shell", "lathe/tui/precision", "lathe/tui/resume", "lathe/tui/flame", "lathe/tui/front", "lathe/tui/comparison", "lathe/tui/guide", "lathe/tui/history", "lathe/tui/tour", "lathe/tui/inplace", "lathe/tui/install", "lathe/tui/files", "lathe/tui/passes", "lathe/tui/sheet", "lathe/tui/problems", "lathe/tui/axes", "lathe/tui/tensors", "lathe/tui/origin", "lathe/tui/modules", "lathe/tui/nodes", "lathe/tui/detail", "lathe/tui/search", "lathe/tui/forms", "lathe/tui/values", "lathe/tui/workspace", "lathe/tui/controls", "lathe/tui/controls/keytest", "lathe/tui/frames", "lathe/tui/home", "lathe/tui/members", "lathe/tui/overview"},
		"lathe/tui/controls/keytest":               {}, // tests beside it
		"github.com/yalue/onnxruntime_go":          {"lathe/session/ort/worker"},
		"github.com/landlock-lsm/":                 {"lathe/session/ort/sandbox"},
		"github.com/elastic/":                      {"lathe/session/ort/sandbox", "lathe/session/ort/worker"}, // the worker names system calls
		"text/template ":                           {},
		"html/template ":                           {},
		"lathe/graphops/onnxpb":                    {"lathe/graphops/graphtest", "lathe/graphops/graphtest/mutate", "lathe/graphops/graphtest/growth", "lathe/session/ort/crashtest"},
		"lathe/graphops/graphtest":                 {"lathe/graphops/graphtest/mutate", "lathe/graphops/graphtest/growth"},                             // tests beside it
		"lathe/graphops/reference":                 {},                                                                                                 // likewise
		"lathe/graphops/parameters/parameterstest": {},                                                                                                 // likewise
		"lathe/session/ort/orttest":                {"lathe/session/ort/workertest", "lathe/session/sessiontest", "lathe/session/command/commandtest"}, // likewise
		"lathe/session/ort/workertest":             {"lathe/session/sessiontest"},                                                                      // likewise
		"lathe/session/ort/crashtest":              {},                                                                                                 // likewise
		"lathe/session/sessiontest":                {},                                                                                                 // likewise
		"google.golang.org/protobuf/proto ":        {"lathe/graphops/graphtest", "lathe/graphops/graphtest/mutate", "lathe/graphops/graphtest/growth", "lathe/session/ort/crashtest"},
	}
	for p, imports := range imports(t) {
		for _, q := range imports {
			for prefix, who := range allowed {
				if strings.HasPrefix(q+" ", prefix) && !slices.Contains(who, p) && p != strings.TrimSuffix(q, " ") && !slices.Contains(tools, p) {
					t.Errorf("%s imports %s; only %v may", p, q, who)
				}
			}
		}
	}
}

// imports lists what the packages of the module import, tests left out.
func imports(t *testing.T) map[string][]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	list := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		list[words[0]] = words[1:]
	}
	if len(list) < 5 {
		t.Fatalf("go list names %d packages only", len(list))
	}
	return list
}
