package ort

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"lathe/graphops"
	"lathe/session/ort/wire"
)

// TestHello checks what a client takes for a worker's description of itself.
func TestHello(t *testing.T) {
	for name, c := range map[string]struct {
		hello wire.Hello
		want  string // in the error; "" for no error
	}{
		"usual":                 {wire.Hello{LatheVersion: "1.0.0", LibraryVersion: "1.32.0", SlurmJob: "4711", LibraryPath: "/a/ü\n.so"}, ""},
		"an array of jobs":      {wire.Hello{SlurmJob: "12_3"}, ""},
		"a job with a command":  {wire.Hello{SlurmJob: "1; rm -rf ~"}, `"1; rm -rf ~" is not the id of a Slurm job`},
		"a job with escapes":    {wire.Hello{SlurmJob: "1\x1b[2J"}, `is not the id of a Slurm job`},
		"a long path":           {wire.Hello{LibraryPath: strings.Repeat("x", 5000)}, "the library's path has 5000 bytes, expected at most 4096"},
		"many providers":        {wire.Hello{CompiledProviders: make([]string, 2000)}, "2000 providers and 0 missing parts, expected at most 1024"},
		"names with escapes":    {wire.Hello{LatheVersion: "\x1b]0;x\x07", LibraryVersion: "\xff", CompiledProviders: []string{"a\nb", strings.Repeat("x", 1<<20)}}, ""},
		"an older protocol too": {wire.Hello{Protocol: 1}, "speaks protocol 1"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.hello.Protocol == 0 {
				c.hello.Protocol = wire.Version
			}
			var pipe bytes.Buffer
			if err := wire.NewWriter(&pipe).Send(&wire.Reply{Hello: &c.hello}, nil); err != nil {
				t.Fatal(err)
			}
			got, err := readHello(bufio.NewReader(&pipe))
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) {
					t.Errorf("got %v, want %q", err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, shown := range append(got.CompiledProviders, got.LatheVersion, got.LibraryVersion) {
				checkLine(t, shown)
				if utf8.RuneCountInString(shown) > maxName+1 {
					t.Errorf("a name of %d characters", utf8.RuneCountInString(shown))
				}
			}
		})
	}
}

// TestOneLine checks that lines are short in the form in which they are printed.
func TestOneLine(t *testing.T) {
	for _, text := range []string{strings.Repeat("x", 1<<20), strings.Repeat("\x1b", 1<<20), strings.Repeat("\U000e0001", 1<<16), strings.Repeat("a ", 1<<16)} {
		line := oneLine(text)
		checkLine(t, line)
		if n := utf8.RuneCountInString(line); n > maxLineRunes+2 {
			t.Errorf("%.20q: a line of %d characters", text, n)
		}
	}
}

// TestDumpedFiles checks that a client does not open files for a worker that the worker may not read.
func TestDumpedFiles(t *testing.T) {
	now := time.Now()
	model := graphops.StoredFile{Real: "/models/m.data", Bytes: 5, Modified: now}
	s := &Session{files: []graphops.StoredFile{model}}
	changed := model
	changed.Bytes = 6
	temporary, err := filepath.EvalSymlinks(os.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		file graphops.StoredFile
		may  bool
	}{
		"of the model":             {model, true},
		"changed":                  {changed, false},
		"a secret":                 {graphops.StoredFile{Real: "/home/u/.ssh/id_rsa"}, false},
		"a passing secret":         {graphops.StoredFile{Real: "/home/u/.ssh/id_rsa", Passing: true}, false},
		"of a worker":              {graphops.StoredFile{Real: temporary + "/lathe-worker-1/1/weights", Passing: true}, true},
		"of a worker, to stay":     {graphops.StoredFile{Real: temporary + "/lathe-worker-1/1/weights"}, false},
		"beside":                   {graphops.StoredFile{Real: temporary + "/other/weights", Passing: true}, false},
		"out of a worker's folder": {graphops.StoredFile{Real: temporary + "/lathe-worker-1/../../home/x", Passing: true}, false},
		"a folder's own name":      {graphops.StoredFile{Real: temporary + "/lathe-worker-1", Passing: true}, false},
	} {
		if got := s.mayName(c.file); got != c.may {
			t.Errorf("%s: %v, want %v", name, got, c.may)
		}
	}
	client, h := startPlaying(Options{Grace: time.Second}, func(h *hostile) {
		req := <-h.requests
		for _, r := range []*wire.Reply{
			{ID: req.ID, Content: &wire.Content{}},
			{ID: req.ID, Dumped: &wire.Dumped{Files: []wire.File{{Path: "w", Real: "/etc/passwd"}}}},
		} {
			_ = h.out.Send(r, nil)
		}
		<-h.quit
	})
	_, err = hostileSession(client).Dump(t.Context())
	if want := `running "m.onnx": the optimized graph refers to "/etc/passwd", which is neither a file of the model nor one that the worker made`; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
	_ = client.Close()
	<-h.ended
}
