package ort_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"lathe/graphops"
	"lathe/graphops/graphtest"
	"lathe/session/ort"
)

func launcher(t *testing.T, text string) *ort.Launcher {
	t.Helper()
	l, err := ort.ParseLauncher(text)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// fakeLathe makes a program called lathe that is one of the fakes, and gives its
// folder. It takes no word that a worker would not.
func fakeLathe(t *testing.T, mode string) string {
	t.Helper()
	o := fake(t, mode)
	dir := t.TempDir()
	script := "#!/bin/sh\n" +
		`case "$1 $2" in "worker --options="*) ;; *) echo "lathe: unknown command: $*" >&2; exit 2;; esac` + "\n" +
		`[ $# = 2 ] || { echo "lathe: $# words" >&2; exit 2; }` + "\n" +
		"GORACE=atexit_sleep_ms=0 " + fakeMode + "='" + mode + "' exec " + strings.Join(o.Command, " ") + "\n"
	if err := os.WriteFile(filepath.Join(dir, "lathe"), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir
}

// joining is ssh's way: all words joined and handed to a shell.
const joining = `#!/bin/sh
host=$1; shift
exec sh -c "$*"
`

func TestLaunch(t *testing.T) {
	dir := fakeLathe(t, "works")
	fakeSSH := filepath.Join(t.TempDir(), "ssh")
	if err := os.WriteFile(fakeSSH, []byte(joining), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for _, text := range []string{
		"env",
		`sh -c 'echo "Welcome to the machine"; exec "$@"' sh`,
		fakeSSH + " gpu1",
		fakeSSH + " worker", // is the name of a machine
		fakeSSH + " gpu1 " + dir + "/lathe worker",
		fakeSSH + " gpu1 'cd / && " + dir + "/lathe worker'",
		dir + "/lathe worker",
		"setsid", // a group of its own
	} {
		t.Run(text, func(t *testing.T) {
			client, err := ort.Start(t.Context(), ort.Options{Launcher: launcher(t, text), Library: "/with a space/and $(more)", Grace: 10 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			pid := int(client.Info().PID)
			loadFake(t, client)
			if err := client.Close(); err != nil {
				t.Error(err)
			}
			waitGone(t, pid)
		})
	}
}

func waitGone(t *testing.T, pid int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); syscall.Kill(pid, 0) == nil; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the worker is still there")
		}
	}
}

// shouting is a launcher that says something on standard error and ends.
func shouting(words, status string) string {
	return `sh -c 'printf "%b" "` + words + `" >&2; exit ` + status + `' sh`
}

func TestLaunchFailures(t *testing.T) {
	works := fakeLathe(t, "works")
	tests := []struct{ name, launcher, mode, finding, advice string }{
		{"no such program", "sssh gpu1", "", `exec: "sssh": executable file not found in $PATH`, "must begin with a program on this machine"},
		{
			"cannot log in", shouting(`hello\ngpu1: Permission denied (publickey,password).\n`, "255"), "",
			"it ended with status 255 before a worker answered: gpu1: Permission denied (publickey,password).", "log in without a prompt",
		},
		{"host key", shouting(`Host key verification failed.\r\n`, "255"), "", "Host key verification failed.", "check the host key"},
		{"not reached", shouting(`ssh: Could not resolve hostname gpu9: Name or service not known\n`, "255"), "", "Could not resolve hostname gpu9", "check the name"},
		{"no lathe in bash", shouting(`bash: line 1: lathe: command not found\n`, "127"), "", "lathe: command not found", "/path/to/lathe worker"},
		{"no lathe in zsh", shouting(`zsh:1: command not found: lathe\n`, "127"), "", "command not found: lathe", "/path/to/lathe worker"},
		{
			"no lathe in srun", shouting(`slurmstepd: error: execve(): lathe: No such file or directory\nsrun: error: node1: task 0: Exited with exit code 2\n`, "2"), "",
			"execve(): lathe: No such file or directory", "/path/to/lathe worker",
		},
		{"no word but 127", "sh -c 'exit 127' sh", "", "it ended with status 127", "/path/to/lathe worker"},
		{"an older lathe", shouting(`lathe: unknown flag: --options; see lathe worker --help\n`, "2"), "", "unknown flag: --options", "install the same version on both machines"},
		{"a lathe of protocol 10", shouting(`lathe: --options oA: proto: cannot parse invalid wire-format data\n`, "2"), "", "--options oA: proto: cannot parse", "install the same version on both machines"},
		{"no word at all", "false", "", "it ended with status 1 before a worker answered;", "try by hand: false lathe version"},
		{"dies of a signal", "sh -c 'kill -9 $$' sh", "", "it ended by SIGKILL", "try by hand"},
		{"prints and ends", "echo this is not the machine", "", "it ended with status 0 before a worker answered: this is not the machine lathe worker --options=", "try by hand"},
		{"closes its output", "sh -c 'exec >&-; echo lost >&2; sleep 1000' sh", "", "before a worker answered: lost", "try by hand"},
		{"floods", "yes -- 'Welcome  to GPU land'", "", `it printed more than 64 KiB before a worker's greeting, beginning with "Welcome to GPU land lathe worker --options`, "make the login there print less"},
		{"rewritten", `sh -c '"$@" | while IFS= read -r l; do printf "%s\r\n" "$l"; done' sh`, "works", "a terminal in between rewrites", "no -t with ssh, kubectl exec and docker exec"},
		{"another version", "env", "newer", `the worker is lathe "fake" and speaks protocol`, "install the same version on both ends"},
		{"protocol 10", "env", "older", "the worker is another version of lathe, which does not speak protocol", "install the same version on both ends"},
		{"no runtime", "env", "refuses", "starting the worker: the library is too old", ""},
		{"dies behind the greeting", "env", "greets", "the worker exited with status 0 while starting", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			dir := works
			if tt.mode != "" {
				dir = fakeLathe(t, tt.mode)
			}
			t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
			client, err := ort.Start(t.Context(), ort.Options{Launcher: launcher(t, tt.launcher), Grace: 200 * time.Millisecond})
			if err == nil {
				_ = client.Close()
				t.Fatal("it started")
			}
			for _, want := range []string{"--on ", tt.finding, tt.advice} {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("got  %q\nwant %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("several lines: %q", err)
			}
			var launch *ort.LaunchError
			if reached := isCrash(err) || isRefusal(err); errors.As(err, &launch) == reached {
				t.Errorf("got %T, which is about a launcher and a worker alike, or neither", err)
			}
		})
	}
}

func TestLaunchTimeout(t *testing.T) {
	o := ort.Options{Launcher: launcher(t, "sh -c 'echo queued for resources >&2; sleep 1000' sh"), StartTimeout: 200 * time.Millisecond}
	_, err := ort.Start(t.Context(), o)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "no worker answered within 200ms: queued for resources; if the connection is slow") {
		t.Errorf("got %v", err)
	}
	// What takes long and answers is waited for.
	t.Setenv("PATH", fakeLathe(t, "works")+":"+os.Getenv("PATH"))
	client, err := ort.Start(t.Context(), ort.Options{Launcher: launcher(t, `sh -c 'sleep 0.5; exec "$@"' sh`), Grace: 10 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if err := client.Close(); err != nil {
		t.Error(err)
	}
}

// An interrupt while a launcher starts leaves nothing of it.
func TestLaunchCancelled(t *testing.T) {
	pidFile := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for ctx.Err() == nil {
			if data, err := os.ReadFile(pidFile); err == nil && len(data) > 0 {
				cancel()
			}
			time.Sleep(5 * time.Millisecond)
		}
	}()
	_, err := ort.Start(ctx, ort.Options{Launcher: launcher(t, `sh -c 'echo $$ > `+pidFile+`; sleep 1000 & wait' sh`)})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// How a line ends in the middle of something is told with the launcher's words.
func TestLineBreaks(t *testing.T) {
	t.Setenv("PATH", fakeLathe(t, "dies")+":"+os.Getenv("PATH"))
	for text, want := range map[string]string{
		"env": `the worker behind "env" ended with status 7 while loading "m.onnx"`,
		`sh -c '"$@"; echo "client_loop: send disconnect: Broken pipe" >&2; exit 255' sh`: `sh" ended with status 255 while loading "m.onnx": client_loop: send disconnect: Broken pipe`,
		`sh -c '"$@"; exit 255' sh`:   `ended with status 255, as with ssh when it crashes, while loading "m.onnx"`,
		`sh -c '"$@"; exit 139' sh`:   `ended with status 139, which means SIGSEGV, while loading "m.onnx"`,
		`sh -c '"$@"; kill -9 $$' sh`: `the connection to the worker behind "sh -c '\"$@\"; kill -9 $$' sh" ended by SIGKILL while loading "m.onnx"`,
	} {
		t.Run(text, func(t *testing.T) {
			client, err := ort.Start(t.Context(), ort.Options{Launcher: launcher(t, text), Grace: 10 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = client.Close() })
			_, err = client.Load(t.Context(), ort.Model{Path: "m.onnx"}, ort.SessionOptions{})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("got  %v\nwant %s", err, want)
			}
			var crash *ort.CrashError
			line := strings.Contains(text, "client_loop") || strings.Contains(text, "kill")
			if !errors.As(err, &crash) || crash.LineBroke() != line {
				t.Errorf("it is a line that broke: %v, want %v", !line, line)
			}
		})
	}
}

func TestParseLauncher(t *testing.T) {
	for text, want := range map[string]string{
		"":           "expected a command",
		"  ":         "expected a command",
		`"" x`:       "expected a command",
		`ssh "gpu1`:  "a quote is not closed",
		`ssh 'gpu1`:  "a quote is not closed",
		`ssh gpu1 \`: "a quote is not closed",
	} {
		if _, err := ort.ParseLauncher(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

func TestSetup(t *testing.T) {
	for _, word := range []string{"oA", "", "AAAA", "x", "é", strings.Repeat("_", 100)} {
		if s, err := ort.ParseSetup(word); (err == nil) != (word == "oA") {
			t.Errorf("%q: %+v, %v", word, s, err)
		}
	}
}

// Sending can be given up, also where the other end takes nothing.
func TestSendGivenUp(t *testing.T) {
	client := startFake(t, "works")
	m := graphtest.Model(t, "opset 20\ninput x f32[2]\ninit w f32[2]\ny = Add(x, w)\noutput y")
	b, err := graphops.BundleOf(m, ort.SentWeights)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	// The fake does not answer; the time runs out.
	if _, err := client.Send(ctx, "m.onnx", b, func(int64) {}); !errors.Is(err, context.DeadlineExceeded) || !strings.HasPrefix(err.Error(), `sending "m.onnx": `) {
		t.Errorf("got %v", err)
	}
}
