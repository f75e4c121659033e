package command

import (
	"context"
	"errors"
	"fmt"
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

// slurm is a Slurm cluster of the test's own on the loopback device: a controller and two nodes.
// Each node has a GPU, for which /dev/null is used. The cluster needs no system daemon and no root,
// and writes to one folder only.
type slurm struct {
	dir, conf string
	user      string
	lathe     string
	library   string // ONNX Runtime
}

const slurmConf = `ClusterName=lathe
SlurmctldHost=%[2]s(127.0.0.1)
SlurmctldPort=%[4]s
SlurmUser=%[3]s
SlurmdUser=%[3]s
AuthType=auth/munge
AuthInfo=socket=%[1]s/munge.socket
StateSaveLocation=%[1]s/state
SlurmdSpoolDir=%[1]s/%%n
SlurmctldPidFile=%[1]s/slurmctld.pid
SlurmdPidFile=%[1]s/%%n.pid
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
KillWait=2
GresTypes=gpu
NodeName=n1 NodeHostname=%[2]s NodeAddr=127.0.0.1 Port=%[5]s CPUs=2 RealMemory=500 Gres=gpu:1 State=UNKNOWN
NodeName=n2 NodeHostname=%[2]s NodeAddr=127.0.0.1 Port=%[6]s CPUs=2 RealMemory=500 Gres=gpu:1 State=UNKNOWN
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
`

// startSlurm skips the test where Slurm is not installed (Debian: slurm-wlm, munge).
func startSlurm(t *testing.T) slurm {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("looks for processes in /proc")
	}
	for _, program := range []string{"munged", "slurmctld", "slurmd", "srun", "salloc", "squeue", "sinfo", "scancel"} {
		if _, err := exec.LookPath(daemon(program)); err != nil {
			t.Skip("no Slurm here: install slurm-wlm and munge; ", err)
		}
	}
	t.Setenv("GORACE", "atexit_sleep_ms=0") // otherwise a process waits for a second at its end
	s := slurm{dir: t.TempDir(), library: orttest.Library(t)}
	host, errHost := os.Hostname()
	me, errUser := user.Current()
	lathe, errLathe := exec.LookPath("lathe")
	if err := errors.Join(errHost, errUser, errLathe, os.Mkdir(s.dir+"/state", 0o700)); err != nil {
		t.Fatal(err)
	}
	host, _, _ = strings.Cut(host, ".")
	s.conf, s.user, s.lathe = s.dir+"/slurm.conf", me.Username, lathe
	writeText(t, s.conf, fmt.Sprintf(slurmConf, s.dir, host, s.user, freePort(t), freePort(t), freePort(t)))
	writeText(t, s.dir+"/gres.conf", "NodeName=n1,n2 Name=gpu File=/dev/null\n")
	writeText(t, s.dir+"/key", strings.Repeat("a key for a test", 8))
	t.Setenv("SLURM_CONF", s.conf)
	t.Cleanup(func() { s.endProcesses(t) })
	s.startDaemon(t, "munged", "--foreground", "--force", "--key-file="+s.dir+"/key", "--socket="+s.dir+"/munge.socket",
		"--pid-file="+s.dir+"/munged.pid", "--log-file="+s.dir+"/munged.log", "--seed-file="+s.dir+"/seed")
	s.await(t, "munged", func() bool { _, err := os.Stat(s.dir + "/munge.socket"); return err == nil })
	s.startDaemon(t, "slurmctld", "-D")
	s.startDaemon(t, "slurmd", "-D", "-N", "n1")
	s.startDaemon(t, "slurmd", "-D", "-N", "n2")
	s.await(t, "two idle nodes", func() bool {
		out, _ := exec.Command("sinfo", "-h", "-N", "-o", "%t").Output()
		return string(out) == "idle\nidle\n"
	})
	t.Cleanup(s.endJobs) // before the daemons end
	return s
}

// daemon returns the path of a program that may not be on the PATH of ordinary users.
func daemon(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	return "/usr/sbin/" + name
}

// startDaemon runs a daemon until the end of the test.
func (s slurm) startDaemon(t *testing.T, name string, args ...string) {
	t.Helper()
	log, err := os.OpenFile(s.dir+"/daemons.log", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	cmd := exec.Command(daemon(name), args...)
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
}

// await waits until a condition holds. If it does not, the test fails for users who may run
// daemons, and is skipped for others.
func (s slurm) await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().Before(deadline) {
			continue
		}
		said, _ := os.ReadFile(s.dir + "/daemons.log")
		if os.Getuid() != 0 {
			t.Skipf("%s: Slurm does not start as this user:\n%s", what, said)
		}
		t.Fatalf("%s: Slurm does not start:\n%s", what, said)
	}
}

// endJobs cancels all jobs, also after a failure.
func (s slurm) endJobs() {
	_ = exec.Command("scancel", "--user="+s.user).Run()
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline) && s.queue() != ""; time.Sleep(50 * time.Millisecond) {
	}
}

// endProcesses kills what the daemons left behind, process by process.
func (s slurm) endProcesses(t *testing.T) {
	list, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range list {
		environ, _ := os.ReadFile(path)
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil && strings.Contains(string(environ), "SLURM_CONF="+s.conf) {
			t.Logf("ending process %d", pid)
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// queue lists the jobs with their names and states.
func (s slurm) queue() string {
	out, err := exec.Command("squeue", "-h", "-o", "%j %t").CombinedOutput()
	if err != nil {
		return err.Error()
	}
	return string(out)
}

// checkQueue waits until the queue has the expected content: a job that has ended stays in it for a
// moment.
func (s slurm) checkQueue(t *testing.T, want string) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); s.queue() != want; time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the queue is %q, want %q", s.queue(), want)
		}
	}
}

