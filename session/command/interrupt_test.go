package command

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"google.golang.org/protobuf/proto"

	"lathe/graphops/graphtest"
	"lathe/graphops/onnxpb"
	"lathe/session/command/commandtest"
)

// slowToWrite makes a model whose weights, a sparse file, take seconds to write.
func slowToWrite(t *testing.T) string {
	t.Helper()
	const size = 4 << 30
	dir := t.TempDir()
	hole := filepath.Join(dir, "w.bin")
	if err := errors.Join(os.WriteFile(hole, nil, 0o600), os.Truncate(hole, size)); err != nil {
		t.Skip("no files with holes here: ", err)
	}
	p := graphtest.Proto(t, "init w u8[1] 1\ny = Relu(w)\noutput y")
	w := p.Graph.Initializer[0]
	w.Dims, w.RawData = []int64{size}, nil
	w.DataLocation = onnxpb.TensorProto_EXTERNAL.Enum()
	w.ExternalData = []*onnxpb.StringStringEntryProto{{Key: proto.String("location"), Value: proto.String("w.bin")}}
	b, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "m.onnx")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func filesIn(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	list, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestInterruptedWhileWriting checks that the old file stays and that no temporary file does, for
// every signal and for repeated signals.
func TestInterruptedWhileWriting(t *testing.T) {
	model := slowToWrite(t)
	for _, signals := range [][]syscall.Signal{
		{syscall.SIGINT}, {syscall.SIGTERM}, {syscall.SIGHUP}, {syscall.SIGINT, syscall.SIGINT, syscall.SIGINT},
	} {
		t.Run(fmt.Sprint(signals), func(t *testing.T) {
			if signal.Ignored(signals[0]) {
				t.Skipf("whoever started this, such as nohup, has %s ignored, and so has what it starts", signals[0])
			}
			dir := t.TempDir()
			out := filepath.Join(dir, "out.onnx")
			if err := os.WriteFile(out, []byte("old"), 0o600); err != nil {
				t.Fatal(err)
			}
			c := commandtest.Process(t, "export", model, "-o", out, "--external-data", "--force")
			if err := c.Start(); err != nil {
				t.Fatal(err)
			}
			commandtest.Eventually(t, "temporaries", func() bool { return len(filesIn(t, dir)) == 3 })
			for _, s := range signals {
				_ = c.Process.Signal(s) // the previous signal may have ended it
			}
			if err := c.Wait(); c.ProcessState.ExitCode() != exitInterrupted {
				t.Errorf("it ended with %v", err)
			}
			if b, err := os.ReadFile(out); string(b) != "old" || err != nil || len(filesIn(t, dir)) != 1 {
				t.Errorf("the target holds %q, %v, beside %v", b, err, filesIn(t, dir))
			}
		})
	}
}

// TestSecondSignal checks that a second signal ends a program that cannot react to the first one,
// because it is blocked while it writes to a pipe that nobody reads.
func TestSecondSignal(t *testing.T) {
	c := commandtest.Process(t, "export", "testdata/digits.onnx", "-o", "-")
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	// The model is larger than the pipe's buffer: once the first byte arrived, the program is
	// writing and stays blocked.
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		_ = c.Wait() // the state is checked below
		close(ended)
	}()
	deadline := time.After(30 * time.Second)
	for sent := 0; ; sent++ {
		if err := c.Process.Signal(syscall.SIGINT); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Fatal(err)
		}
		select {
		case <-ended:
			if c.ProcessState.ExitCode() != exitInterrupted || sent < 1 {
				t.Errorf("after %d signals it ended with %v", sent+1, c.ProcessState)
			}
			return
		case <-deadline:
			t.Fatal("it does not end")
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// TestHangUpUnderNohup checks that the program continues to write when the terminal goes away.
func TestHangUpUnderNohup(t *testing.T) {
	dir := t.TempDir()
	c := commandtest.Process(t, "export", slowToWrite(t), "-o", filepath.Join(dir, "out.onnx"), "--external-data")
	c.Args = append([]string{"sh", "-c", `trap "" HUP; exec "$@"`, "sh", c.Path}, c.Args[1:]...)
	c.Path = "/bin/sh"
	if err := c.Start(); err != nil {
		t.Skip("no shell to start it from: ", err)
	}
	written := func() (n int64) {
		for _, e := range filesIn(t, dir) {
			if info, err := e.Info(); err == nil {
				n += info.Size()
			}
		}
		return n
	}
	commandtest.Eventually(t, "file", func() bool { return written() > 0 })
	if err := c.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	before := written()
	commandtest.Eventually(t, "more of it", func() bool { return written() > before+(64<<20) })
	if err := c.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := c.Wait(); c.ProcessState.ExitCode() != exitInterrupted || len(filesIn(t, dir)) > 0 {
		t.Errorf("it ended with %v and left %v", err, filesIn(t, dir))
	}
}

// TestInterruptedWhileComputing: a signal ends a command within a second or so, wherever it is, here
// while it works on a list of very many entries.
func TestInterruptedWhileComputing(t *testing.T) {
	if signal.Ignored(syscall.SIGTERM) {
		t.Skip("SIGTERM is ignored")
	}
	if endTime > time.Second {
		t.Errorf("a command may take %v to end", endTime)
	}
	p := graphtest.Proto(t, "input x f32[2]\ny = Relu(x)\noutput y f32[2]")
	for i := range 100_000 {
		p.OpsetImport = append(p.OpsetImport, &onnxpb.OperatorSetIdProto{Domain: proto.String(fmt.Sprintf("d%d", i)), Version: proto.Int64(1)})
	}
	b, err := proto.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "m.onnx")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"simplify", path, "--no-check"}, {"check", path}, {"diff", path, path}} {
		c := commandtest.Process(t, args...)
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(300 * time.Millisecond)
		start := time.Now()
		_ = c.Process.Signal(syscall.SIGTERM) // it may have ended
		_ = c.Wait()                          // the time is what counts
		if took := time.Since(start); took > 5*time.Second {
			t.Errorf("%v: ended %v after the signal", args, took)
		}
	}
}
