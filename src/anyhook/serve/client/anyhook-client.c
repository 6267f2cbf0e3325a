/* Asks the daemon to answer an event, and runs anyhook itself when there is none: see docs/daemon.md.
 *
 *     anyhook-client PROGRAM ... exec --client CLIENT ...
 *
 * The daemon gets the arguments from "exec" on. Without a complete answer from it, run_instead() becomes PROGRAM with its
 * arguments and all of stdin, so that the answer is the same with and without a daemon. C99 and POSIX, nothing else.
 */

#if defined(__linux__)
#define _GNU_SOURCE /* struct ucred */
#else
#define _POSIX_C_SOURCE 200809L
#if defined(__APPLE__)
#define _DARWIN_C_SOURCE /* getpeereid */
#endif
#endif

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pwd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef ANYHOOK_VERSION
#error "compile with -DANYHOOK_VERSION='\"1.2.3\"', the version of the package"
#endif

enum {
    PATIENCE_MS = 2000,            /* for a daemon that listens: as long as the program may take on a busy machine */
    MAX_STDIN = 64 * 1024 * 1024,  /* what the daemon takes */
    MAX_ANSWER = 256 * 1024 * 1024,
    SMALL = 16 * 1024,             /* every empty pipe can hold that */
    ANSWER_HEAD = 10               /* kind, exit status, size of stdout, size of stderr */
};

extern char **environ;

struct bytes {
    char *data;
    size_t size, capacity;
};

static char **instead;     /* the command line that is run without a daemon */
static struct bytes taken; /* what was read from stdin */
static int has_taken_all;

/* ---------------------------------------------------------------------------------------------- without the daemon */

/* Whether a call is to be made again: it was interrupted, or a pipe that does not block is ready by now. */
static int is_again(int fd, short what) {
    if (errno == EAGAIN || errno == EWOULDBLOCK) {
        struct pollfd one = {fd, what, 0};
        return poll(&one, 1, -1) > 0 || errno == EINTR;
    }
    return errno == EINTR;
}

static void write_all(int fd, const char *data, size_t size) {
    while (size > 0) {
        ssize_t done = write(fd, data, size);
        if (done < 0 && is_again(fd, POLLOUT))
            continue;
        if (done <= 0)
            return; /* the reader is gone */
        data += done;
        size -= (size_t)done;
    }
}

/* Undo what a parent may have left: who ignores SIGCHLD learns no exit status. The program inherits it. */
static void hear_of_children(void) {
    sigset_t children;
    signal(SIGCHLD, SIG_DFL);
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_UNBLOCK, &children, NULL);
}

/* End without an answer, so that the entry answers by its fail mode: the program must not get an empty event. */
static void give_up(const char *lack) {
    fprintf(stderr, "anyhook-client: no %s is left to pass the event on\n", lack);
    _exit(127);
}

/* Replace stdin by a pipe that delivers what was read already, and then the rest. */
static void give_back_stdin(void) {
    int ends[2];
    if (taken.size == 0 && !has_taken_all)
        return;
    if (pipe(ends) != 0)
        give_up("descriptor");
    if (has_taken_all && taken.size <= SMALL) {
        write_all(ends[1], taken.data, taken.size);
    } else {
        int status = 0;
        pid_t child = fork();
        if (child < 0)
            give_up("process");
        if (child == 0) {
            pid_t writer = fork(); /* a grandchild writes, so that the program has no child that it did not start */
            if (writer != 0)
                _exit(writer < 0);
            char piece[65536];
            ssize_t got = 0;
            close(ends[0]);
            write_all(ends[1], taken.data, taken.size);
            while (!has_taken_all && (got = read(0, piece, sizeof piece)) != 0) {
                if (got > 0)
                    write_all(ends[1], piece, (size_t)got);
                else if (!is_again(0, POLLIN))
                    break;
            }
            _exit(0);
        }
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        if (status != 0)
            give_up("process");
    }
    close(ends[1]);
    dup2(ends[0], 0);
    close(ends[0]);
}

static void run_instead(void) {
    give_back_stdin();
    signal(SIGPIPE, SIG_DFL);
    execvp(instead[0], instead);
    int why = errno;
    fprintf(stderr, "anyhook-client: %s: %s\n", instead[0], strerror(why));
    _exit(why == ENOENT ? 127 : 126);
}

