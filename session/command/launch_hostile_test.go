package command

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"lathe/bench/machine"
	"lathe/graphops"
	"lathe/graphops/tensor"
	"lathe/session/ort/wire"
	"lathe/session/text"
)

func init() { standins["hostile"] = hostileWorker }

// escapes is a text that clears a screen, sets a title, ends a line, and reorders what follows.
const escapes = "a\x1b[2J\x1b]0;owned\x07\r\nb\xff\u202ec"

// hostileWorker is a launcher that answers itself, with escapes in every text. Its first argument says
// where it fails: it answers all requests before that.
func hostileWorker(c *exec.Cmd) error {
	fails := c.Args[0]
	fmt.Print(escapes + "\n" + wire.Greeting)
	fmt.Fprint(os.Stderr, escapes+"\n")
	out, in := wire.NewWriter(os.Stdout), wire.NewReader(bufio.NewReader(os.Stdin))
	_ = out.Send(&wire.Reply{Hello: &wire.Hello{Protocol: wire.Version, PID: 1, LatheVersion: escapes, LibraryVersion: escapes, LibraryPath: escapes, CompiledProviders: []string{escapes}, Unlimited: []string{escapes}}}, nil)
	for {
		var req wire.Request
		if in.Next(&req) != nil {
			return nil
		}
		if req.Data != nil || req.Cancel != nil {
			continue
		}
		_ = out.Send(&wire.Reply{ID: req.ID, Progress: &wire.Progress{Activity: escapes}}, nil)
		for _, r := range hostileAnswer(&req, fails) {
			r.ID = req.ID
			_ = out.Send(r, nil)
			if data := hostileData(r); data != nil {
				_ = out.Send(&wire.Reply{ID: req.ID, Data: &wire.Data{}}, data)
			}
		}
	}
}

func hostileAnswer(req *wire.Request, fails string) []*wire.Reply {
	blocked := []string{escapes, escapes}
	failure := &wire.Error{Message: escapes, Context: escapes}
	switch {
	case req.Receive != nil:
		return []*wire.Reply{{Received: &wire.Received{Folder: "/" + escapes}}}
	case req.Load != nil && fails == "load":
		return []*wire.Reply{{Error: failure, Blocked: blocked}}
	case req.Load != nil && fails == "provider":
		return []*wire.Reply{{Error: &wire.Error{Message: escapes, Refused: []wire.Refusal{{Provider: escapes, Reason: escapes, Plugin: escapes}}}}}
	case req.Load != nil:
		port := wire.Port{Name: "x" + escapes, Kind: "tensor", DType: 1, HasShape: true, Dims: []wire.Dim{{Value: -1, Symbol: escapes}}}
		return []*wire.Reply{{Blocked: blocked, Loaded: &wire.Loaded{
			Provider: "cpu", Inputs: []wire.Port{port}, Outputs: []wire.Port{{Name: "y" + escapes, Kind: "tensor", DType: 8}},
			Log: []wire.LogLine{{Severity: 2, Location: escapes, Message: escapes}}, Unknown: []string{escapes},
		}}}
	case req.Run != nil && fails == "run":
		return []*wire.Reply{{Error: failure}}
	case req.Run != nil && fails == "value":
		return []*wire.Reply{{Value: &wire.Value{Name: escapes, Kind: escapes}}}
	case req.Run != nil && fails == "crash":
		fmt.Fprint(os.Stderr, strings.Repeat(escapes, 10_000))
		os.Exit(3)
	case req.Run != nil:
		v := &wire.Value{Name: "y" + escapes, Kind: "tensor", DType: tensor.String, Dims: []int64{1}, Bare: true}
		v.PartBytes = int64(len(hostileData(&wire.Reply{Value: v})))
		return []*wire.Reply{{Value: v}, {Done: &wire.Done{}}}
	case req.Machine != nil:
		c := &wire.Content{}
		c.Bytes = int64(len(hostileData(&wire.Reply{Content: c})))
		return []*wire.Reply{{Content: c}, {Done: &wire.Done{}}}
	}
	return []*wire.Reply{{Done: &wire.Done{}}}
}

// hostileData returns what follows a reply.
func hostileData(r *wire.Reply) []byte {
	said := escapes
	switch {
	case r.Value != nil && r.Value.Bare:
		first := tensor.Tensor{DType: tensor.String, Shape: []int64{1}, Strings: []string{escapes}}
		profile := tensor.ProfileStrings(first.Strings)
		data, _ := wire.EncodeParts([]graphops.Part{{First: &first, Strings: &profile}})
		return data
	case r.Content != nil:
		data, _ := json.Marshal(machine.State{Environment: machine.Environment{Host: &said, CPU: &said, Kernel: &said, OS: said, Arch: said, Go: said}})
		return data
	}
	return nil
}

// TestHostileWorkerOnTerminal runs commands with a worker whose every text has escape sequences. None of
// them reaches the output, and no line is long.
func TestHostileWorkerOnTerminal(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	lathe, errLathe := exec.LookPath("lathe")
	model, errModel := filepath.Abs("testdata/digits.onnx")
	if err := errors.Join(errLathe, errModel); err != nil {
		t.Fatal(err)
	}
	for fails, commands := range map[string][]string{
		"load": {"run-model", "bench", "validate --b opt=disable", "profile"}, "provider": {"run-model", "bench", "profile"},
		"run": {"run-model", "bench"}, "value": {"run-model", "profile"}, "crash": {"run-model"}, "nowhere": {"run-model"},
	} {
		for _, command := range commands {
			for _, format := range []string{"", "--json"} {
				t.Run(strings.TrimSpace(fails+" "+command+" "+format), func(t *testing.T) {
					t.Parallel()
					words := append(strings.Fields(command), model, "--send", "--on", "standin hostile "+fails)
					if format != "" {
						words = append(words, format)
					}
					cmd := exec.CommandContext(t.Context(), lathe, words...)
					cmd.WaitDelay = 5 * time.Second
					out, err := cmd.CombinedOutput()
					if (err == nil) != (fails == "nowhere") {
						t.Errorf("%v:\n%s", err, out)
					}
					checkScreen(t, string(out))
				})
			}
		}
	}
}

// checkScreen fails if a text has a character that a terminal obeys, or a long line.
func checkScreen(t *testing.T, out string) {
	t.Helper()
	for line := range strings.Lines(out) {
		line = strings.TrimSuffix(line, "\n")
		if line != text.CleanLine(line) {
			t.Errorf("a line that a terminal obeys: %.300q", line)
		}
		if n := utf8.RuneCountInString(line); n > 4000 {
			t.Errorf("a line of %d characters: %.100q", n, line)
		}
	}
}
