// A library of one operator, lathe.test:Escape, which tries to leave the sandbox. Its input is the
// number of an attempt, its output {1 if it succeeded, errno}. The Go test reads the names of the
// attempts from this file, and what must be reported: a system call, "-" for access to files, or
// SIGSYS if the C library blocks that signal, so that the attempt ends the worker.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <netinet/in.h>
#include <termios.h>
#include <unistd.h>

#include "onnxruntime_c_api.h"

extern char **environ;
static const OrtApi *api;

static const char *secret(void) { return getenv("LATHE_ESCAPE_FILE"); }
static const char *outside(const char *name) {
  static char path[4096];
  snprintf(path, sizeof path, "%s/%s", getenv("LATHE_ESCAPE_FOLDER"), name);
  return path;
}
static const char *model(void) { return getenv("LATHE_ESCAPE_MODEL"); }
static const char *of_parent(const char *name) {
  static char path[4096];
  snprintf(path, sizeof path, "/proc/%d/%s", getppid(), name);
  return path;
}

static int reads(const char *path) { return open(path, O_RDONLY); }
static int writes(const char *path) { return open(path, O_WRONLY); }
static int creates(const char *path) { return open(path, O_WRONLY | O_CREAT, 0600); }
static int lists(const char *path) { return opendir(path) ? 0 : -1; }

static int below_root(void) {
  char path[4096];
  snprintf(path, sizeof path, "/proc/self/root%s", secret());
  return reads(path);
}
static int streams(void) { return fopen(secret(), "r") ? 0 : -1; }
static int by_how(void) {
  unsigned long how[3] = {O_RDONLY, 0, 0};
  return syscall(SYS_openat2, AT_FDCWD, secret(), how, sizeof how);
}
static int path_then_read(void) {
  int fd = open(secret(), O_PATH);
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  int again = reads(path), why = errno;
  close(fd);
  errno = why;
  return again;
}
static int of_parent_root(void) {
  char path[4096];
  snprintf(path, sizeof path, "/proc/%d/root%s", getppid(), secret());
  return reads(path);
}
static int linked(void) {
  if (symlink(secret(), "/tmp/lathe-escape-link")) return -1;
  return reads("/tmp/lathe-escape-link");
}
static int variable(const char *name) { errno = ENOENT; return getenv(name) ? 0 : -1; }
static int variable_in_list(void) {
  for (char **e = environ; *e; e++) if (strstr(*e, "hunter2")) return 0;
  errno = ENOENT;
  return -1;
}
static int variable_in_proc(void) {
  static char text[1 << 20];
  int fd = open("/proc/self/environ", O_RDONLY);
  ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text);
  errno = ENOENT;
  return n > 0 && memmem(text, n, "hunter2", 7) ? 0 : -1;
}
static int inherited(void) { return fcntl(77, F_GETFD); }
static int inherited_by_name(void) {
  char path[64], to[4096];
  for (int fd = 3; fd < 1024; fd++) {
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(path, to, sizeof to - 1);
    if (n > 0 && (to[n] = 0, !strcmp(to, secret()))) return 0;
  }
  errno = EBADF;
  return -1;
}
static int connects(int family) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(atoi(getenv("LATHE_ESCAPE_PORT")))};
  a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int s = socket(family, SOCK_STREAM, 0);
  return s < 0 ? -1 : connect(s, (struct sockaddr *)&a, sizeof a);
}
static int pair(void) { int s[2]; return socketpair(AF_UNIX, SOCK_STREAM, 0, s); }
static int executes(void) { char *a[] = {"/bin/true", NULL}; return execve(a[0], a, environ); }
static int spawns(void) {
  char *a[] = {"/bin/true", NULL};
  pid_t p;
  int e = posix_spawn(&p, a[0], NULL, NULL, a, environ);
  errno = e;
  return e ? -1 : 0;
}
static int pipes(void) { FILE *f = popen("true", "r"); return f ? 0 : -1; }
static int shell(void) { return system("true") == 0 ? 0 : -1; }
static int child(int made) { if (made == 0) _exit(0); return made; }
static int core(void) { struct rlimit l = {RLIM_INFINITY, RLIM_INFINITY}; return setrlimit(RLIMIT_CORE, &l); }
static int files(void) { struct rlimit l = {RLIM_INFINITY, RLIM_INFINITY}; return setrlimit(RLIMIT_FSIZE, &l); }
static int limits_parent(void) { struct rlimit l = {0, 0}; return syscall(SYS_prlimit64, getppid(), RLIMIT_NOFILE, &l, NULL); }
static int reads_parent(void) {
  char b[16];
  struct { void *p; size_t n; } l = {b, 16}, r = {(void *)0x400000, 16};
  return syscall(SYS_process_vm_readv, getppid(), &l, 1, &r, 1, 0);
}
static int writes_parent(void) {
  char b[16] = {0};
  struct { void *p; size_t n; } l = {b, 16}, r = {(void *)0x400000, 16};
  return syscall(SYS_process_vm_writev, getppid(), &l, 1, &r, 1, 0);
}
static int pipe_end(void) { int p[2]; return pipe(p) ? -1 : p[0]; }
static int owns_newly(void) {
  struct f_owner_ex owner = {F_OWNER_PID, getppid()};
  return fcntl(pipe_end(), F_SETOWN_EX, &owner);
}
static int types(void) { char c = 'x'; return ioctl(2, TIOCSTI, &c); }
static int dumps(void) { return prctl(PR_SET_DUMPABLE, 1, 0, 0, 0); }