// command runs a small model behind a launcher.
func (s slurm) command(ctx context.Context, on string, args ...string) *exec.Cmd {
	return exec.CommandContext(ctx, s.lathe, append(args, "--send", "testdata/digits.onnx", "--runtime", s.library, "--on", on)...)
}

func TestSlurm(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	s := startSlurm(t)
	t.Run("launchers", s.testLaunchers)
	t.Run("inside of a step", s.testInsideStep)
	t.Run("ends", s.testEnds)
	t.Run("queue", s.testQueue)
}

func (s slurm) testLaunchers(t *testing.T) {
	for _, tt := range []struct{ launcher, want string }{
		{"srun --gres=gpu:1", "logits"},
		{"srun -n1 lathe worker", "logits"},
		{"srun -u -n1", "logits"},
		{"salloc -n1 srun", "logits"},
		{"bash -c 'echo Welcome; srun " + s.lathe + " worker'", "logits"},
		{"srun -n2", "the launcher started more than one worker (2); make it start one worker: srun -n1 -N1"},
		{"srun -u -N2", "the launcher started more than one worker (2)"},
		{"bash -c 'srun -N2 \"$@\"' bash", "the launcher started more than one worker (2)"},
		{"srun -l", "puts words before the lines that the worker sends; make it pass output on unchanged: no --label (-l) with srun"},
		{"srun -i none", "a worker started there and found its input closed"},
		{"srun -o log%t", "writes the worker's answers to a file"},
		{"srun --partition=none", "invalid partition"},
		{"srun --gres=gpu:9", "requested node configuration is not available"},
		{"srun sh -c 'sleep 1000' sh", "no worker answered within 2s"},
	} {
		t.Run(tt.launcher, func(t *testing.T) {
			args := []string{"run-model"}
			if strings.Contains(tt.want, "2s") {
				args = append(args, "--start-timeout", "2s")
			}
			out, err := s.command(t.Context(), tt.launcher, args...).CombinedOutput()
			if (err == nil) != (tt.want == "logits") || !strings.Contains(strings.ToLower(string(out)), strings.ToLower(tt.want)) {
				t.Errorf("got %v\n%s\nwant %s", err, out, tt.want)
			}
			s.checkQueue(t, "")
		})
	}
}

// testInsideStep runs lathe twice in one Slurm step. Each process starts its own worker. That two
// run at the same time is not reported as a mistake in the launcher, because the launcher did not
// start both.
func (s slurm) testInsideStep(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "srun", append([]string{"-n2", s.lathe}, s.command(t.Context(), "env", "run-model").Args[1:]...)...).CombinedOutput()
	if err != nil || strings.Count(string(out), "logits") != 2 {
		t.Errorf("%v\n%s", err, out)
	}
}

// However a run ends, no job stays in the queue.
func (s slurm) testEnds(t *testing.T) {
	for name, tt := range map[string]struct {
		end  func(*os.Process)
		exit int
		says string
	}{
		"interrupted": {func(p *os.Process) { _ = p.Signal(os.Interrupt) }, exitInterrupted, "interrupted"},
		"killed":      {func(p *os.Process) { _ = p.Kill() }, -1, ""},
		"cancelled":   {func(*os.Process) { _ = exec.Command("scancel", "--user="+s.user).Run() }, exitFailed, "ended with status"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := s.command(t.Context(), "srun --gres=gpu:1", "bench", "--seconds", "60", "--precision", "0.0001")
			var said strings.Builder
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			s.checkQueue(t, "lathe R\n")
			time.Sleep(time.Second) // on most machines a run is in progress by then; if not, it must end as well
			tt.end(cmd.Process)
			checkExit(t, cmd.Wait(), tt.exit)
			if !strings.Contains(said.String(), tt.says) {
				t.Errorf("it said %q, want %q", said.String(), tt.says)
			}
			s.checkQueue(t, "")
		})
	}
}

// A job that waits for resources is cancelled if the command is interrupted.
func (s slurm) testQueue(t *testing.T) {
	holder := exec.CommandContext(t.Context(), "srun", "-N2", "--exclusive", "sleep", "1000")
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	const held = "sleep R\n"
	s.checkQueue(t, held)
	out, err := s.command(t.Context(), "srun --gres=gpu:1", "run-model", "--start-timeout", "2s").CombinedOutput()
	checkExit(t, err, exitFailed)
	if !strings.Contains(string(out), "queued and waiting for resources; if the connection is slow or a queue has to be waited for, raise --start-timeout") {
		t.Errorf("got %s", out)
	}
	s.checkQueue(t, held)
	waiting := s.command(t.Context(), "srun --gres=gpu:1", "run-model")
	if err := waiting.Start(); err != nil {
		t.Fatal(err)
	}
	s.checkQueue(t, "lathe PD\n"+held)
	_ = waiting.Process.Signal(os.Interrupt)
	checkExit(t, waiting.Wait(), exitInterrupted)
	s.checkQueue(t, held)
	_ = holder.Process.Signal(syscall.SIGTERM)
	_ = holder.Wait()
	s.checkQueue(t, "")
}
