package command

import (
	"os"
	"path/filepath"
	"testing"

	"lathe/graphops/check"
	"lathe/session/command/commandtest"
)

// TestMentions checks that every command and option named by a check exists.
func TestMentions(t *testing.T) {
	texts := map[string]string{}
	for _, r := range check.Rules() {
		texts["about "+r.Code] = r.About
	}
	files, err := filepath.Glob("graphops/check/testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("the models of the checks are not there: %v", err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		texts[f] = string(b)
	}
	seen := 0
	for where, text := range texts {
		for _, m := range commandtest.Mention.FindAllStringSubmatch(text, -1) {
			seen++
			if missing := commandtest.Runner(run).Missing(m[1], m[2]); missing != "" {
				t.Errorf("%s: %q: there is no %s", where, m[0], missing)
			}
		}
	}
	if seen == 0 {
		t.Error("no check names a command")
	}
}

// TestNotThere has commands and options that exist, and some that do not.
func TestNotThere(t *testing.T) {
	for mentioned, want := range map[string]string{
		"axes --repair": "", "attribute --set axis=N": "", "export --allow-external FOLDER --external-data": "",
		"inspect --initializers": "option --initializers", "constants --setting": "option --setting", "polish": "command polish",
	} {
		m := commandtest.Mention.FindStringSubmatch("lathe " + mentioned)
		if m == nil {
			t.Errorf("%q is not found in a text", mentioned)
			continue
		}
		if got := commandtest.Runner(run).Missing(m[1], m[2]); got != want {
			t.Errorf("%q: says %q, expected %q", mentioned, got, want)
		}
	}
}
