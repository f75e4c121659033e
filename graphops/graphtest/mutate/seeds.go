package mutate

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"google.golang.org/protobuf/encoding/prototext"
	"google.golang.org/protobuf/proto"

	"lathe/graphops/onnxpb"
)

// Seed is a mutant that is stored in the repository, usually because it once caused a failure.
type Seed struct {
	Name  string
	Notes []string // what it did when it was found
	Model *onnxpb.ModelProto
}

// Bytes returns the serialized model.
func (s Seed) Bytes(t testing.TB) []byte {
	t.Helper()
	b, err := proto.MarshalOptions{Deterministic: true}.Marshal(s.Model)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// ReadSeeds reads a txtar archive with models in protobuf's text form. The notes are comments at
// the top of each model.
func ReadSeeds(t testing.TB, path string) []Seed {
	t.Helper()
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var seeds []Seed
	for _, f := range archive.Files {
		s := Seed{Name: f.Name, Model: &onnxpb.ModelProto{}}
		for line := range strings.Lines(string(f.Data)) {
			if note, ok := strings.CutPrefix(line, "# "); ok {
				s.Notes = append(s.Notes, strings.TrimSpace(note))
			}
		}
		if err := prototext.Unmarshal(f.Data, s.Model); err != nil {
			t.Fatalf("%s: %s: %v", path, f.Name, err)
		}
		seeds = append(seeds, s)
	}
	return seeds
}

// unsteady matches two spaces after a field name. Some builds of a program write two there and
// others one, because protobuf varies its text form on purpose.
var unsteady = regexp.MustCompile(`(?m)^( *\w+:)  `)

// WriteSeeds writes an archive that ReadSeeds reads. The same seeds always give the same bytes.
func WriteSeeds(t testing.TB, path, comment string, seeds []Seed) {
	t.Helper()
	archive := &txtar.Archive{Comment: []byte(comment)}
	for _, s := range seeds {
		text, err := prototext.MarshalOptions{Multiline: true, Indent: " "}.Marshal(s.Model)
		if err != nil {
			t.Fatal(err)
		}
		text = unsteady.ReplaceAll(text, []byte("$1 "))
		notes := ""
		for _, note := range s.Notes {
			notes += fmt.Sprintf("# %s\n", note)
		}
		archive.Files = append(archive.Files, txtar.File{Name: s.Name, Data: append([]byte(notes), text...)})
	}
	if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}
