package sandbox

import (
	"fmt"
	"os"
	"slices"

	"github.com/elastic/go-seccomp-bpf"
	"golang.org/x/sys/unix"
)

// prSetVMA is PR_SET_VMA, with which allocators name their memory.
const prSetVMA = 0x53564d41

// only returns a rule that permits a call if an argument has one of the values.
func only(call string, argument uint32, values ...uint64) []seccomp.NameWithConditions {
	var out []seccomp.NameWithConditions
	for _, v := range values {
		out = append(out, seccomp.NameWithConditions{Name: call, Conditions: seccomp.ArgumentConditions{{Argument: argument, Operation: seccomp.Equal, Value: v}}})
	}
	return out
}

// fcntlCommands copy descriptors, ask for their flags, lock files and seal memory. Others would let the
// kernel send a signal of the worker's choice to any process of the user (F_SETOWN with F_SETSIG), or
// watch folders (F_NOTIFY) and who opens a file (F_SETLEASE).
var fcntlCommands = []uint64{
	unix.F_DUPFD, unix.F_DUPFD_CLOEXEC, unix.F_GETFD, unix.F_SETFD, unix.F_GETFL, unix.F_GETLK, unix.F_SETLK, unix.F_SETLKW,
	unix.F_OFD_GETLK, unix.F_OFD_SETLK, unix.F_OFD_SETLKW, unix.F_ADD_SEALS, unix.F_GET_SEALS, unix.F_GETPIPE_SZ, unix.F_SETPIPE_SZ,
}

// withoutSignals permits setting the flags of a descriptor, but not that it announces data by a signal.
var withoutSignals = seccomp.NameWithConditions{Name: "fcntl", Conditions: seccomp.ArgumentConditions{
	{Argument: 1, Operation: seccomp.Equal, Value: unix.F_SETFL},
	{Argument: 2, Operation: seccomp.BitsNotSet, Value: unix.O_ASYNC},
}}

// bounded permits calls with harmless arguments: to start a thread but no process, to signal this
// process but no other one, to ask for a limit but not to set one.
func bounded() []seccomp.NameWithConditions {
	self := uint64(os.Getpid())
	return slices.Concat(
		[]seccomp.NameWithConditions{{Name: "clone", Conditions: seccomp.ArgumentConditions{{Argument: 0, Operation: seccomp.BitsSet, Value: unix.CLONE_THREAD}}}},
		only("tgkill", 0, self), only("kill", 0, self),
		only("prlimit64", 2, 0),
		only("prctl", 0, unix.PR_SET_NAME, unix.PR_GET_NAME, prSetVMA, unix.PR_GET_DUMPABLE, unix.PR_GET_SECCOMP, unix.PR_CAPBSET_READ),
		only("ioctl", 1, unix.TCGETS),
		only("fcntl", 1, fcntlCommands...), []seccomp.NameWithConditions{withoutSignals},
	)
}

// policy permits the calls of a worker, with those of providers and, until the first model, those
// that set the limits. Any other call raises SIGSYS, whose handler notes it and lets it fail.
func policy(start bool, more ...string) seccomp.Policy {
	names := slices.Concat(fileCalls, waitCalls, memoryCalls, threadCalls, factCalls, more)
	if start {
		names = append(names, startCalls...)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	conditional := slices.DeleteFunc(bounded(), func(n seccomp.NameWithConditions) bool { return slices.Contains(names, n.Name) })
	return seccomp.Policy{
		DefaultAction: seccomp.ActionTrap,
		Syscalls: []seccomp.SyscallGroup{
			{Names: names, NamesWithCondtions: conditional, Action: seccomp.ActionAllow},
			{Names: unknownCalls, Action: seccomp.ActionErrno | seccomp.Action(unix.ENOSYS)},
		},
	}
}

// filter applies a policy to every thread of the process.
func filter(p seccomp.Policy) error {
	err := seccomp.LoadFilter(seccomp.Filter{NoNewPrivs: true, Flag: seccomp.FilterFlagTSync, Policy: p})
	if err != nil {
		return fmt.Errorf("limiting system calls: %w", err)
	}
	return nil
}

// everyCall returns the calls that any provider needs.
func everyCall() []string {
	calls := slices.Clone(accelerator.calls)
	for _, a := range additions {
		calls = append(calls, a.calls...)
	}
	return calls
}
