/* SPDX-License-Identifier: BSD-3-Clause */
#include "control/show/telemetry_socket.h"
#include "control/base/asker.h"
#include "control/base/clock.h"
#include "control/base/command.h"
#include "control/base/eal.h"
#include "control/report/field.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define FOLDER         "/gbflow/"
#define QUESTION_CHARS 1024
#define WRONG_CHARS    160
#define VERB           ",verb="
#define REFUSAL_CHARS  80
#define MOST_OCTETS    16384 /* as DPDK's greeting says */

/* --- the path --- */

bool telemetry_socket_is_name(const char *name)
{
    static const char good[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    size_t chars = strspn(name, good);
    return !name[chars] && chars > 0 && chars <= TELEMETRY_SOCKET_NAME_CHARS && name[0] != '-';
}

static void make_folder(const char *path)
{
    char folder[sizeof(((struct sockaddr_un *)0)->sun_path)];
    snprintf(folder, sizeof(folder), "%s", path);
    for (char *at = folder + 1; (at = strchr(at, '/')); at++) {
        *at = '\0';
        mkdir(folder, 0700); /* bind() tells why it cannot be used */
        *at = '/';
    }
}

bool telemetry_socket_path(char out[108], const char *prefix)
{
    size_t cap = sizeof(((struct sockaddr_un *)0)->sun_path), used = eal_folder(out, cap);
    return snprintf(out + used, cap - used, "/%s/" TELEMETRY_SOCKET_FILE, prefix) < (int)(cap - used);
}

/* Whether no process listens at the path any more. */
static bool is_left_over(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool is_refused = fd >= 0 && connect(fd, (const struct sockaddr *)address, sizeof(*address)) != 0 &&
                      errno == ECONNREFUSED;
    if (fd >= 0)
        close(fd);
    return is_refused;
}

static bool bind_to(int fd, const struct sockaddr_un *address)
{
    for (int tries = 0; tries < 2; tries++) {
        if (bind(fd, (const struct sockaddr *)address, sizeof(*address)) == 0)
            return true;
        if (errno != EADDRINUSE || !is_left_over(address))
            break;
        unlink(address->sun_path);
    }
    return false;
}

/* --- clients --- */

static bool telemetry_socket_watch(const struct telemetry_socket *s, int fd, uint32_t index)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = index};
    return epoll_ctl(s->fd, EPOLL_CTL_ADD, fd, &event) == 0;
}

static void drop(const struct telemetry_socket *s, struct telemetry_socket_client *client)
{
    if (client->followed)
        client->followed->leave(s->source.record, client->fd);
    close(client->fd);
    *client = (struct telemetry_socket_client){.fd = -1};
}

/* Frees root. */
static void send_json(const struct telemetry_socket *s, struct telemetry_socket_client *client, json_t *root)
{
    char *text = json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(12));
    size_t octets = text ? strlen(text) : 0;
    if (!text || send(client->fd, text, octets, MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)octets)
        drop(s, client);
    free(text);
    json_decref(root);
}

/* Whether a client makes room for one that may act, or for one that may only read: none of a reader's does so
 * for another reader before it has been idle for a while, and none that may act for a reader. */
static bool makes_room(const struct telemetry_socket *s, const struct telemetry_socket_client *client,
                       bool for_one_who_acts)
{
    bool is_idle = !client->order && s->now - client->heard_ns >= TELEMETRY_SOCKET_IDLE_NS;
    if (client->fd < 0 || client->followed)
        return false;
    return for_one_who_acts ? is_idle || !client->may_act : is_idle && !client->may_act;
}

static bool is_idler(const struct telemetry_socket_client *client, const struct telemetry_socket_client *than)
{
    if (!client->order != !than->order)
        return !client->order;
    return client->heard < than->heard;
}

static struct telemetry_socket_client *idlest(struct telemetry_socket *s, bool for_one_who_acts)
{
    struct telemetry_socket_client *oldest = NULL;
    for (struct telemetry_socket_client *c = s->clients; c < s->clients + TELEMETRY_SOCKET_CLIENTS; c++)
        if (makes_room(s, c, for_one_who_acts) && (!oldest || is_idler(c, oldest)))
            oldest = c;
    return oldest;
}

