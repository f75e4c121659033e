// The runtime's log, kept by session until somebody takes it.
#ifndef LATHE_LOG_H
#define LATHE_LOG_H

#include "api.h"

struct log_line {
  struct log_line *next;
  int severity;
  char *session; // the id that the session was given
  char *location;
  char *message;
};

// log_message is the runtime's OrtLoggingFunction; any thread may call it.
// Warnings and worse also go to standard error at once, for a crash may follow.
void log_message(void *param, OrtLoggingLevel severity, const char *category, const char *log_id,
                 const char *location, const char *message);

// log_dropped tells how many lines there was no room for since it was asked last.
int log_dropped(void);

// log_take gives the lines of a session, oldest first, and forgets them. The
// caller frees them with log_free.
struct log_line *log_take(const char *session);
void log_free(struct log_line *line);

#endif
