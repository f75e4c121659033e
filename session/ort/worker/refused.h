// The system calls that the sandbox refuses.
#ifndef LATHE_REFUSED_H
#define LATHE_REFUSED_H

// catch_refused_calls makes a refused system call fail with EPERM and notes its number.
void catch_refused_calls(void);

// next_refused_call returns the lowest number, at least from, that was refused and not returned before,
// or -1.
int next_refused_call(int from);

#endif