/* A free place; else that of the client that has been idle longest; NULL: none makes room. */
static struct telemetry_socket_client *place(struct telemetry_socket *s, bool may_act)
{
    for (struct telemetry_socket_client *c = s->clients; c < s->clients + TELEMETRY_SOCKET_CLIENTS; c++)
        if (c->fd < 0)
            return c;
    return idlest(s, may_act);
}

static void turn_away(const struct telemetry_socket *s, int fd)
{
    char text[REFUSAL_CHARS];
    struct telemetry_socket_client client = {.fd = fd};
    snprintf(text, sizeof(text), "busy: %d clients", TELEMETRY_SOCKET_CLIENTS);
    send_json(s, &client, json_pack("{s:s, s:s*}", "error", text, "kind", s->source.kind));
    if (client.fd >= 0)
        close(client.fd);
}

static void take_client(struct telemetry_socket *s, int fd)
{
    const struct asker asker = asker_of(fd);
    bool may_act = asker_may_act(&asker);
    struct telemetry_socket_client *client = place(s, may_act);
    if (!client) {
        turn_away(s, fd);
        return;
    }
    if (client->fd >= 0)
        drop(s, client);
    if (!telemetry_socket_watch(s, fd, (uint32_t)(client - s->clients))) {
        close(fd);
        return;
    }
    *client = (struct telemetry_socket_client){
        .fd = fd, .heard = ++s->turn, .heard_ns = s->now, .may_act = may_act};
    send_json(s, client,
              json_pack("{s:s, s:i, s:i, s:b, s:s*}", "version", command_version(), "pid", (int)getpid(),
                        "max_output_len", MOST_OCTETS, "acts", (int)may_act, "kind", s->source.kind));
}

static void stop_listening(struct telemetry_socket *s)
{
    if (s->listener >= 0)
        close(s->listener);
    s->listener = -1;
}

/* A listener that is ready and not served would keep the loop busy: it is not heard until the next look. */
static void hear(struct telemetry_socket *s, bool is_heard)
{
    struct epoll_event event = {.events = is_heard ? EPOLLIN : 0, .data.u32 = TELEMETRY_SOCKET_CLIENTS};
    epoll_ctl(s->fd, EPOLL_CTL_MOD, s->listener, &event);
}

/* After a failure of accept(). Without descriptors an idle client makes room, or those who come wait; at
 * another error the listener is opened again at the next look. */
static bool can_go_on(struct telemetry_socket *s)
{
    struct telemetry_socket_client *idle = idlest(s, true);
    bool is_full = errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS;
    if (errno == ECONNABORTED || errno == EINTR)
        return true;
    if (is_full && idle)
        drop(s, idle);
    else if (is_full)
        hear(s, false);
    else if (errno != EAGAIN)
        stop_listening(s);
    return is_full && idle;
}

