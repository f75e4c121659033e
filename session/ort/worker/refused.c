#define _GNU_SOURCE // for the registers of a signal's context

#include "refused.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <ucontext.h>

#ifndef SYS_SECCOMP
#define SYS_SECCOMP 1
#endif

#define CALLS 1024 // above every number of a system call that has a name

static atomic_bool refused[CALLS];

static void on_refused(int number, siginfo_t *info, void *context) {
  if (info->si_code != SYS_SECCOMP) {
    signal(number, SIG_DFL);
    raise(number);
    return;
  }
  if (info->si_syscall >= 0 && info->si_syscall < CALLS) atomic_store(&refused[info->si_syscall], 1);
#if defined(__linux__) && defined(__x86_64__)
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = -EPERM;
#elif defined(__linux__) && defined(__aarch64__)
  ((ucontext_t *)context)->uc_mcontext.regs[0] = -EPERM;
#endif
}

void catch_refused_calls(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_refused;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigfillset(&action.sa_mask);
  sigaction(SIGSYS, &action, NULL);
}

int next_refused_call(int from) {
  for (int i = from; i >= 0 && i < CALLS; i++)
    if (atomic_exchange(&refused[i], 0)) return i;
  return -1;
}
