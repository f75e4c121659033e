package command

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"lathe/session/ort/orttest"
)

// sshServer is an sshd of the test's own on the loopback device, for this user and a key made for
// it. No other test listens on a port.
type sshServer struct {
	config string // ssh_config with two hosts: "loop", and "slow", which is throttled
	bin    string // the folder of lathe
}

// startSSH skips the test if there is no sshd (Debian: openssh-server).
func startSSH(t *testing.T) sshServer {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("looks for processes in /proc")
	}
	t.Setenv("GORACE", "atexit_sleep_ms=0") // otherwise a process waits for a second at its end
	sshd, err := exec.LookPath("/usr/sbin/sshd")
	if err == nil {
		_, err = exec.LookPath("ssh-keygen")
	}
	if err != nil {
		t.Skip("no sshd to lead to: install openssh-server; ", err)
	}
	if os.Getuid() == 0 {
		_ = os.MkdirAll("/run/sshd", 0o755) // if it is missing, sshd reports it
	}
	dir := t.TempDir()
	for _, name := range []string{"host", "key"} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Fatalf("ssh-keygen: %v\n%s", err, out)
		}
	}
	port := freePort(t)
	writeText(t, dir+"/sshd_config", fmt.Sprintf("Port %s\nListenAddress 127.0.0.1\nHostKey %[2]s/host\nAuthorizedKeysFile %[2]s/key.pub\n"+
		"PidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nMaxStartups 100\n", port, dir))
	log := startSSHD(t, sshd, dir, port)
	lathe, err := exec.LookPath("lathe")
	if err != nil {
		t.Fatal(err)
	}
	s := sshServer{config: dir + "/config", bin: filepath.Dir(lathe)}
	hostKey, err := os.ReadFile(dir + "/host.pub")
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, dir+"/known_hosts", "here "+string(hostKey))
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	writeText(t, s.config, fmt.Sprintf("Host slow\nProxyCommand %s/throttle %s\n\nHost *\nHostName 127.0.0.1\nPort %[2]s\nUser %s\nHostKeyAlias here\n"+
		"IdentityFile %[4]s/key\nIdentitiesOnly yes\nIdentityAgent none\nUserKnownHostsFile %[4]s/known_hosts\nGlobalKnownHostsFile /dev/null\n", s.bin, port, me.Username, dir))
	if out, err := exec.Command("ssh", "-F", s.config, "loop", "true").CombinedOutput(); err != nil {
		said, _ := os.ReadFile(log)
		t.Skipf("this user cannot log in to an sshd of its own: %v\n%s\n%s", err, out, said)
	}
	return s
}

