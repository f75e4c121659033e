package ort

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// waitFor polls until something holds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); !holds(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited 20 s for %s", what)
		}
	}
}

// TestInstallCancelled holds that the client and its children end, and nothing is left.
func TestInstallCancelled(t *testing.T) {
	h := newHost(t)
	h.client(t, "python3", "sleep 300 & echo $! > "+h.path("child")+"; touch "+h.path("ready")+"; wait")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := h.install(ctx)
		done <- err
	}()
	waitFor(t, "the client to start", func() bool { _, err := os.Stat(h.path("ready")); return err == nil })
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("%v, expected context.Canceled", err)
	}
	raw, err := os.ReadFile(h.path("child"))
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(raw)))
	if err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the client's child to end", func() bool { return !isRunning(pid) })
	if diff := cmp.Diff([]string{}, h.store()); diff != "" {
		t.Error(diff)
	}
}

// isRunning does not count a process that has ended and waits to be reaped by whoever adopted it.
func isRunning(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// TestInstallCancelledUnpacking cancels while the archive is read: it is kept, and used by the next.
func TestInstallCancelledUnpacking(t *testing.T) {
	h := newHost(t).withPip(t)
	ctx, cancel := context.WithCancel(t.Context())
	h.in.Progress = func(p Progress) {
		if p.Phase == PhaseUnpack {
			cancel()
		}
	}
	_, err := h.install(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, expected context.Canceled", err)
	}
	checkError(t, err, "the download is kept for the next attempt")
	if diff := cmp.Diff([]string{keptPrefix + TestedVersion}, h.store()); diff != "" {
		t.Error(diff)
	}
	h.in.Progress = nil
	if _, err := h.install(t.Context()); err != nil || len(h.calls()) != 1 {
		t.Errorf("the second time: %v, calls %q", err, h.calls())
	}
	if diff := cmp.Diff([]string{TestedVersion}, h.store()); diff != "" {
		t.Error(diff)
	}
}

// TestInstallKept sets up what a killed process left in the store.
func TestInstallKept(t *testing.T) {
	good := newHost(t).wheel
	forged := makeZip(t, entry{name: "onnxruntime/capi/libonnxruntime.so." + TestedVersion, body: string(runtimeELF(TestedVersion)) + "evil"})
	tgz := makeTgz(t, entry{name: "package/bin/napi-v6/linux/x64/libonnxruntime.so.1", body: string(runtimeELF(nodeVersion))})
	for name, c := range map[string]struct {
		files map[string][]byte
		calls int
	}{
		"whole":         {map[string][]byte{keptPrefix + TestedVersion + "/a.whl": good}, 0},
		"of npm":        {map[string][]byte{keptPrefix + TestedVersion + "/a.tgz": tgz}, 0},
		"cut short":     {map[string][]byte{keptPrefix + TestedVersion + "/a.whl": good[:len(good)/2]}, 1},
		"forged":        {map[string][]byte{keptPrefix + TestedVersion + "/a.whl": forged}, 1},
		"wrong kind":    {map[string][]byte{keptPrefix + TestedVersion + "/a.tgz": good}, 1},
		"two":           {map[string][]byte{keptPrefix + TestedVersion + "/a.whl": good, keptPrefix + TestedVersion + "/b.whl": good}, 1},
		"of another":    {map[string][]byte{".fetched-1.24.3/a.whl": good}, 1},
		"never there":   {nil, 1},
		"half a folder": {map[string][]byte{".install-1/fetch-2/a.whl": good}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHost(t).withPip(t)
			h.in.table = append(h.in.table, release{nodeVersion, nodePackage, "", int64(len(tgz)), sumOf(tgz)})
			for file, content := range c.files {
				writeFile(t, filepath.Join(runtimeStore(h.in.CacheDir), file), content)
			}
			lib, err := h.install(t.Context())
			if err != nil || !lib.Usable {
				t.Fatalf("%+v %v", lib, err)
			}
			raw, _ := os.ReadFile(h.path("calls"))
			if got := strings.Count(string(raw), "\n"); got != c.calls {
				t.Errorf("%d calls, expected %d", got, c.calls)
			}
			if diff := cmp.Diff([]string{lib.Version}, h.store()); diff != "" {
				t.Error(diff)
			}
			if want := map[bool]string{true: nodeVersion, false: TestedVersion}[name == "of npm"]; lib.Version != want {
				t.Errorf("installed %s, expected %s", lib.Version, want)
			}
		})
	}
}

