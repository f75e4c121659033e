package ort

import (
	"slices"
	"testing"
)

func TestSplitWords(t *testing.T) {
	for text, want := range map[string][]string{
		"ssh gpu1":                            {"ssh", "gpu1"},
		"  ssh\t-p 2222 \n gpu1 ":             {"ssh", "-p", "2222", "gpu1"},
		`sh -c 'echo "Welcome"; exec "$@"' x`: {"sh", "-c", `echo "Welcome"; exec "$@"`, "x"},
		`a "b c"'d e'f`:                       {"a", "b cd ef"},
		`"a\"b\\c\$d\e"`:                      {`a"b\c$d\e`},
		`'a\'b`:                               {`a\b`},
		`a\ b \'`:                             {"a b", "'"},
		`"" ''`:                               {"", ""},
		"$HOME * ~":                           {"$HOME", "*", "~"},
		"":                                    nil,
	} {
		got, err := splitWords(text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
}
