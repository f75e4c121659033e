// The runtime's log, kept for each session until it is fetched.
#ifndef LATHE_LOG_H
#define LATHE_LOG_H

#include "api.h"

struct log_line {
  struct log_line *next;
  int severity;
  char *session; // the id of the session
  char *location;
  char *message;
};

// log_message is the runtime's OrtLoggingFunction; any thread may call it.
// Warnings and errors are also written to standard error immediately, because a crash may follow.
void log_message(void *param, OrtLoggingLevel severity, const char *category, const char *log_id,
                 const char *location, const char *message);

// log_dropped returns how many lines were dropped for lack of room since the last call.
int log_dropped(void);

// log_take returns the lines of a session, oldest first, and removes them. The caller frees them
// with log_free.
struct log_line *log_take(const char *session);
void log_free(struct log_line *line);

#endif