// TestInstallStartsOver holds that it is told when a download begins again.
func TestInstallStartsOver(t *testing.T) {
	for _, cutShort := range []bool{true, false} {
		h := newHost(t).withPip(t)
		if cutShort {
			writeFile(t, filepath.Join(runtimeStore(h.in.CacheDir), ".install-1/fetch-2/scratch/half.whl"), []byte("PK"))
		}
		told := false
		h.in.Progress = func(p Progress) { told = told || strings.Contains(p.Detail, "starts over") }
		if _, err := h.install(t.Context()); err != nil || told != cutShort {
			t.Errorf("%v, told %t, expected %t", err, told, cutShort)
		}
	}
}

func TestHashFileCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	file := writeFile(t, filepath.Join(t.TempDir(), "x"), []byte("content"))
	if _, err := hashFile(ctx, file, func(int64) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, expected context.Canceled", err)
	}
}

// TestInstallInParallel holds that many at once fetch once, and all get the same.
func TestInstallInParallel(t *testing.T) {
	h := newHost(t).withPip(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if lib, err := h.install(t.Context()); err != nil || !lib.Usable {
				t.Errorf("%+v %v", lib, err)
			}
		})
	}
	wg.Wait()
	if len(h.calls()) != 1 {
		t.Errorf("fetched %d times", len(h.calls()))
	}
	if diff := cmp.Diff([]string{TestedVersion}, h.store()); diff != "" {
		t.Error(diff)
	}
}

// TestInstallWaits holds that a wait for another process is told and can be cancelled.
func TestInstallWaits(t *testing.T) {
	h := newHost(t).withPip(t)
	store := runtimeStore(h.in.CacheDir)
	if err := os.MkdirAll(store, 0o755); err != nil {
		t.Fatal(err)
	}
	unlock, err := lockStore(t.Context(), store, func() {})
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := unlock(); err != nil {
			t.Error(err)
		}
	}()
	ctx, cancel := context.WithCancel(t.Context())
	h.in.Progress = func(p Progress) {
		if p.Phase == PhaseWait {
			cancel()
		}
	}
	if _, err := h.install(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, expected context.Canceled", err)
	}
}

// TestInstallSweeps holds that the remains of a killed installation go, and other versions stay.
func TestInstallSweeps(t *testing.T) {
	h := newHost(t).withPip(t)
	store := runtimeStore(h.in.CacheDir)
	writeFile(t, filepath.Join(store, workPrefix+"123/fetch-1/half.whl"), []byte("PK"))
	writeFile(t, filepath.Join(store, "1.24.3/libonnxruntime.so.1"), runtimeELF("1.24.3"))
	if _, err := h.install(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"1.24.3", TestedVersion}, h.store()); diff != "" {
		t.Error(diff)
	}
}

func TestInstallUnwritable(t *testing.T) {
	h := newHost(t).withPip(t)
	writeFile(t, filepath.Join(h.in.CacheDir, "lathe"), []byte("a file where a folder must be"))
	_, err := h.install(t.Context())
	checkError(t, err, "cache folder: mkdir "+filepath.Join(h.in.CacheDir, "lathe")+": not a directory")
}

// TestInstallDiskFull runs itself in a process whose files may not grow past 20 KB.
func TestInstallDiskFull(t *testing.T) {
	const variable = "LATHE_TEST_INSTALL_INTO"
	root := os.Getenv(variable)
	if root == "" {
		root = t.TempDir()
		child := exec.Command(os.Args[0], "-test.run=^TestInstallDiskFull$")
		child.Env = append(os.Environ(), variable+"="+root)
		if out, err := child.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	h := newHost(t)
	h.root, h.in.CacheDir, h.in.Path = root, filepath.Join(root, "cache"), filepath.Join(root, "bin")
	lib := string(runtimeELF("1.31.1")) + strings.Repeat("0123456789", 4000)
	h.in.From = writeFile(t, h.path("x.whl"), makeZip(t, entry{name: "libonnxruntime.so.1.31.1", body: lib}))
	h.in.SHA256 = sumOf(makeZip(t, entry{name: "libonnxruntime.so.1.31.1", body: lib}))
	signal.Ignore(syscall.SIGXFSZ)
	limit := syscall.Rlimit{Cur: 20_000, Max: 20_000}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	_, err := h.install(t.Context())
	if !errors.Is(err, syscall.EFBIG) {
		t.Errorf("%v, expected %v", err, syscall.EFBIG)
	}
	checkError(t, err, `x.whl: member "libonnxruntime.so.1.31.1": write `)
	if diff := cmp.Diff([]string{}, h.store()); diff != "" {
		t.Error(diff)
	}
	h.client(t, "python3", "cp "+h.in.From+" .")
	h.in.From, h.in.Version = "", "1.31.1"
	_, err = h.install(t.Context())
	checkError(t, err, "file too large (the download is kept for the next attempt)")
	if diff := cmp.Diff([]string{keptPrefix + "1.31.1"}, h.store()); diff != "" {
		t.Error(diff)
	}
}
