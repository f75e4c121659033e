package sandbox

// These lists name the system calls that a worker can make; all others are refused. They were read
// off traces of runs and completed by their close relatives, such as pwritev beside pwrite64.

// fileCalls act on files. Which files they can open is Landlock's decision. Calls that change the mode,
// owner, time or attributes of a file are missing, because Landlock does not decide about them.
var fileCalls = []string{
	"read", "write", "close", "fstat", "newfstatat", "stat", "lstat", "statx", "lseek", "pread64", "pwrite64", "readv", "writev", "preadv", "pwritev",
	"open", "openat", "openat2", "access", "faccessat", "faccessat2", "readlink", "readlinkat", "getdents64", "getcwd", "flock", "dup", "dup2", "dup3",
	"ftruncate", "fallocate", "mkdir", "mkdirat", "unlink", "unlinkat", "rmdir", "rename", "renameat", "renameat2", "symlink", "symlinkat", "fsync", "fdatasync",
	"fadvise64", "copy_file_range", "sendfile", "statfs", "fstatfs", "umask",
}

// waitCalls wait for descriptors that are open already.
var waitCalls = []string{
	"pipe", "pipe2", "poll", "ppoll", "select", "pselect6", "epoll_create1", "epoll_ctl", "epoll_pwait", "epoll_pwait2", "epoll_wait", "eventfd2",
}

// memoryCalls act on the memory of the process itself.
var memoryCalls = []string{
	"mmap", "munmap", "mprotect", "mremap", "madvise", "brk", "mincore", "msync", "membarrier", "get_mempolicy", "set_mempolicy", "pkey_alloc", "pkey_free", "pkey_mprotect",
}

// threadCalls act on threads of the process.
var threadCalls = []string{
	"futex", "set_robust_list", "get_robust_list", "rseq", "set_tid_address", "gettid", "sched_yield", "sched_getaffinity", "sched_setaffinity", "sched_getparam",
	"sched_getscheduler", "sched_getattr", "sched_get_priority_max", "sched_get_priority_min", "getcpu", "getpriority", "arch_prctl",
	"rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "rt_sigpending", "rt_sigtimedwait", "sigaltstack", "restart_syscall", "exit", "exit_group",
}

// factCalls ask for facts.
var factCalls = []string{
	"getpid", "getppid", "getuid", "geteuid", "getgid", "getegid", "getrandom", "uname", "sysinfo", "times", "getrusage", "getrlimit",
	"gettimeofday", "time", "clock_gettime", "clock_getres", "clock_nanosleep", "nanosleep",
}

// startCalls are needed until the first model is loaded, to set the limits themselves.
var startCalls = []string{
	"tkill", "landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self", "seccomp", "prctl", "prlimit64", "setrlimit", "close_range",
}

// unknownCalls are refused as if the kernel did not know them, because the C library then takes an
// older call, whose arguments a filter can read.
var unknownCalls = []string{"clone3"}
