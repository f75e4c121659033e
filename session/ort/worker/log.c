#include "log.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Bounds the log, because a model can make the runtime log any amount.
enum { MAX_LINES = 500000, MAX_TEXT = 4096, WARNING = 2 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct log_line *first, **last = &first;
static int kept, dropped;

// Of messages below warnings only these are kept: which provider runs each node, which nodes need
// copies between devices, why a node is not on the wanted device, and which optimization changed
// something.
static const char placements[] = "VerifyEachNodeIsAssignedToAnEp"; // the function that logs the nodes
static const char *const telling[] = {"Memcpy", "kernel not found", "allback to CPU", "placed on", "modified: 1", NULL};

static int tells(const char *location, const char *message) {
  if (strstr(location, placements)) return 1;
  for (const char *const *word = telling; *word; word++)
    if (strstr(message, *word)) return 1;
  return 0;
}

static char *copy(const char *text, size_t length) {
  char *made = malloc(length + 1);
  if (made) {
    memcpy(made, text, length);
    made[length] = 0;
  }
  return made;
}

void log_free(struct log_line *line) {
  while (line) {
    struct log_line *next = line->next;
    free(line->session);
    free(line->location);
    free(line->message);
    free(line);
    line = next;
  }
}

static void keep(int severity, const char *log_id, const char *location, const char *message) {
  struct log_line *line = calloc(1, sizeof *line);
  if (!line) return;
  line->severity = severity;
  line->session = copy(log_id, strcspn(log_id, ":")); // the tag of a run follows the colon
  line->location = copy(location, strnlen(location, MAX_TEXT));
  line->message = copy(message, strnlen(message, MAX_TEXT));
  if (!line->session || !line->location || !line->message) {
    log_free(line);
    return;
  }
  pthread_mutex_lock(&mutex);
  if (kept < MAX_LINES) {
    kept++;
    *last = line;
    last = &line->next;
    line = NULL;
  } else {
    dropped++;
  }
  pthread_mutex_unlock(&mutex);
  log_free(line);
}

void log_message(void *param, OrtLoggingLevel severity, const char *category, const char *log_id,
                 const char *location, const char *message) {
  (void)param;
  (void)category;
  if (severity < WARNING && !tells(location, message)) return;
  if (severity >= WARNING) fprintf(stderr, "[%c] %s: %s\n", "VIWEF"[severity < 5 ? severity : 4], location, message);
  keep((int)severity, log_id, location, message);
}

int log_dropped(void) {
  pthread_mutex_lock(&mutex);
  const int count = dropped;
  dropped = 0;
  pthread_mutex_unlock(&mutex);
  return count;
}

struct log_line *log_take(const char *session) {
  struct log_line *taken = NULL, **end = &taken;
  pthread_mutex_lock(&mutex);
  for (struct log_line **at = &first; *at;) {
    struct log_line *line = *at;
    if (strcmp(line->session, session)) {
      at = &line->next;
      continue;
    }
    *at = line->next;
    line->next = NULL;
    *end = line;
    end = &line->next;
    kept--;
  }
  for (last = &first; *last;) last = &(*last)->next;
  pthread_mutex_unlock(&mutex);
  return taken;
}