static void take_clients(struct telemetry_socket *s)
{
    for (int i = 0; i < TELEMETRY_SOCKET_CLIENTS && s->listener >= 0; i++) {
        int fd = accept4(s->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
        if (fd >= 0)
            take_client(s, fd);
        else if (!can_go_on(s))
            return;
    }
}

/* --- answers --- */

/* The answer to an order, unless it has to wait; meanwhile nothing is read of the client. */
static void answer_order(struct telemetry_socket *s, struct telemetry_socket_client *client)
{
    const struct telemetry_order *order = client->order;
    bool is_pending = order->is_pending && order->is_pending(s->source.record);
    struct epoll_event event = {.events = is_pending ? 0 : EPOLLIN,
                                .data.u32 = (uint32_t)(client - s->clients)};
    epoll_ctl(s->fd, EPOLL_CTL_MOD, client->fd, &event);
    if (is_pending)
        return;
    char command[QUESTION_CHARS];
    snprintf(command, sizeof(command), FOLDER "%s", order->name);
    client->order = NULL;
    json_t *answer = json_pack("{s:s}", "result", client->wrong ? client->wrong : "ok");
    json_t *more = order->answer && !client->wrong ? order->answer(s->source.record) : NULL;
    json_object_update(answer, more);
    json_decref(more);
    send_json(s, client, json_pack("{s:o}", command, answer));
}

static void answer_orders(struct telemetry_socket *s)
{
    for (struct telemetry_socket_client *c = s->clients; c < s->clients + TELEMETRY_SOCKET_CLIENTS; c++)
        if (c->order)
            answer_order(s, c);
}

static json_t *answer_to(const struct telemetry_socket *s, const char *question, const char *name,
                         const char *parameters)
{
    json_t *root = json_object();
    if (json_object_set_new(root, question,
                            name ? telemetry_reply(&s->source, name, parameters) : json_null()) != 0)
        json_object_set_new(root, "error", json_string("the command is not UTF-8"));
    return root;
}

static bool needs_right(const struct telemetry_order *order)
{
    return !order->tell && !order->follow && !order->is_read_only;
}

/* "act page" of an act with its verb among the parameters. */
static void refuse(const struct telemetry_socket *s, struct telemetry_socket_client *client,
                   const struct asker *asker, const char *parameters)
{
    char command[QUESTION_CHARS], text[WRONG_CHARS];
    const char *verb = parameters ? strstr(parameters, VERB) : NULL;
    verb = verb ? verb + strlen(VERB) : "";
    snprintf(command, sizeof(command), FOLDER "%s", client->order->name);
    snprintf(text, sizeof(text),
             "%s%s%.*s: uid %u may only read; it needs root or the process's user, uid %u",
             client->order->name, *verb ? " " : "", (int)strcspn(verb, ","), verb, asker->uid, geteuid());
    client->order = NULL;
    send_json(s, client, json_pack("{s:{s:s}}", command, "result", text));
}

static void carry_out(struct telemetry_socket *s, struct telemetry_socket_client *client,
                      const char *parameters)
{
    const struct telemetry_order *order = client->order;
    const struct asker asker = asker_of(client->fd);
    if (needs_right(order) && !asker_may_act(&asker)) {
        refuse(s, client, &asker, parameters);
        return;
    }
    client->wrong = order->follow ? order->follow(s->source.record, parameters, client->fd)
                                  : telemetry_carry_out(order, s->source.record, parameters, &asker);
    if (order->follow && !client->wrong)
        client->followed = order;
    answer_order(s, client);
}

static void tell(const struct telemetry_socket *s, struct telemetry_socket_client *client,
                 const char *question, const char *parameters)
{
    json_t *answer = client->order->tell(s->source.record, parameters);
    client->order = NULL;
    send_json(s, client, json_pack("{s:o}", question, answer));
}

static bool is_utf8(const char *text)
{
    json_t *string = text ? json_string(text) : json_null();
    json_decref(string);
    return string != NULL;
}

/* An order is carried out; of a table, an object with the answer by the command, as DPDK sends it. */
static void answer_question(struct telemetry_socket *s, struct telemetry_socket_client *client,
                            char *question)
{
    char *parameters = strchr(question, ',');
    if (parameters)
        *parameters++ = '\0';
    const char *name = strncmp(question, FOLDER, strlen(FOLDER)) == 0 ? question + strlen(FOLDER) : NULL;
    client->order = name && is_utf8(parameters) ? telemetry_order_of(&s->source, name) : NULL;
    if (!client->order) {
        send_json(s, client, answer_to(s, question, name, parameters));
        return;
    }
    if (client->order->tell) {
        tell(s, client, question, parameters);
        return;
    }
    carry_out(s, client, parameters);
}

static void refuse_octets(const struct telemetry_socket *s, struct telemetry_socket_client *client,
                          size_t octets)
{
    char text[REFUSAL_CHARS];
    snprintf(text, sizeof(text), "a command of %zu octets; at most %d are taken", octets, QUESTION_CHARS - 1);
    send_json(s, client, json_pack("{s:s}", "error", text));
}

static void answer_client(struct telemetry_socket *s, struct telemetry_socket_client *client)
{
    char question[QUESTION_CHARS];
    ssize_t got = recv(client->fd, question, sizeof(question) - 1, MSG_DONTWAIT | MSG_TRUNC);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0 || client->followed) { /* it has gone, or says something in the midst of its messages */
        drop(s, client);
        return;
    }
    client->heard = ++s->turn;
    client->heard_ns = s->now;
    if (got >= QUESTION_CHARS) {
        refuse_octets(s, client, (size_t)got);
        return;
    }
    question[got] = '\0';
    answer_question(s, client, question);
}

/* --- the socket --- */