/* ------------------------------------------------------------------------------------------------------------ bytes */

static void reserve(struct bytes *to, size_t size) {
    if (to->capacity - to->size >= size)
        return;
    size_t capacity = to->capacity ? to->capacity : 65536;
    while (capacity - to->size < size)
        capacity *= 2;
    char *data = realloc(to->data, capacity);
    if (data == NULL)
        run_instead();
    to->data = data;
    to->capacity = capacity;
}

static void add(struct bytes *to, const void *data, size_t size) {
    reserve(to, size);
    if (size > 0)
        memcpy(to->data + to->size, data, size);
    to->size += size;
}

static void add_number(struct bytes *to, size_t number) {
    unsigned char four[4] = {
        (unsigned char)(number >> 24), (unsigned char)(number >> 16), (unsigned char)(number >> 8), (unsigned char)number
    };
    add(to, four, 4);
}

static void add_text(struct bytes *to, const char *text) {
    add_number(to, strlen(text));
    add(to, text, strlen(text));
}

static void add_texts(struct bytes *to, char **texts) {
    size_t count = 0;
    while (texts[count] != NULL)
        count++;
    add_number(to, count);
    for (size_t i = 0; i < count; i++)
        add_text(to, texts[i]);
}

/* One text, with a zero byte between the variables. */
static void add_environment(struct bytes *to) {
    size_t size = 0;
    for (char **variable = environ; *variable != NULL; variable++)
        size += strlen(*variable) + 1;
    size -= size > 0;
    add_number(to, size);
    for (char **variable = environ; *variable != NULL; variable++)
        add(to, *variable, strlen(*variable) + (variable[1] != NULL));
}

static size_t number_at(const char *data) {
    const unsigned char *four = (const unsigned char *)data;
    return (size_t)four[0] << 24 | (size_t)four[1] << 16 | (size_t)four[2] << 8 | (size_t)four[3];
}

/* ------------------------------------------------------------------------------------------------------- the daemon */

static long now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Wait until the socket is ready; 0: it is not in time. A deadline below 0 means no limit. */
static int wait_for(int fd, short what, long deadline) {
    for (;;) {
        struct pollfd one = {fd, what, 0};
        long left = deadline < 0 ? -1 : deadline - now_ms();
        if (deadline >= 0 && left < 0)
            left = 0;
        int ready = poll(&one, 1, (int)left);
        if (ready > 0)
            return 1;
        if (ready == 0 || errno != EINTR)
            return 0;
    }
}

static int send_all(int fd, const char *data, size_t size, long deadline) {
    while (size > 0) {
        ssize_t done = write(fd, data, size);
        if (done > 0) {
            data += done;
            size -= (size_t)done;
        } else if (done < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (!wait_for(fd, POLLOUT, deadline))
                return 0;
        } else if (!(done < 0 && errno == EINTR)) {
            return 0;
        }
    }
    return 1;
}

/* Read until there are at least `wanted` bytes; 0: they do not come. */
static int receive(int fd, struct bytes *to, size_t wanted, long deadline) {
    while (to->size < wanted) {
        reserve(to, wanted - to->size);
        ssize_t got = read(fd, to->data + to->size, to->capacity - to->size);
        if (got > 0)
            to->size += (size_t)got;
        else if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            if (!wait_for(fd, POLLIN, deadline))
                return 0;
        } else if (!(got < 0 && errno == EINTR))
            return 0;
    }
    return 1;
}

/* The value of a variable that holds an absolute path; others are ignored. */
static const char *absolute(const char *name) {
    const char *value = getenv(name);
    return value != NULL && *value == '/' ? value : NULL;
}

static const char *home_folder(void) {
    const char *set = absolute("HOME");
    if (set != NULL)
        return set;
    const struct passwd *user = getpwuid(getuid());
    return user == NULL ? NULL : user->pw_dir;
}

/* The same rule as in sources/state.py; 0: there is no such path, or it is too long. */
static int find_socket(char *path, size_t capacity) {
    const char *base, *rest;
    if ((base = absolute("ANYHOOK_STATE_DIR")) != NULL)
        rest = "run";
    else if ((base = absolute("XDG_RUNTIME_DIR")) != NULL)
        rest = "anyhook";
    else if ((base = absolute("XDG_STATE_HOME")) != NULL)
        rest = "anyhook/run";
    else if ((base = home_folder()) != NULL)
        rest = ".local/state/anyhook/run";
    else
        return 0;
    int size = snprintf(path, capacity, "%s/%s/daemon.sock", base, rest);
    return size > 0 && (size_t)size < capacity;
}

