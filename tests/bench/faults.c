/* Makes the calls fail that a process makes on the files of one folder: loaded before libc, armed by faults.py. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { OPEN, READ, WRITE, SYNC, TRUNCATE, REMOVE, RENAME, KINDS };
enum { FAIL, SHORT, KILL };
#define DESCRIPTORS 4096

static char folder[4096];
static unsigned char ours[DESCRIPTORS];
static int kinds, how, code, lasting;
static long at, seen, counts[KINDS];

/* The calls of `kinds` (a bit each) on files below `where` are counted; the one number `nth`, or with `for_good` each
   from there on, fails with `error`, writes half of what it should, or kills the process. */
void faults_arm(const char *where, int which, int manner, int error, long nth, int for_good) {
    strncpy(folder, where, sizeof folder - 1);
    kinds = which, how = manner, code = error, at = nth, lasting = for_good, seen = 0;
    memset(counts, 0, sizeof counts);
}

long faults_count(int kind) { return counts[kind]; }

/* Whether the fault has struck. */
int faults_struck(void) { return at > 0 && seen >= at; }

static int strikes(int kind) {
    counts[kind]++;
    if (!(kinds >> kind & 1) || at <= 0) return 0;
    if (++seen != at && !(lasting && seen > at)) return 0;
    if (how == KILL) kill(getpid(), SIGKILL);
    errno = code;
    return 1;
}

static int is_ours(const char *path) { return folder[0] && path && !strncmp(path, folder, strlen(folder)); }
static int is_open_of_ours(int fd) { return fd >= 0 && fd < DESCRIPTORS && ours[fd]; }

#define NEXT(name) \
    static __typeof__(name) *next; \
    if (!next) next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)

static int opened(const char *path, int fd) {
    if (fd >= 0 && fd < DESCRIPTORS) ours[fd] = is_ours(path);
    return fd;
}

#define OPENS(name) \
    int name(const char *path, int flags, ...) { \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = va_arg(more, mode_t); \
        va_end(more); \
        NEXT(name); \
        if (is_ours(path) && strikes(OPEN)) return -1; \
        return opened(path, next(path, flags, mode)); \
    }
OPENS(open)
OPENS(open64)

int close(int fd) {
    NEXT(close);
    if (fd >= 0 && fd < DESCRIPTORS) ours[fd] = 0;
    return next(fd);
}

#define TRANSFERS(name, kind, constant, parameters, call, half) \
    ssize_t name(int fd, constant void *data, size_t size parameters) { \
        NEXT(name); \
        if (is_open_of_ours(fd) && strikes(kind)) { \
            if (how == SHORT && seen == at && size > 1) return half; \
            return -1; \
        } \
        return call; \
    }
#define COMMA ,
TRANSFERS(read, READ, , , next(fd, data, size), next(fd, data, size / 2))
TRANSFERS(pread, READ, , COMMA off_t place, next(fd, data, size, place), next(fd, data, size / 2, place))
TRANSFERS(pread64, READ, , COMMA off64_t place, next(fd, data, size, place), next(fd, data, size / 2, place))
TRANSFERS(write, WRITE, const, , next(fd, data, size), next(fd, data, size / 2))
TRANSFERS(pwrite, WRITE, const, COMMA off_t place, next(fd, data, size, place), next(fd, data, size / 2, place))
TRANSFERS(pwrite64, WRITE, const, COMMA off64_t place, next(fd, data, size, place), next(fd, data, size / 2, place))

#define ON_DESCRIPTOR(name, kind, parameters, call) \
    int name(int fd parameters) { \
        NEXT(name); \
        return is_open_of_ours(fd) && strikes(kind) ? -1 : call; \
    }
ON_DESCRIPTOR(fsync, SYNC, , next(fd))
ON_DESCRIPTOR(fdatasync, SYNC, , next(fd))
ON_DESCRIPTOR(ftruncate, TRUNCATE, COMMA off_t size, next(fd, size))
ON_DESCRIPTOR(ftruncate64, TRUNCATE, COMMA off64_t size, next(fd, size))

int unlink(const char *path) {
    NEXT(unlink);
    return is_ours(path) && strikes(REMOVE) ? -1 : next(path);
}

int rename(const char *from, const char *to) {
    NEXT(rename);
    return is_ours(from) && strikes(RENAME) ? -1 : next(from, to);
}
