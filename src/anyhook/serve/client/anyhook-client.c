/* Asks the daemon to answer an event, and runs anyhook itself when there is none: see docs/daemon.md.
 *
 *     anyhook-client PROGRAM ... exec --client CLIENT ...
 *
 * PROGRAM and what follows is what is run instead; the daemon is told what stands from "exec" on. C99 and POSIX, nothing else. Whatever goes wrong before the whole
 * answer is here ends in run_instead(), with all of stdin, so that the answer is the same with and without a daemon.
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
    PATIENCE_MS = 50,              /* to find out whether there is a daemon */
    MAX_STDIN = 64 * 1024 * 1024,  /* what the daemon takes */
    MAX_ANSWER = 256 * 1024 * 1024,
    SMALL = 16 * 1024,             /* fits into every empty pipe */
    ANSWER_HEAD = 10               /* kind, exit status, size of stdout, size of stderr */
};

extern char **environ;

struct bytes {
    char *data;
    size_t size, room;
};

static char **instead;     /* the command line that is run without a daemon */
static struct bytes taken; /* what was read from stdin */
static int has_taken_all;

/* ---------------------------------------------------------------------------------------------- without the daemon */

static void write_all(int fd, const char *data, size_t size) {
    while (size > 0) {
        ssize_t done = write(fd, data, size);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return; /* nobody reads it any more */
        data += done;
        size -= (size_t)done;
    }
}

/* Make a pipe stdin that gives what was read already, and then the rest. */
static void give_back_stdin(void) {
    int ends[2];
    if (taken.size == 0 && !has_taken_all)
        return;
    if (pipe(ends) != 0)
        _exit(127);
    if (has_taken_all && taken.size <= SMALL) {
        write_all(ends[1], taken.data, taken.size);
    } else {
        pid_t child = fork();
        if (child < 0)
            _exit(127);
        if (child == 0) {
            if (fork() != 0) /* a grandchild feeds, so that nobody has a child that it does not know */
                _exit(0);
            char piece[65536];
            ssize_t got = 0;
            close(ends[0]);
            write_all(ends[1], taken.data, taken.size);
            while (!has_taken_all && (got = read(0, piece, sizeof piece)) != 0) {
                if (got > 0)
                    write_all(ends[1], piece, (size_t)got);
                else if (errno != EINTR)
                    break;
            }
            _exit(0);
        }
        while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    close(ends[1]);
    dup2(ends[0], 0);
    close(ends[0]);
}

static void run_instead(void) {
    give_back_stdin();
    signal(SIGPIPE, SIG_DFL);
    execvp(instead[0], instead);
    fprintf(stderr, "anyhook-client: %s: %s\n", instead[0], strerror(errno));
    _exit(errno == ENOENT ? 127 : 126);
}

/* ------------------------------------------------------------------------------------------------------------ bytes */

static void make_room(struct bytes *to, size_t size) {
    if (to->room - to->size >= size)
        return;
    size_t room = to->room ? to->room : 65536;
    while (room - to->size < size)
        room *= 2;
    char *data = realloc(to->data, room);
    if (data == NULL)
        run_instead();
    to->data = data;
    to->room = room;
}

static void add(struct bytes *to, const void *data, size_t size) {
    make_room(to, size);
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

/* Wait until the socket is ready; 0: it is not, in time. A deadline below 0 means for ever. */
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

/* Read at least so many bytes; 0: they do not come. */
static int receive(int fd, struct bytes *to, size_t wanted, long deadline) {
    while (to->size < wanted) {
        make_room(to, wanted - to->size);
        ssize_t got = read(fd, to->data + to->size, to->room - to->size);
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

/* The same rule as in serve/runtime_folder.py. */
static int find_socket(char *path, size_t room) {
    const char *moved = getenv("ANYHOOK_STATE_DIR"), *runtime = getenv("XDG_RUNTIME_DIR"), *home = getenv("HOME");
    int size;
    if (moved && *moved)
        size = snprintf(path, room, "%s/run/daemon.sock", moved);
    else if (runtime && *runtime == '/')
        size = snprintf(path, room, "%s/anyhook/daemon.sock", runtime);
    else if (home && *home)
        size = snprintf(path, room, "%s/.local/state/anyhook/run/daemon.sock", home);
    else
        return 0;
    return size > 0 && (size_t)size < room;
}

/* Whether the process at the other end is ours; where the system does not say, the file's owner has to do. */
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
        if ((errno != EAGAIN && errno != EINTR) || now_ms() >= deadline) { /* EAGAIN: too many are waiting */
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
        make_room(&taken, 65536);
        ssize_t got = read(0, taken.data + taken.size, taken.room - taken.size);
        if (got > 0)
            taken.size += (size_t)got;
        else if (!(got < 0 && errno == EINTR)) {
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
    for (int fd = 0; fd < 3; fd++) /* a closed one would be the number that the socket gets */
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
