// Loaded before the C library: the k-th call for a large piece of memory fails, and all after it do.
// VEST_FAIL_AFTER is k; calls are counted from the moment that vest_begin is called.
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

// Smaller ones are the interpreter's own, or the buffers of NumPy's iterators: both crash without.
enum { LARGE = 65537 };
static atomic_long left = -1;
static atomic_long calls = 0;

void vest_begin(long k) {
  atomic_store(&calls, 0);
  atomic_store(&left, k);
}
long vest_calls(void) { return atomic_load(&calls); }

static int fails(size_t size) {
  if (size < LARGE || atomic_load(&left) < 0) return 0;
  atomic_fetch_add(&calls, 1);
  if (atomic_load(&left) == 0) return 1;
  return atomic_fetch_sub(&left, 1) == 1;
}

void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

void* malloc(size_t size) {
  if (fails(size)) return errno = ENOMEM, NULL;
  return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
  if (fails(count * size)) return errno = ENOMEM, NULL;
  return __libc_calloc(count, size);
}
void* realloc(void* old, size_t size) {
  if (fails(size)) return errno = ENOMEM, NULL;
  return __libc_realloc(old, size);
}
void* aligned_alloc(size_t alignment, size_t size) {
  if (fails(size)) return errno = ENOMEM, NULL;
  return __libc_memalign(alignment, size);
}
int posix_memalign(void** out, size_t alignment, size_t size) {
  if (fails(size)) return ENOMEM;
  *out = __libc_memalign(alignment, size);
  return *out == NULL ? ENOMEM : 0;
}
// Pages that are mapped for large arrays; what the C library maps for itself does not come by here.
void* mmap(void* at, size_t size, int how, int kind, int file, off_t offset) {
  if ((kind & MAP_ANONYMOUS) && fails(size)) return errno = ENOMEM, MAP_FAILED;
  return (void*)syscall(SYS_mmap, at, size, how, kind, file, offset);
}
