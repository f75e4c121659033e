package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"lathe/bench/store"
	"lathe/graphops/graphtest"
	"lathe/graphops/opschema"
	"lathe/session/command/commandtest"
	"lathe/session/ort/orttest"
)

// TestMain lets the test binary be the program under the name lathe.
func TestMain(m *testing.M) { commandtest.Main(m, ".", main, nil) }

// TestScripts runs the commands as a person's shell would, in an empty folder
// each. $DATA is testdata; the condition [runtime] holds where an ONNX Runtime
// is found, which `make test` sees to, and [runtime:1.32] where it is 1.32 or newer.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a minute; -run TestScripts/NAME runs one script")
	}
	data, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	lib, noRuntime := orttest.Find()
	if noRuntime != nil {
		t.Logf("scripts that run models are skipped: %v", noRuntime)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			e.Setenv("DATA", data)
			e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, ".cache"))
			e.Setenv("XDG_STATE_HOME", filepath.Join(e.WorkDir, ".state"))
			e.Setenv("XDG_DATA_HOME", filepath.Join(e.WorkDir, ".data"))
			e.Setenv("LATHE_ORT_LIB", lib.Path)
			e.Setenv(orttest.PlainProgram, os.Getenv(orttest.PlainProgram))
			lathe, err := exec.LookPath("lathe")
			e.Setenv("BIN", filepath.Dir(lathe))
			return err
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": code,
			// model FILE TEXT makes a model of the lines of a file, see graphtest.
			"model": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), graphtest.Bytes(t, ts.ReadFile(args[1])), 0o600))
			},
			"halve":   halve,
			"quicken": quicken,
		},
		Condition: func(cond string) (bool, error) {
			if oldest, ok := strings.CutPrefix(cond, "runtime:"); ok {
				return noRuntime == nil && opschema.CompareReleases(lib.Version, oldest) >= 0, nil
			}
			return map[string]bool{"runtime": noRuntime == nil, "race": underRace()}[cond], nil
		},
		RequireExplicitExec: true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
	})
}

// underRace reports whether the race detector is in this program, and in the workers that
// it starts: its own memory grows as they run.
func underRace() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

// halve FILE compiles the library of the operator lathe.test::Halve.
func halve(ts *testscript.TestScript, _ bool, args []string) {
	official, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/yalue/onnxruntime_go").Output()
	ts.Check(err)
	compiler, err := exec.Command("go", "env", "CC").Output()
	ts.Check(err)
	source, err := filepath.Abs("session/ort/worker/testdata/custom_ops.c")
	ts.Check(err)
	words := strings.Fields(string(compiler))
	ts.Check(ts.Exec(words[0], append(words[1:], "-shared", "-fPIC", "-Wno-unused-result", "-I", strings.TrimSpace(string(official)), "-o", args[0], source)...))
}

// quicken FROM TO writes a measurement with all times halved.
func quicken(ts *testscript.TestScript, _ bool, args []string) {
	r, err := store.Read(ts.MkAbs(args[0]))
	ts.Check(err)
	b, err := r.Bench()
	ts.Check(err)
	for i := range b.Runs {
		b.Runs[i].P50 /= 2
		for j := range b.Runs[i].BlockMedians {
			b.Runs[i].BlockMedians[j] /= 2
		}
	}
	r.Document, err = json.Marshal(b)
	ts.Check(err)
	ts.Check((store.Folder{Now: time.Now}).Save(context.Background(), ts.MkAbs(args[1]), r, false))
}

// code runs a command that must end with an exit code: code 2 lathe prun.
func code(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N command [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, expected %d\nstdout: %s\nstderr: %s", got, want, ts.ReadFile("stdout"), ts.ReadFile("stderr"))
	}
}
