package main

import (
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// slowInits are the packages, apart from Go's own, whose initialization may take over 50 µs, with the
// reason. All the others compute what they need at its first use.
var slowInits = map[string]string{
	"go.yaml.in/yaml/v3":                          "tables and patterns of the library that reads recipes",
	"google.golang.org/protobuf/internal/detrand": "the library hashes the program itself",
	"github.com/charmbracelet/x/ansi":             "tables of the library of the workbench",
	"github.com/charmbracelet/x/ansi/parser":      "tables of the library of the workbench",
	"github.com/charmbracelet/ultraviolet":        "tables of the library of the workbench",
	"github.com/mattn/go-runewidth":               "reads the locale",
	"github.com/adrg/xdg":                         "looks for the folders of the user",
	"github.com/atotto/clipboard":                 "looks for programs that reach the clipboard",
	"golang.org/x/sys/cpu":                        "asks the processor what it has",
	"lathe/graphops/graphtest":                    "part of tests only",
	"lathe":                                       "tables of the tests here",
	"lathe/graphops/onnxpb":                       "generated messages, part of tests only",
	"lathe/graphops/shape":                        "maps from operators to rules",
	"lathe/graphops/check":                        "the table of checks",
	"lathe/graphops/summary":                      "maps from operators to kinds",
	"lathe/graphops/tensor":                       "tables of 8-bit floating-point types",
	"github.com/elastic/go-seccomp-bpf/arch":      "tables of system calls of the library for the sandbox",
}

// TestInitialization starts the program's packages several times and takes the shortest time of each.
func TestInitialization(t *testing.T) {
	const runs = 40
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^init (\S+) @\S+ ms, (\S+) ms clock,`)
	shortest := map[string]float64{}
	for range runs {
		run := exec.Command(self, "-test.run", "^$")
		run.Env = append(os.Environ(), "GODEBUG=inittrace=1")
		out, err := run.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, m := range line.FindAllStringSubmatch(string(out), -1) {
			ms, err := strconv.ParseFloat(m[2], 64)
			if err != nil {
				t.Fatal(err)
			}
			if before, seen := shortest[m[1]]; !seen || ms < before {
				shortest[m[1]] = ms
			}
		}
	}
	if len(shortest) < 20 {
		t.Fatalf("%d packages are traced, expected more", len(shortest))
	}
	limit := 0.05
	if raced() {
		limit = 0.15 // the race detector makes every initialization slower
	}
	for name, ms := range shortest {
		first, _, _ := strings.Cut(name, "/")
		if _, known := slowInits[name]; !known && ms > limit && (first == "lathe" || strings.Contains(first, ".")) {
			t.Errorf("package %s takes %v ms at its start; compute it at its first use, or give the reason in slowInits", name, ms)
		}
	}
}

// raced reports whether the race detector is on.
func raced() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.ContainsFunc(info.Settings, func(s debug.BuildSetting) bool { return s.Key == "-race" && s.Value == "true" })
}
