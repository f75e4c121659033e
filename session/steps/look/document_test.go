package look

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the documents that are generated from tables")

// generated compares a document with the expected text. With -update it writes the document first.
func generated(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s differs from its tables; write it with go test ./session/steps/look -run %s -update", path, t.Name())
	}
}
