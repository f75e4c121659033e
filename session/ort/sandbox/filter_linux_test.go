package sandbox

import (
	"slices"
	"testing"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// The kernel's numbers for the machine and the fields that a filter reads.
const (
	amd64    = 0xc000003e
	i386     = 0x40000003
	x32      = 0x40000000
	argument = 16 // offset of the first argument
)

// asked runs a filter for one system call. Classic BPF reads big-endian words, a seccomp filter reads
// native ones, so the data is written the other way round.
func asked(t *testing.T, program []bpf.Instruction, machine, call uint32, arguments ...uint64) uint32 {
	t.Helper()
	data := make([]byte, 64)
	put := func(at int, word uint32) {
		data[at], data[at+1], data[at+2], data[at+3] = byte(word>>24), byte(word>>16), byte(word>>8), byte(word)
	}
	put(0, call)
	put(4, machine)
	for i, a := range arguments {
		put(argument+8*i, uint32(a))
		put(argument+8*i+4, uint32(a>>32))
	}
	vm, err := bpf.NewVM(program)
	if err != nil {
		t.Fatal(err)
	}
	action, err := vm.Run(data)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(action)
}

func TestFilter(t *testing.T) {
	const allow, trap, unknown = unix.SECCOMP_RET_ALLOW, unix.SECCOMP_RET_TRAP, unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	self := uint64(unix.Getpid())
	p := policy(false)
	cpu, err := p.Assemble()
	if err != nil {
		t.Fatal(err)
	}
	s := policy(true, everyCall()...)
	start, err := s.Assemble()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name               string
		machine, call      uint32
		arguments          []uint64
		atStart, with, cpu uint32
	}{
		{"read", amd64, unix.SYS_READ, nil, allow, allow, allow},
		{"execve", amd64, unix.SYS_EXECVE, nil, trap, trap, trap},
		{"execveat", amd64, unix.SYS_EXECVEAT, nil, trap, trap, trap},
		{"socket", amd64, unix.SYS_SOCKET, nil, trap, trap, trap},
		{"a thread", amd64, unix.SYS_CLONE, []uint64{unix.CLONE_THREAD | unix.CLONE_VM}, allow, allow, allow},
		{"a process", amd64, unix.SYS_CLONE, []uint64{unix.CLONE_VM | unix.CLONE_VFORK}, trap, trap, trap},
		{"clone3", amd64, unix.SYS_CLONE3, nil, unknown, unknown, unknown},
		{"a signal to itself", amd64, unix.SYS_TGKILL, []uint64{self, 1, 6}, allow, allow, allow},
		{"a signal to another", amd64, unix.SYS_TGKILL, []uint64{self + 1, 1, 6}, trap, trap, trap},
		{"a signal to a number that looks alike", amd64, unix.SYS_TGKILL, []uint64{self | 1<<32, 1, 6}, trap, trap, trap},
		{"setting a limit", amd64, unix.SYS_PRLIMIT64, []uint64{0, 0, 1}, allow, trap, trap},
		{"asking for a limit", amd64, unix.SYS_PRLIMIT64, []uint64{0, 0, 0}, allow, allow, allow},
		{"another ruleset", amd64, unix.SYS_LANDLOCK_RESTRICT_SELF, nil, allow, trap, trap},
		{"controlling a device", amd64, unix.SYS_IOCTL, []uint64{3, 0xc020462a}, allow, allow, trap},
		{"asking for a terminal", amd64, unix.SYS_IOCTL, []uint64{1, unix.TCGETS}, allow, allow, allow},
		{"typing into a terminal", amd64, unix.SYS_IOCTL, []uint64{1, unix.TIOCSTI}, allow, allow, trap},
		{"copying a descriptor", amd64, unix.SYS_FCNTL, []uint64{3, unix.F_DUPFD_CLOEXEC, 3}, allow, allow, allow},
		{"not waiting", amd64, unix.SYS_FCNTL, []uint64{3, unix.F_SETFL, unix.O_NONBLOCK}, allow, allow, allow},
		{"signals for data", amd64, unix.SYS_FCNTL, []uint64{3, unix.F_SETFL, unix.O_NONBLOCK | unix.O_ASYNC}, trap, trap, trap},
		{"an owner who is signalled", amd64, unix.SYS_FCNTL, []uint64{3, unix.F_SETOWN, 1}, trap, trap, trap},
		{"the signal for an owner", amd64, unix.SYS_FCNTL, []uint64{3, unix.F_SETSIG, 9}, trap, trap, trap},
		{"a lease", amd64, unix.SYS_FCNTL, []uint64{3, unix.F_SETLEASE, 0}, trap, trap, trap},
		{"watching a folder", amd64, unix.SYS_FCNTL, []uint64{3, unix.F_NOTIFY, 1}, trap, trap, trap},
		{"ptrace", amd64, unix.SYS_PTRACE, nil, trap, trap, trap},
		{"chmod", amd64, unix.SYS_CHMOD, nil, trap, trap, trap},
		{"io_uring_setup", amd64, unix.SYS_IO_URING_SETUP, nil, trap, trap, trap},
		{"a call of i386", i386, 3, nil, trap, trap, trap},
		{"a number without a call", amd64, 4000, nil, trap, trap, trap},
	} {
		gpu := policy(false, additionOf("cuda").calls...)
		with, err := gpu.Assemble()
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range []struct {
			when    string
			program []bpf.Instruction
			want    uint32
		}{{"at the start", start, c.atStart}, {"with a GPU", with, c.with}, {"on the CPU", cpu, c.cpu}} {
			if got := asked(t, f.program, c.machine, c.call, c.arguments...); got != f.want {
				t.Errorf("%s %s: %#x, want %#x", c.name, f.when, got, f.want)
			}
		}
	}
	if got := asked(t, cpu, amd64, x32|unix.SYS_READ); got == allow {
		t.Error("a call of x32 passes")
	}
}

// Landlock does not decide about these, so no list may have them.
func TestNoListChangesFiles(t *testing.T) {
	for _, call := range []string{"chmod", "fchmod", "fchmodat", "chown", "fchown", "lchown", "fchownat", "utime", "utimes", "utimensat", "setxattr", "execve", "socket", "ptrace", "mount", "io_uring_setup"} {
		for name, list := range map[string][]string{"files": fileCalls, "wait": waitCalls, "memory": memoryCalls, "threads": threadCalls, "facts": factCalls, "start": startCalls, "providers": everyCall()} {
			if slices.Contains(list, call) {
				t.Errorf("%s is in the list %s", call, name)
			}
		}
	}
}