#define RAW(name, ...) syscall(SYS_##name, ##__VA_ARGS__)

#define ATTEMPTS(CASE) \
  CASE("read a secret", "-", reads(secret())) \
  CASE("read a secret as a stream", "-", streams()) \
  CASE("read a secret by open", "-", RAW(open, secret(), O_RDONLY, 0)) \
  CASE("read a secret by openat", "-", RAW(openat, AT_FDCWD, secret(), O_RDONLY, 0)) \
  CASE("read a secret by openat2", "-", by_how()) \
  CASE("read a secret by creat", "creat", RAW(creat, secret(), 0600)) \
  CASE("read a secret through the root of this process", "-", below_root()) \
  CASE("read a secret through the root of the parent", "-", of_parent_root()) \
  CASE("read a secret through a path descriptor", "-", path_then_read()) \
  CASE("read a secret through a symbolic link", "-", linked()) \
  CASE("read a secret with writing", "-", open(secret(), O_RDWR)) \
  CASE("read a secret by its handle", "open_by_handle_at", RAW(open_by_handle_at, AT_FDCWD, secret(), O_RDONLY)) \
  CASE("get the handle of a secret", "name_to_handle_at", RAW(name_to_handle_at, AT_FDCWD, secret(), NULL, NULL, 0)) \
  CASE("list the folder of a secret", "-", lists(outside("."))) \
  CASE("list the home folder", "-", lists(getenv("LATHE_ESCAPE_PLACE"))) \
  CASE("list the root", "-", lists("/")) \
  CASE("list /root", "-", lists("/root")) \
  CASE("list /home", "-", lists("/home")) \
  CASE("list /tmp", "-", lists("/tmp")) \
  CASE("list /etc", "-", lists("/etc")) \
  CASE("list /proc", "-", lists("/proc")) \
  CASE("list /dev", "-", lists("/dev")) \
  CASE("list /var", "-", lists("/var")) \
  CASE("list the descriptors of the parent", "-", lists(of_parent("fd"))) \
  CASE("list the threads of the parent", "-", lists(of_parent("task"))) \
  CASE("read /etc/passwd", "-", reads("/etc/passwd")) \
  CASE("read /etc/shadow", "-", reads("/etc/shadow")) \
  CASE("read /etc/hosts", "-", reads("/etc/hosts")) \
  CASE("read /etc/resolv.conf", "-", reads("/etc/resolv.conf")) \
  CASE("read /etc/machine-id", "-", reads("/etc/machine-id")) \
  CASE("read /etc/skel/.bashrc", "-", reads("/etc/skel/.bashrc")) \
  CASE("read /etc/skel/.profile", "-", reads("/etc/skel/.profile")) \
  CASE("read the environment of the parent", "-", reads(of_parent("environ"))) \
  CASE("read the memory of the parent", "-", reads(of_parent("mem"))) \
  CASE("read the arguments of the parent", "-", reads(of_parent("cmdline"))) \
  CASE("read the maps of the parent", "-", reads(of_parent("maps"))) \
  CASE("read the status of the parent", "-", reads(of_parent("status"))) \
  CASE("read the arguments of process 1", "-", reads("/proc/1/cmdline")) \
  CASE("read the environment of process 1", "-", reads("/proc/1/environ")) \
  CASE("read the kernel's symbols", "-", reads("/proc/kallsyms")) \
  CASE("read the kernel's memory", "-", reads("/proc/kcore")) \
  CASE("read the kernel's arguments", "-", reads("/proc/cmdline")) \
  CASE("read the mounts of process 1", "-", reads("/proc/1/mounts")) \
  CASE("read /dev/mem", "-", reads("/dev/mem")) \
  CASE("read /dev/kmsg", "-", reads("/dev/kmsg")) \
  CASE("open the terminal", "-", open("/dev/tty", O_RDWR)) \
  CASE("open a new terminal", "-", open("/dev/ptmx", O_RDWR)) \
  CASE("open a loop device", "-", open("/dev/loop0", O_RDWR)) \
  CASE("open a virtual machine", "-", open("/dev/kvm", O_RDWR)) \
  CASE("open a file system in user space", "-", open("/dev/fuse", O_RDWR)) \
  CASE("read the environment: a token", "-", variable("SECRET_TOKEN")) \
  CASE("read the environment: a key of a cloud", "-", variable("AWS_SECRET_ACCESS_KEY")) \
  CASE("read the environment: an agent of ssh", "-", variable("SSH_AUTH_SOCK")) \
  CASE("read the environment: an allowed beginning", "-", variable("LATHE_API_TOKEN")) \
  CASE("read the environment: the whole list", "-", variable_in_list()) \
  CASE("read the environment: as the kernel kept it", "-", variable_in_proc()) \
  CASE("use an inherited descriptor", "-", inherited()) \
  CASE("find an inherited descriptor", "-", inherited_by_name()) \
  CASE("create a file outside", "-", creates(outside("new"))) \
  CASE("create a file in /tmp", "-", creates("/tmp/lathe-escape")) \
  CASE("create a file in /dev/shm", "-", creates("/dev/shm/lathe-escape")) \
  CASE("create a file in /var/tmp", "-", creates("/var/tmp/lathe-escape")) \
  CASE("create a file in /opt", "-", creates("/opt/lathe-escape")) \
  CASE("create a file in /etc", "-", creates("/etc/lathe-escape")) \
  CASE("create a file in /usr/lib", "-", creates("/usr/lib/lathe-escape")) \
  CASE("create a file beside the model", "-", creates(getenv("LATHE_ESCAPE_BESIDE"))) \
  CASE("create a file without a name", "-", open("/tmp", O_WRONLY | O_TMPFILE, 0600)) \
  CASE("write to a secret", "-", writes(secret())) \
  CASE("append to a secret", "-", open(secret(), O_WRONLY | O_APPEND)) \
  CASE("empty a secret", "truncate", RAW(truncate, secret(), 0)) \
  CASE("empty a secret by opening it", "-", open(secret(), O_RDONLY | O_TRUNC)) \
  CASE("write to the model", "-", writes(model())) \
  CASE("remove the model", "-", unlink(model())) \
  CASE("rename the model", "-", rename(model(), outside("model"))) \
  CASE("rename a secret", "-", rename(secret(), outside("renamed"))) \
  CASE("exchange two files", "-", RAW(renameat2, AT_FDCWD, secret(), AT_FDCWD, model(), 2)) \
  CASE("remove a secret", "-", unlink(secret())) \
  CASE("remove a secret by unlinkat", "-", RAW(unlinkat, AT_FDCWD, secret(), 0)) \
  CASE("remove a folder", "-", rmdir(outside("empty"))) \
  CASE("make a folder", "-", mkdir(outside("folder"), 0700)) \
  CASE("make a folder in /tmp", "-", mkdir("/tmp/lathe-escape-folder", 0700)) \
  CASE("make a symbolic link", "-", symlink("/etc/passwd", outside("link"))) \
  CASE("make a hard link", "link", link(secret(), outside("hard"))) \
  CASE("make a hard link by linkat", "linkat", RAW(linkat, AT_FDCWD, secret(), AT_FDCWD, outside("hard"), 0)) \
  CASE("make a FIFO", "mknod", RAW(mknod, outside("fifo"), S_IFIFO | 0600, 0)) \
  CASE("make a device", "mknodat", RAW(mknodat, AT_FDCWD, outside("device"), S_IFCHR | 0600, 0x103)) \
  CASE("change a mode", "chmod", RAW(chmod, secret(), 0777)) \
  CASE("change a mode by fchmodat", "fchmodat", RAW(fchmodat, AT_FDCWD, secret(), 0777)) \
  CASE("change the mode of the model by its descriptor", "fchmod", RAW(fchmod, open(model(), O_RDONLY), 0777)) \
  CASE("change an owner", "chown", RAW(chown, secret(), 1, 1)) \
  CASE("change an owner by lchown", "lchown", RAW(lchown, secret(), 1, 1)) \
  CASE("change an owner by fchownat", "fchownat", RAW(fchownat, AT_FDCWD, secret(), 1, 1, 0)) \
  CASE("change a time", "utimensat", RAW(utimensat, AT_FDCWD, secret(), NULL, 0)) \
  CASE("change a time by utime", "utime", RAW(utime, secret(), NULL)) \
  CASE("change a time by utimes", "utimes", RAW(utimes, secret(), NULL)) \
  CASE("set an attribute", "setxattr", RAW(setxattr, secret(), "user.x", "x", 1, 0)) \
  CASE("remove an attribute", "removexattr", RAW(removexattr, secret(), "user.x")) \
  CASE("read an attribute", "getxattr", RAW(getxattr, secret(), "user.x", NULL, 0)) \
  CASE("write to the settings of this process", "-", writes("/proc/self/oom_score_adj")) \
  CASE("write to the settings of the parent", "-", writes(of_parent("oom_score_adj"))) \
  CASE("write to the kernel's settings", "-", writes("/proc/sys/kernel/core_pattern")) \
  CASE("write to the kernel's triggers", "-", writes("/proc/sysrq-trigger")) \
  CASE("write to a control group", "-", writes("/sys/fs/cgroup/cgroup.procs")) \
  CASE("run a program", "execve", executes()) \
  CASE("run a program by execveat", "execveat", RAW(execveat, AT_FDCWD, "/bin/true", NULL, NULL, 0)) \
  CASE("run a program by spawning", "SIGSYS", spawns()) \
  CASE("run a shell", "SIGSYS", shell()) \
  CASE("run a shell with a pipe", "SIGSYS", pipes()) \
  CASE("run a program from memory", "memfd_create", RAW(memfd_create, "x", 0)) \
  CASE("fork", "clone", child(fork())) \
  CASE("fork by its own call", "fork", child(RAW(fork))) \
  CASE("vfork by its own call", "vfork", RAW(vfork)) \
  CASE("fork by clone", "clone", child(RAW(clone, SIGCHLD, 0, 0, 0, 0))) \
  CASE("fork by clone3", "-", RAW(clone3, NULL, 0)) \
  CASE("a new name space by clone", "clone", child(RAW(clone, SIGCHLD | CLONE_NEWUSER, 0, 0, 0, 0))) \
  CASE("connect to a local port", "socket", connects(AF_INET)) \
  CASE("a socket of IPv6", "socket", socket(AF_INET6, SOCK_STREAM, 0)) \
  CASE("a socket for datagrams", "socket", socket(AF_INET, SOCK_DGRAM, 0)) \
  CASE("a raw socket", "socket", socket(AF_INET, SOCK_RAW, 1)) \
  CASE("a socket of packets", "socket", socket(17, SOCK_RAW, 0)) \
  CASE("a socket of this machine", "socket", socket(AF_UNIX, SOCK_STREAM, 0)) \
  CASE("a socket of the kernel", "socket", socket(16, SOCK_RAW, 0)) \
  CASE("a socket of the virtual machine", "socket", socket(40, SOCK_STREAM, 0)) \
  CASE("a socket of the kernel's ciphers", "socket", socket(38, SOCK_SEQPACKET, 0)) \
  CASE("two connected sockets", "socketpair", pair()) \
  CASE("connect a descriptor", "connect", connect(0, NULL, 0)) \
  CASE("bind a descriptor", "bind", bind(0, NULL, 0)) \
  CASE("listen on a descriptor", "listen", listen(0, 1)) \
  CASE("accept on a descriptor", "accept", accept(0, NULL, NULL)) \
  CASE("send on a descriptor", "sendto", send(1, "x", 1, 0)) \
  CASE("send a message on a descriptor", "sendmsg", RAW(sendmsg, 1, NULL, 0)) \
  CASE("receive a message on a descriptor", "recvmsg", RAW(recvmsg, 0, NULL, 0)) \
  CASE("kill the parent", "kill", kill(getppid(), SIGKILL)) \
  CASE("ask whether the parent can be killed", "kill", kill(getppid(), 0)) \
  CASE("kill process 1", "kill", kill(1, 0)) \
  CASE("kill the group", "kill", kill(0, SIGKILL)) \
  CASE("kill everything", "kill", kill(-1, SIGKILL)) \
  CASE("kill a thread of the parent", "tgkill", RAW(tgkill, getppid(), getppid(), SIGKILL)) \
  CASE("kill the parent as a thread", "tkill", RAW(tkill, getppid(), SIGKILL)) \
  CASE("queue a signal for the parent", "rt_sigqueueinfo", RAW(rt_sigqueueinfo, getppid(), SIGKILL, NULL)) \
  CASE("queue a signal for a thread of the parent", "rt_tgsigqueueinfo", RAW(rt_tgsigqueueinfo, getppid(), getppid(), SIGKILL, NULL)) \
  CASE("make the parent the owner of a pipe", "fcntl", fcntl(pipe_end(), F_SETOWN, getppid())) \
  CASE("make the parent the owner by its new call", "fcntl", owns_newly()) \
  CASE("choose the signal for an owner", "fcntl", fcntl(pipe_end(), F_SETSIG, SIGKILL)) \
  CASE("signal data on a pipe", "fcntl", fcntl(pipe_end(), F_SETFL, O_ASYNC)) \
  CASE("watch the folder of the model", "fcntl", fcntl(pipe_end(), F_NOTIFY, DN_ACCESS)) \
  CASE("take a lease", "fcntl", fcntl(pipe_end(), F_SETLEASE, F_RDLCK)) \
  CASE("open the parent as a descriptor", "pidfd_open", RAW(pidfd_open, getppid(), 0)) \
  CASE("signal a descriptor", "pidfd_send_signal", RAW(pidfd_send_signal, 0, SIGKILL, NULL, 0)) \
  CASE("take a descriptor of the parent", "pidfd_getfd", RAW(pidfd_getfd, 0, 0, 0)) \
  CASE("trace the parent", "ptrace", RAW(ptrace, 16, getppid(), 0, 0)) \
  CASE("seize the parent", "ptrace", RAW(ptrace, 0x4206, getppid(), 0, 0)) \
  CASE("be traced", "ptrace", RAW(ptrace, 0, 0, 0, 0)) \
  CASE("read the memory of the parent by a call", "process_vm_readv", reads_parent()) \
  CASE("write the memory of the parent by a call", "process_vm_writev", writes_parent()) \
  CASE("compare with the parent", "kcmp", RAW(kcmp, getpid(), getppid(), 0, 0, 0)) \
  CASE("advise the memory of the parent", "process_madvise", RAW(process_madvise, 0, NULL, 0, 0, 0)) \
  CASE("move the memory of the parent", "migrate_pages", RAW(migrate_pages, getppid(), 0, NULL, NULL)) \
  CASE("limit the parent", "prlimit64", limits_parent()) \
  CASE("change the priority of the parent", "setpriority", setpriority(PRIO_PROCESS, getppid(), 19)) \
  CASE("change the priority of disks", "ioprio_set", RAW(ioprio_set, 1, getppid(), 0)) \
  CASE("change the scheduling of the parent", "sched_setscheduler", RAW(sched_setscheduler, getppid(), 0, NULL)) \
  CASE("change the attributes of scheduling", "sched_setattr", RAW(sched_setattr, getppid(), NULL, 0)) \
  CASE("permit core dumps", "prlimit64", core()) \
  CASE("permit larger files", "prlimit64", files()) \
  CASE("be dumpable again", "prctl", dumps()) \
  CASE("let others trace", "prctl", prctl(PR_SET_PTRACER, -1, 0, 0, 0)) \
  CASE("adopt processes", "prctl", prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)) \
  CASE("keep capabilities", "prctl", prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0)) \
  CASE("take an ambient capability", "prctl", prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, 0, 0, 0)) \
  CASE("another filter", "seccomp", RAW(seccomp, 1, 0, NULL)) \
  CASE("another ruleset", "landlock_create_ruleset", RAW(landlock_create_ruleset, NULL, 0, 1)) \
  CASE("mount", "mount", RAW(mount, "none", "/tmp", "tmpfs", 0, NULL)) \
  CASE("unmount", "umount2", RAW(umount2, "/tmp", 0)) \
  CASE("another root", "pivot_root", RAW(pivot_root, "/tmp", "/tmp")) \
  CASE("chroot", "chroot", RAW(chroot, "/tmp")) \
  CASE("chdir", "chdir", RAW(chdir, "/")) \
  CASE("fchdir", "fchdir", RAW(fchdir, 0)) \
  CASE("a new name space", "unshare", RAW(unshare, CLONE_NEWUSER)) \
  CASE("the name space of another process", "setns", RAW(setns, 0, 0)) \
  CASE("open a file system", "fsopen", RAW(fsopen, "tmpfs", 0)) \
  CASE("pick a file system", "fspick", RAW(fspick, AT_FDCWD, "/", 0)) \
  CASE("open a tree", "open_tree", RAW(open_tree, AT_FDCWD, "/", 0)) \
  CASE("move a mount", "move_mount", RAW(move_mount, 0, "", 0, "", 0)) \
  CASE("change a mount", "mount_setattr", RAW(mount_setattr, AT_FDCWD, "/", 0, NULL, 0)) \
  CASE("queues of the kernel", "io_uring_setup", RAW(io_uring_setup, 1, NULL)) \
  CASE("enter queues of the kernel", "io_uring_enter", RAW(io_uring_enter, 0, 0, 0, 0, NULL, 0)) \
  CASE("old queues of the kernel", "io_setup", RAW(io_setup, 1, NULL)) \
  CASE("programs in the kernel", "bpf", RAW(bpf, 0, NULL, 0)) \
  CASE("counters of the processor", "perf_event_open", RAW(perf_event_open, NULL, 0, -1, -1, 0)) \
  CASE("faults of pages", "userfaultfd", RAW(userfaultfd, 0)) \
  CASE("secret memory", "memfd_secret", RAW(memfd_secret, 0)) \
  CASE("watch files", "inotify_init1", RAW(inotify_init1, 0)) \
  CASE("watch every file", "fanotify_init", RAW(fanotify_init, 0, 0)) \
  CASE("a key of the kernel", "add_key", RAW(add_key, "user", "x", "x", 1, -3)) \
  CASE("ask for a key", "request_key", RAW(request_key, "user", "x", NULL, 0)) \
  CASE("control keys", "keyctl", RAW(keyctl, 0, -3, 0)) \
  CASE("load a kernel module", "init_module", RAW(init_module, NULL, 0, "")) \
  CASE("load a kernel module from a file", "finit_module", RAW(finit_module, 0, "", 0)) \
  CASE("remove a kernel module", "delete_module", RAW(delete_module, "x", 0)) \
  CASE("another kernel", "kexec_load", RAW(kexec_load, 0, 0, NULL, 0)) \
  CASE("reboot", "reboot", RAW(reboot, 0, 0, 0, NULL)) \
  CASE("swap", "swapon", RAW(swapon, "/x", 0)) \
  CASE("account for processes", "acct", RAW(acct, NULL)) \
  CASE("a quota", "quotactl", RAW(quotactl, 0, NULL, 0, NULL)) \
  CASE("read the kernel's log", "syslog", RAW(syslog, 3, NULL, 0)) \
  CASE("the name of the machine", "sethostname", RAW(sethostname, "x", 1)) \
  CASE("the time", "clock_settime", RAW(clock_settime, 0, NULL)) \
  CASE("the time of day", "settimeofday", RAW(settimeofday, NULL, NULL)) \
  CASE("adjust the time", "adjtimex", RAW(adjtimex, NULL)) \
  CASE("ports of the processor", "ioperm", RAW(ioperm, 0, 1, 1)) \
  CASE("every port of the processor", "iopl", RAW(iopl, 3)) \
  CASE("segments of the processor", "modify_ldt", RAW(modify_ldt, 0, NULL, 0)) \
  CASE("another personality", "personality", RAW(personality, 0x0040000)) \
  CASE("another user", "setuid", RAW(setuid, 1)) \
  CASE("another group", "setgid", RAW(setgid, 1)) \
  CASE("other groups", "setgroups", RAW(setgroups, 0, NULL)) \
  CASE("other capabilities", "capset", RAW(capset, NULL, NULL)) \
  CASE("a session of its own", "setsid", RAW(setsid)) \
  CASE("a group of its own", "setpgid", RAW(setpgid, 0, 0)) \
  CASE("shared memory", "shmget", RAW(shmget, 0, 4096, 01600)) \
  CASE("shared semaphores", "semget", RAW(semget, 0, 1, 01600)) \
  CASE("a queue of messages", "msgget", RAW(msgget, 0, 01600)) \
  CASE("a named queue of messages", "mq_open", RAW(mq_open, "lathe", O_CREAT, 0600, NULL)) \
  CASE("type into the terminal", "ioctl", types()) \
  CASE("a timer", "timer_create", RAW(timer_create, 0, NULL, NULL))

