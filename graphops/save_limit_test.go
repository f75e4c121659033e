package graphops_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// refusedJob runs a job that must not succeed and returns what it says.
func refusedJob(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	out, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Skip("no such process can be started here: ", err)
	}
	text := strings.TrimPrefix(strings.TrimSpace(string(out)), "ready\n")
	if err == nil || c.ProcessState.ExitCode() != 1 {
		t.Errorf("%v, it says %q", err, text)
	}
	return text
}

// checkRefusal wants one line with some words in it and the old file alone.
func checkRefusal(t *testing.T, said, target string, words ...string) {
	t.Helper()
	for _, w := range append(words, target+": ") {
		if !strings.Contains(said, w) {
			t.Errorf("it says %q, want %q", said, w)
		}
	}
	if strings.Contains(said, "\n") || strings.Contains(said, "lathe-tmp") {
		t.Errorf("it says %q", said)
	}
	if b, err := os.ReadFile(target); string(b) != "old" || err != nil {
		t.Errorf("the old file holds %q, %v", b, err)
	}
	if got := folder(t, filepath.Dir(target)); !slices.Equal(got, []string{filepath.Base(target)}) {
		t.Errorf("the folder holds %q", got)
	}
}

// TestSaveOverSizeLimit saves in a process whose files may not grow that far.
func TestSaveOverSizeLimit(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.onnx")
	writeNoise(t, model, 1, 4<<20)
	for _, storage := range []string{"embedded", "external"} {
		target := filepath.Join(t.TempDir(), "out.onnx")
		mustDo(t, os.WriteFile(target, []byte("old"), 0o600))
		said := refusedJob(t, child(t, "limited", model, target, storage, "2097152"))
		named := target
		if storage == "external" {
			said = strings.Replace(said, target+".data: ", target+": ", 1)
		}
		checkRefusal(t, said, named, "files are limited to 2.0 MiB here, with 4.0 MiB to write", "ulimit -f", "--split-data")
	}
}

// TestSaveSplitOverSizeLimit saves in data files that fit under the limit, and tells which does
// not.
func TestSaveSplitOverSizeLimit(t *testing.T) {
	model := filepath.Join(t.TempDir(), "m.onnx")
	writeNoise(t, model, 1, 4<<20)
	target := filepath.Join(t.TempDir(), "out.onnx")
	if out, err := child(t, "limited", model, target, "split", "1048576").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if a, b := contentOf(t, model), contentOf(t, target); a != b || a == "" {
		t.Error("what was saved is another model")
	}
	target = filepath.Join(t.TempDir(), "out.onnx")
	mustDo(t, os.WriteFile(target, []byte("old"), 0o600))
	said := refusedJob(t, child(t, "limited", model, target, "split", "1048575"))
	checkRefusal(t, strings.Replace(said, target+".data: ", target+": ", 1), target, "files are limited to 1048575 bytes here, with 1.0 MiB to write")
}

// TestSaveOverOpenLimit saves in a process that may not open all of the data files.
func TestSaveOverOpenLimit(t *testing.T) {
	model, target := filepath.Join(t.TempDir(), "m.onnx"), filepath.Join(t.TempDir(), "out.onnx")
	writeNoise(t, model, 1, 4<<20)
	mustDo(t, os.WriteFile(target, []byte("old"), 0o600))
	said := refusedJob(t, child(t, "crowded", model, target, "split"))
	for _, end := range []string{".data: ", ".data-2: ", ".data-3: ", ".data-4: "} {
		said = strings.Replace(said, target+end, target+": ", 1)
	}
	checkRefusal(t, said, target, "files open; raise the limit with ulimit -n, or take a larger --split-data")
}

// TestSaveWithoutPermission saves as a user who may not.
func TestSaveWithoutPermission(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can become another user; TestSaveWhereItCannot is for others")
	}
	dir := t.TempDir()
	model, target := filepath.Join(dir, "m.onnx"), filepath.Join(dir, "d", "out.onnx")
	writeNoise(t, model, 1, 1000)
	mustDo(t, os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o755), os.Mkdir(filepath.Dir(target), 0o755),
		os.WriteFile(target, []byte("old"), 0o666))
	said := refusedJob(t, child(t, "nobody", model, target, "embedded"))
	checkRefusal(t, said, target, "no permission to make files in "+filepath.Dir(target)+"; choose another folder")
}

// TestSaveOverAnothersFile replaces a file of a group that the user is not in: the
// rights of that group do not go to the user's own.
func TestSaveOverAnothersFile(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can become another user")
	}
	dir := t.TempDir()
	model, target := filepath.Join(dir, "m.onnx"), filepath.Join(dir, "d", "out.onnx")
	writeNoise(t, model, 1, 1000)
	mustDo(t, os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o755), os.Mkdir(filepath.Dir(target), 0o700),
		os.Chmod(filepath.Dir(target), 0o777), os.WriteFile(target, nil, 0o600), os.Chmod(target, 0o664))
	if out, err := child(t, "nobody", model, target, "embedded").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if info, err := os.Stat(target); err != nil || info.Mode() != 0o644 {
		t.Errorf("the file has mode %v, %v", info.Mode(), err)
	}
}
