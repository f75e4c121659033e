package reference

import (
	"bufio"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"testing"
)

// Python is a running Python script that answers questions. Questions and answers are JSON, one per
// line.
type Python struct {
	in  io.WriteCloser
	out *bufio.Reader
}

// Start runs a script in the Python interpreter that `make parity` provides. It skips the test if
// there is none. The script is stopped at the end of the test. If the script fails, the test fails.
func Start(t testing.TB, script string, args ...string) *Python {
	t.Helper()
	python := os.Getenv("LATHE_PARITY_PYTHON")
	if python == "" {
		t.Skip("LATHE_PARITY_PYTHON names no Python with the references; run `make parity`")
	}
	cmd := exec.Command(python, append([]string{script}, args...)...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	p := &Python{in: in, out: bufio.NewReader(out)}
	t.Cleanup(func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", script, err)
		}
	})
	return p
}

// Ask sends a question and reads the answer.
func (p *Python) Ask(t testing.TB, question, answer any) {
	t.Helper()
	if err := json.NewEncoder(p.in).Encode(question); err != nil {
		t.Fatal(err)
	}
	p.Read(t, answer)
}

// Read reads an answer that the script writes without being asked.
func (p *Python) Read(t testing.TB, answer any) {
	t.Helper()
	line, err := p.out.ReadBytes('\n')
	if err != nil {
		t.Fatalf("the script ended without an answer: %v", err)
	}
	if err := json.Unmarshal(line, answer); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
}