// Every attempt is a case of one switch, so that none needs a name in C.
#define BODY(name, call, what) case __COUNTER__ - BASE - 1: return what;
enum { BASE = __COUNTER__ };
static int attempt(int64_t number) {
  switch (number) { ATTEMPTS(BODY) }
  errno = EINVAL;
  return -1;
}

static void *create_kernel(const OrtCustomOp *op, const OrtApi *given, const OrtKernelInfo *info) {
  (void)op; (void)given; (void)info;
  return (void *)1;
}

static void compute(void *kernel, OrtKernelContext *context) {
  (void)kernel;
  const OrtValue *in = NULL;
  OrtValue *out = NULL;
  int64_t dims[1] = {2}, *from = NULL, *to = NULL;
  api->KernelContext_GetInput(context, 0, &in);
  api->KernelContext_GetOutput(context, 0, dims, 1, &out);
  api->GetTensorMutableData((OrtValue *)in, (void **)&from);
  api->GetTensorMutableData(out, (void **)&to);
  errno = 0;
  to[0] = attempt(from[0]) >= 0;
  to[1] = errno;
}

static void destroy_kernel(void *kernel) { (void)kernel; }
static const char *name(const OrtCustomOp *op) { (void)op; return "Escape"; }
static const char *provider(const OrtCustomOp *op) { (void)op; return NULL; }
static ONNXTensorElementDataType type(const OrtCustomOp *op, size_t i) {
  (void)op; (void)i;
  return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64;
}
static size_t one(const OrtCustomOp *op) { (void)op; return 1; }
static OrtCustomOpInputOutputCharacteristic required(const OrtCustomOp *op, size_t i) {
  (void)op; (void)i;
  return INPUT_OUTPUT_REQUIRED;
}

static OrtCustomOp escape = {
  .version = 1, // of the members that are set
  .CreateKernel = create_kernel,
  .GetName = name,
  .GetExecutionProviderType = provider,
  .GetInputType = type, .GetInputTypeCount = one,
  .GetOutputType = type, .GetOutputTypeCount = one,
  .KernelCompute = compute, .KernelDestroy = destroy_kernel,
  .GetInputCharacteristic = required, .GetOutputCharacteristic = required,
};

OrtStatus *RegisterCustomOps(OrtSessionOptions *options, const OrtApiBase *base) {
  api = base->GetApi(24);
  OrtCustomOpDomain *domain = NULL;
  OrtStatus *status = api->CreateCustomOpDomain("lathe.test", &domain);
  if (!status) status = api->CustomOpDomain_Add(domain, &escape);
  if (!status) status = api->AddCustomOpDomain(options, domain);
  return status;
}