/* Whether the process at the other end is this user's; where the system does not say, the socket's owner decides. */
static int is_own_daemon(int fd) {
#if defined(__linux__)
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == geteuid();
#elif defined(__APPLE__)
    uid_t user;
    gid_t group;
    return getpeereid(fd, &user, &group) == 0 && user == geteuid();
#else
    (void)fd;
    return 1;
#endif
}

static int connect_to_daemon(long deadline) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat facts;
    if (!find_socket(address.sun_path, sizeof address.sun_path))
        return -1;
    if (lstat(address.sun_path, &facts) != 0 || !S_ISSOCK(facts.st_mode) || facts.st_uid != geteuid())
        return -1;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    if (fd < 0)
        return -1;
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    fcntl(fd, F_SETFL, O_NONBLOCK);
    while (connect(fd, (struct sockaddr *)&address, sizeof address) != 0) {
        struct timespec moment = {0, 1000000};
        if ((errno != EAGAIN && errno != EINTR) || now_ms() >= deadline) { /* EAGAIN: the queue is full */
            close(fd);
            return -1;
        }
        nanosleep(&moment, NULL);
    }
    if (!is_own_daemon(fd)) {
        close(fd);
        return -1;
    }
    return fd;
}

static int send_head(int fd, char **arguments, long deadline) {
    struct bytes body = {0}, head = {0};
    char cwd[4096];
    if (getcwd(cwd, sizeof cwd) == NULL)
        return 0;
    mode_t mask = umask(0);
    umask(mask);
    add_text(&body, ANYHOOK_VERSION);
    add_number(&body, mask);
    add_text(&body, cwd);
    add_texts(&body, arguments);
    add_environment(&body);
    add(&head, "AHK1", 4);
    add_number(&head, body.size);
    add(&head, body.data, body.size);
    int is_sent = send_all(fd, head.data, head.size, deadline);
    free(body.data);
    free(head.data);
    return is_sent;
}

static int take_stdin(void) {
    while (taken.size <= MAX_STDIN) {
        reserve(&taken, 65536);
        ssize_t got = read(0, taken.data + taken.size, taken.capacity - taken.size);
        if (got > 0)
            taken.size += (size_t)got;
        else if (!(got < 0 && is_again(0, POLLIN))) {
            has_taken_all = 1;
            return 1;
        }
    }
    return 0;
}

static int send_stdin(int fd) {
    struct bytes size = {0};
    add_number(&size, taken.size);
    int is_sent = send_all(fd, size.data, size.size, -1) && send_all(fd, taken.data, taken.size, -1);
    free(size.data);
    return is_sent;
}

/* ------------------------------------------------------------------------------------------------------------- main */

int main(int count, char **words) {
    int place = 2;
    while (place < count && strcmp(words[place], "exec") != 0)
        place++;
    if (place >= count) {
        fprintf(stderr, "Usage: anyhook-client PROGRAM ... exec --client CLIENT ...\n");
        return 2;
    }
    instead = words + 1;
    hear_of_children();
    for (int fd = 0; fd < 3; fd++) /* the socket would get the number of a closed one */
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) < 0)
            run_instead();
    signal(SIGPIPE, SIG_IGN);

    struct bytes answer = {0};
    long deadline = now_ms() + PATIENCE_MS;
    int fd = connect_to_daemon(deadline);
    if (fd < 0 || !send_head(fd, words + place, deadline) || !receive(fd, &answer, 1, deadline) || answer.data[0] != 'Y')
        run_instead();
    answer.size = 0;
    if (!take_stdin() || !send_stdin(fd) || !receive(fd, &answer, ANSWER_HEAD, -1) || answer.data[0] != 'A')
        run_instead();
    size_t out = number_at(answer.data + 2), err = number_at(answer.data + 6);
    if (out > MAX_ANSWER || err > MAX_ANSWER || !receive(fd, &answer, ANSWER_HEAD + out + err, -1))
        run_instead();
    write_all(1, answer.data + ANSWER_HEAD, out);
    write_all(2, answer.data + ANSWER_HEAD + out, err);
    return (unsigned char)answer.data[1];
}