/* False, with errno: it cannot be had. */
static bool listen_at(struct telemetry_socket *s)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat file;
    bool is_name = telemetry_socket_is_name(s->prefix);
    if (!telemetry_socket_path(address.sun_path, s->prefix) || !is_name) {
        errno = is_name ? ENAMETOOLONG : EINVAL;
        return false;
    }
    make_folder(address.sun_path);
    s->listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (s->listener < 0 || !bind_to(s->listener, &address))
        return false;
    memcpy(s->path, address.sun_path, sizeof(s->path));
    if (stat(s->path, &file) != 0 || listen(s->listener, TELEMETRY_SOCKET_CLIENTS) != 0)
        return false;
    s->file = file.st_ino;
    return telemetry_socket_watch(s, s->listener, TELEMETRY_SOCKET_CLIENTS);
}

/* Another process may have put its own in the file's place. A process that changed its user (serve --user)
 * may not look into the folder any more, and could not bind there again. */
static bool has_file(const struct telemetry_socket *s)
{
    struct stat file;
    if (!s->path[0])
        return false;
    return stat(s->path, &file) == 0 ? file.st_ino == s->file : errno == EACCES;
}

static void leave_file(struct telemetry_socket *s)
{
    if (has_file(s))
        unlink(s->path);
    s->path[0] = '\0';
}

static void complain(struct telemetry_socket *s, int error)
{
    char path[sizeof(s->path)] = "";
    if (s->has_complained)
        return;
    s->has_complained = true;
    telemetry_socket_path(path, s->prefix);
    command_error("",
                  "warning: no socket at %s: %s; gbflow show and top do not reach this process until there "
                  "is one, which is tried again and again. Another name (--prefix, of a node eal.prefix) is "
                  "another socket",
                  path, strerror(error));
}

static void start_listening(struct telemetry_socket *s)
{
    if (listen_at(s)) {
        if (s->has_complained)
            command_error("", "the socket at %s is there", s->path);
        s->has_complained = false;
        return;
    }
    int error = errno;
    stop_listening(s);
    complain(s, error);
}

/* Whether the listener is there and its file is where clients look for it. */
static void look(struct telemetry_socket *s)
{
    if (s->listener >= 0 && has_file(s)) {
        hear(s, true);
        return;
    }
    stop_listening(s);
    leave_file(s);
    start_listening(s);
}

/* --- life --- */

bool telemetry_socket_open(struct telemetry_socket *s, const char *prefix,
                           const struct telemetry_source *source)
{
    *s = (struct telemetry_socket){
        .source = *source, .prefix = prefix, .fd = epoll_create1(EPOLL_CLOEXEC), .listener = -1};
    for (uint32_t i = 0; i < TELEMETRY_SOCKET_CLIENTS; i++)
        s->clients[i].fd = -1;
    if (s->fd >= 0)
        start_listening(s);
    else
        command_error("",
                      "no descriptor for a socket for gbflow show and top: %s; raise the limit of open "
                      "files (ulimit -n, LimitNOFILE=)",
                      strerror(errno));
    return s->fd >= 0;
}

static void serve_clients(struct telemetry_socket *s)
{
    struct epoll_event events[TELEMETRY_SOCKET_CLIENTS + 1];
    int count = epoll_wait(s->fd, events, TELEMETRY_SOCKET_CLIENTS + 1, 0);
    bool has_new = false;
    for (int i = 0; i < count; i++) {
        struct telemetry_socket_client *client = &s->clients[events[i].data.u32];
        if (events[i].data.u32 == TELEMETRY_SOCKET_CLIENTS)
            has_new = true;
        else if (client->fd >= 0 && client->order)
            drop(s, client); /* it has gone */
        else if (client->fd >= 0)
            answer_client(s, client);
    }
    if (has_new) /* after the answers: a client that has just asked is not idle */
        take_clients(s);
}

int64_t telemetry_socket_step(struct telemetry_socket *s, int64_t now)
{
    if (s->fd < 0)
        return MOMENT_NEVER;
    s->now = now;
    answer_orders(s);
    serve_clients(s);
    if (now >= s->look_ns) {
        look(s);
        s->look_ns = now + TELEMETRY_SOCKET_LOOK_NS;
    }
    return s->look_ns;
}

void telemetry_socket_close(struct telemetry_socket *s)
{
    if (s->fd >= 0) {
        for (uint32_t i = 0; i < TELEMETRY_SOCKET_CLIENTS; i++)
            if (s->clients[i].fd >= 0)
                drop(s, &s->clients[i]);
        leave_file(s);
        stop_listening(s);
        close(s->fd);
    }
    *s = (struct telemetry_socket)TELEMETRY_SOCKET_CLOSED;
}
