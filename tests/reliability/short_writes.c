// Loaded before the C library: every other write to a file writes only a part, as a disk that fills
// up or a network may, and every seventh is interrupted by a signal before it has written anything.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_long calls = 0;
static atomic_long shortened = 0;

long vest_shortened(void) { return atomic_load(&shortened); }

ssize_t write(int file, const void* data, size_t size) {
  static ssize_t (*real)(int, const void*, size_t);
  if (!real) real = (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
  if (file <= 2 || size < 2) return real(file, data, size);
  long call = atomic_fetch_add(&calls, 1);
  if (call % 7 == 6) {
    errno = EINTR;
    return -1;
  }
  if (call % 2 == 0) {
    atomic_fetch_add(&shortened, 1);
    size = size / 2;
  }
  return real(file, data, size);
}