func startSSHD(t *testing.T, sshd, dir, port string) (log string) {
	t.Helper()
	log = dir + "/log"
	server := exec.Command(sshd, "-D", "-f", dir+"/sshd_config", "-E", log)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill()
		_ = server.Wait()
	})
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		c, err := net.Dial("tcp", "127.0.0.1:"+port)
		if err == nil {
			_ = c.Close()
			return log
		}
		if time.Now().After(deadline) {
			said, _ := os.ReadFile(log)
			t.Skipf("sshd does not start as this user: %v\n%s", err, said)
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	return strconv.Itoa(port)
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// throttle is a ProxyCommand of ssh that carries 100 KB per second.
func throttle() {
	c, err := net.Dial("tcp", "127.0.0.1:"+os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	go func() {
		trickle(c, os.Stdin)
		_ = c.(*net.TCPConn).CloseWrite()
	}()
	trickle(os.Stdout, c)
}

func trickle(to io.Writer, from io.Reader) {
	for {
		if _, err := io.CopyN(to, from, 5000); err != nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// lathe returns a command that runs its models on the host, over ssh.
func (s sshServer) lathe(t *testing.T, host, scratch string, args ...string) *exec.Cmd {
	t.Helper()
	lib := orttest.Library(t)
	on := fmt.Sprintf("ssh -F %s %s 'GORACE=atexit_sleep_ms=0 TMPDIR=%s exec %s/lathe worker'", s.config, host, scratch, s.bin)
	args = append(args, "--on", on, "--runtime", lib)
	return exec.CommandContext(t.Context(), filepath.Join(s.bin, "lathe"), args...)
}

func TestOverSSH(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	s := startSSH(t)
	scratch := t.TempDir()
	model, err := filepath.Abs("testdata/digits.onnx")
	if err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"run":      {"run-model", model},
		"send":     {"run-model", "--send", "testdata/digits.onnx"},
		"a value":  {"run-model", model, "--value", "logits"},
		"validate": {"validate", model, model},
		"bench":    {"bench", model, "--warmup", "1", "--runs", "20"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := s.lathe(t, "loop", scratch, args...).CombinedOutput()
			if err != nil || !strings.Contains(string(out), "cpu") && !strings.HasPrefix(string(out), "pass") {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
	// A shared connection stays open after the launcher. It is not part of the worker.
	shared := "-o ControlMaster=auto -o ControlPersist=60 -o ControlPath=" + t.TempDir() + "/c loop"
	for range 2 {
		if out, err := s.lathe(t, shared, scratch, "run-model", model).CombinedOutput(); err != nil {
			t.Errorf("over a shared connection: %v\n%s", err, out)
		}
	}
	if out, err := exec.Command("ssh", append([]string{"-F", s.config, "-O", "exit"}, strings.Fields(shared)...)...).CombinedOutput(); err != nil {
		t.Errorf("the shared connection is gone: %v\n%s", err, out)
	}
	if out, err := s.lathe(t, "-t loop", scratch, "run-model", model).CombinedOutput(); err != nil {
		t.Errorf("ssh gives no terminal where it has none itself: %v\n%s", err, out)
	}
	out, err := s.lathe(t, "-n loop", scratch, "run-model", model).CombinedOutput()
	checkExit(t, err, exitFailed)
	if !strings.Contains(string(out), "found its input closed") || !strings.Contains(string(out), "no -n with ssh") {
		t.Errorf("without input: %s", out)
	}
	out, err = s.lathe(t, "slow", scratch, "run-model", model).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "logits") {
		t.Errorf("on a slow line: %v\n%s", err, out)
	}
	out, err = s.lathe(t, "slow", scratch, "run-model", model, "--start-timeout", "10ms").CombinedOutput()
	checkExit(t, err, exitFailed)
	if !strings.Contains(string(out), "no worker answered within 10ms") {
		t.Errorf("on a line that is too slow: %s", out)
	}
	for what, want := range map[string]string{
		"-tt loop":                             "a terminal in between rewrites",
		"-o UserKnownHostsFile=/dev/null loop": "Host key verification failed",
		"-o PubkeyAuthentication=no loop":      "it must log in without a prompt",
		"loop":                                 "there is no lathe in PATH there",
		"loop exit 3 # " + s.bin + "/lathe worker":   "it ended with status 3 before a worker answered",
		"loop kill -9 $$;" + s.bin + "/lathe worker": "with status 255 before a worker answered",
	} {
		on := "ssh -F " + s.config + " " + what
		if !strings.HasSuffix(on, "worker") && strings.HasPrefix(what, "-tt") {
			on += " " + s.bin + "/lathe worker"
		}
		cmd := exec.CommandContext(t.Context(), filepath.Join(s.bin, "lathe"), "run-model", model, "--on", on)
		out, err := cmd.CombinedOutput()
		checkExit(t, err, exitFailed)
		if !strings.Contains(string(out), want) {
			t.Errorf("%s: got %s, want %q", what, out, want)
		}
	}
	s.checkNothingLeft(t, scratch)
}

func checkExit(t *testing.T, err error, want int) {
	t.Helper()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != want {
		t.Errorf("it ended with %v, want status %d", err, want)
	}
}

// workers returns the worker processes of this test, local and remote.
func (s sshServer) workers(t *testing.T) (pids []int) {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range list {
		line, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(line), s.bin+"/lathe\x00worker\x00") {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			pids = append(pids, pid)
		}
	}
	return pids
}

// checkNothingLeft waits until no worker and no file is left. The remote side learns of the end a
// little later.
func (s sshServer) checkNothingLeft(t *testing.T, scratch string) {
	t.Helper()
	deadline := time.Now().Add(10 * time.Second)
	for {
		list, err := os.ReadDir(scratch)
		if err != nil {
			t.Fatal(err)
		}
		pids := s.workers(t)
		if len(list) == 0 && len(pids) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("workers %v and %d folders are left", pids, len(list))
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// However a run ends, nothing stays on the other machine.
func TestSSHEnds(t *testing.T) {
	s := startSSH(t)
	for name, tt := range map[string]struct {
		end  func(t *testing.T, lathe *os.Process)
		exit int
		says string
	}{
		"interrupted": {func(_ *testing.T, p *os.Process) { _ = p.Signal(os.Interrupt) }, exitInterrupted, "interrupted"},
		"killed":      {func(_ *testing.T, p *os.Process) { _ = p.Kill() }, -1, ""},
		"the line": {func(t *testing.T, p *os.Process) {
			killChildren(t, p.Pid, "ssh")
		}, exitFailed, `ended by SIGKILL while running "testdata/digits.onnx"`},
		"the worker": {func(t *testing.T, _ *os.Process) {
			for _, pid := range s.workers(t) {
				_ = syscall.Kill(pid, syscall.SIGSEGV)
			}
		}, exitFailed, `ended with status 255, as with ssh when it crashes, while running "testdata/digits.onnx"`},
	} {
		t.Run(name, func(t *testing.T) {
			scratch := t.TempDir()
			cmd := s.lathe(t, "loop", scratch, "bench", "--send", "testdata/digits.onnx", "--seconds", "60", "--precision", "0.0001")
			var said strings.Builder
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			s.waitUntilBusy(t, scratch)
			tt.end(t, cmd.Process)
			err := cmd.Wait()
			checkExit(t, err, tt.exit)
			if !strings.Contains(said.String(), tt.says) {
				t.Errorf("it said %q, want %q", said.String(), tt.says)
			}
			if name == "the worker" { // a killed worker cannot clean up; the next one does it
				if out, err := s.lathe(t, "loop", scratch, "run-model", "--send", "testdata/digits.onnx").CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			s.checkNothingLeft(t, scratch)
		})
	}
}

// waitUntilBusy waits until a model has been sent and the worker has computed for longer than
// loading it takes.
func (s sshServer) waitUntilBusy(t *testing.T, scratch string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		sent, _ := filepath.Glob(scratch + "/*/1/model.onnx")
		pids := s.workers(t)
		if len(sent) == 1 && len(pids) == 1 && processorTime(pids[0]) > 600*time.Millisecond {
			return
		}
	}
	t.Fatal("no model was sent, or it does not run")
}

// processorTime is the CPU time that a process has used; see proc(5).
func processorTime(pid int) time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0 // it has ended
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	const ticks = 100 // per second, on every Linux
	return time.Duration(user+system) * time.Second / ticks
}

// killChildren kills the child processes that have a name.
func killChildren(t *testing.T, parent int, name string) {
	t.Helper()
	list, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	prefix := fmt.Sprintf("(%s) ", name)
	for _, path := range list {
		text, _ := os.ReadFile(path)
		at := strings.Index(string(text), prefix)
		if at < 0 {
			continue
		}
		fields := strings.Fields(string(text)[at+len(prefix):])
		if len(fields) > 1 && fields[1] == strconv.Itoa(parent) {
			pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}
