package command

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"lathe/graphops/check"
)

// mention is a command with options in a text: lathe axes --repair.
var mention = regexp.MustCompile(`\blathe\s+([a-z][a-z-]*)((?:\s+(?:--[a-z][a-z0-9-]*(?:=\S+)?|[A-Z]\S*))*)`)

var mentionedFlag = regexp.MustCompile(`--([a-z][a-z0-9-]*)`)

// TestMentions holds every command and option that the checks name against those that
// there are.
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
		for _, m := range mention.FindAllStringSubmatch(text, -1) {
			seen++
			if missing := notThere(m[1], m[2]); missing != "" {
				t.Errorf("%s: %q: there is no %s", where, m[0], missing)
			}
		}
	}
	if seen == 0 {
		t.Error("no check names a command")
	}
}

// TestNotThere has commands and options that there are, and some that there are not.
func TestNotThere(t *testing.T) {
	for mentioned, want := range map[string]string{
		"axes --repair": "", "attribute --set axis=N": "", "export --allow-external FOLDER --external-data": "",
		"inspect --initializers": "option --initializers", "constants --set": "option --set", "polish": "command polish",
	} {
		m := mention.FindStringSubmatch("lathe " + mentioned)
		if m == nil {
			t.Errorf("%q is not found in a text", mentioned)
			continue
		}
		if got := notThere(m[1], m[2]); got != want {
			t.Errorf("%q: says %q, expected %q", mentioned, got, want)
		}
	}
}

// notThere is what does not exist of a command and its options.
func notThere(command, options string) string {
	c, _, err := (&app{}).rootCommand().Find(strings.Fields(command))
	if err != nil || !c.HasParent() {
		return "command " + command
	}
	for _, m := range mentionedFlag.FindAllStringSubmatch(strings.TrimSpace(options), -1) {
		if c.Flags().Lookup(m[1]) == nil && c.InheritedFlags().Lookup(m[1]) == nil {
			return "option --" + m[1]
		}
	}
	return ""
}
