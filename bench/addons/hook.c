/*
 * The hook of the bench: small, without libraries, so that its own start hides nothing. With --config it prints what lies beside it in
 * .NAME.json; else it appends one record to $BENCH_LOG: when it began and ended (nanoseconds of the monotonic clock), the size of its
 * context, the length of the copy that follows, and its name. It waits while $BENCH_GATE exists.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { largest_copy = 1 << 20 };

static char record[largest_copy + 1024];

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int copy_config(const char *path) {
  char name[4096], content[65536];
  const char *base = strrchr(path, '/');
  snprintf(name, sizeof name, "%.*s/.%s.json", (int)(base - path), path, base + 1);
  int file = open(name, O_RDONLY);
  ssize_t length = read(file, content, sizeof content);
  return length > 0 && write(1, content, length) == length ? 0 : 1;
}

int main(int count, char **arguments) {
  long long began = now();
  if (count > 1 && strcmp(arguments[1], "--config") == 0) return copy_config(arguments[0]);
  const char *gate = getenv("BENCH_GATE");
  while (gate != NULL && access(gate, F_OK) == 0) usleep(1000);
  int context = open(getenv("BINDING_CONTEXT_PATH"), O_RDONLY);
  struct stat facts;
  if (context < 0 || fstat(context, &facts) != 0) return 1;
  long copied = facts.st_size <= largest_copy ? facts.st_size : 0;
  int head = snprintf(record, 1024, "%lld %020lld %ld %ld %s\n", began, 0LL, (long)facts.st_size, copied,
                      strrchr(arguments[0], '/') + 1);
  long length = head;
  for (ssize_t part; copied > length - head; length += part) {
    part = read(context, record + length, copied - (length - head));
    if (part <= 0) return 1;
  }
  record[length++] = '\n';
  int log = open(getenv("BENCH_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0600);
  char end[32];
  snprintf(end, sizeof end, "%020lld", now());
  memcpy(strchr(record, ' ') + 1, end, 20);
  return write(log, record, length) == length ? 0 : 1;
}
