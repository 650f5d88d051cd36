/* SPDX-License-Identifier: MIT */
/* vtegra playground: the page (viewer/) served on this machine alone, with a field for a CUDA
 * program. */
#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include <json-glib/json-glib.h>

#include "profiles/profile.h"
#include "tools/cmd.h"
#include "tools/json_text.h"
#include "tools/paths.h"
#include "tools/playground/play.h"

#define CMD "playground"
#define TOKEN_BYTES 16u
#define BODY_MAX (PLAY_SOURCE_MAX * 2) /* as JSON */
#define PLAY_BEGIN "id=\"playground\">"
#define POLICY_BEGIN "default-src 'none';"

static const char description[] = "A page on http://127.0.0.1 where a CUDA program is typed, built "
                                  "by `vtegra cc`, run on a chosen SoC and shown as\n"
                                  "`vtegra view` shows a run. The address that is printed has a "
                                  "token, without which nothing is run. Programs run in\n"
                                  "bubblewrap, one at a time: they read files of this machine, "
                                  "write none, and have no network; 30 s, 128 processes.\n"
                                  "Ctrl-C ends it.\n"
                                  "\n"
                                  "  vtegra playground\n"
                                  "  vtegra playground --port 8123";

/* The server's, for all its threads: set before it starts. */
static struct {
    char *page, token[2 * TOKEN_BYTES + 1];
    unsigned port;
    int seconds;
} here = { .seconds = 30 };
static GMutex running; /* one program at a time */

/* --- answers --------------------------------------------------------------------------------- */

static enum MHD_Result playground_reply(struct MHD_Connection *c, unsigned status, const char *type,
                                        const char *text)
{
    struct MHD_Response *r =
        MHD_create_response_from_buffer(strlen(text), (void *)text, MHD_RESPMEM_MUST_COPY);
    enum MHD_Result result;

    MHD_add_response_header(r, "Content-Type", type);
    MHD_add_response_header(r, "Cache-Control", "no-store");
    MHD_add_response_header(r, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(r, "X-Frame-Options", "DENY");
    result = MHD_queue_response(c, status, r);
    MHD_destroy_response(r);
    return result;
}

/* {"error": "..."}: a sentence for the page. */
static enum MHD_Result reply_error(struct MHD_Connection *c, unsigned status, const char *sentence)
{
    g_autoptr(JsonBuilder) b = json_builder_new();
    g_autoptr(JsonNode) root = NULL;
    g_autofree char *text = NULL;

    json_builder_begin_object(b);
    json_builder_set_member_name(b, "error");
    json_builder_add_string_value(b, sentence);
    json_builder_end_object(b);
    root = json_builder_get_root(b);
    text = json_to_string(root, FALSE);
    return playground_reply(c, status, "application/json", text);
}

static void playground_member(JsonBuilder *b, const char *key, const char *text)
{
    json_builder_set_member_name(b, key);
    if (text) {
        json_builder_add_string_value(b, text);
    } else {
        json_builder_add_null_value(b);
    }
}

static enum MHD_Result reply_result(struct MHD_Connection *c, const struct play_result *p)
{
    g_autoptr(JsonBuilder) b = json_builder_new();
    g_autoptr(JsonNode) root = NULL;
    g_autofree char *text = NULL,
                    *data = p->data ? g_base64_encode((const guchar *)p->data->str, p->data->len)
                                    : NULL;

    json_builder_begin_object(b);
    json_builder_set_member_name(b, "built");
    json_builder_add_boolean_value(b, p->built);
    json_builder_set_member_name(b, "status");
    json_builder_add_int_value(b, p->status);
    playground_member(b, "said", p->said);
    playground_member(b, "over", p->over);
    playground_member(b, "data", data);
    json_builder_end_object(b);
    root = json_builder_get_root(b);
    text = json_to_string(root, FALSE);
    return playground_reply(c, MHD_HTTP_OK, "application/json", text);
}

/* --- who may ask ----------------------------------------------------------------------------- */

static gboolean is_here(const char *host)
{
    g_autofree char *number = g_strdup_printf("127.0.0.1:%u", here.port),
                    *name = g_strdup_printf("localhost:%u", here.port);

    return host && (strcmp(host, number) == 0 || strcmp(host, name) == 0);
}

/* In a time that does not depend on where they differ. */
static gboolean token_is(const char *token)
{
    unsigned differ = 0;

    if (!token || strlen(token) != strlen(here.token)) {
        return FALSE;
    }
    for (gsize i = 0; here.token[i]; i++) {
        differ |= (unsigned char)token[i] ^ (unsigned char)here.token[i];
    }
    return differ == 0;
}

/* A name that another site has led here (DNS rebinding) is refused by Host, a request of another
 * site's page by Origin. */
static const char *playground_refused(struct MHD_Connection *c, gboolean post)
{
    const char *host = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Host");
    const char *origin = MHD_lookup_connection_value(c, MHD_HEADER_KIND, "Origin");

    if (!is_here(host)) {
        return "the Host of this request is not this server";
    }
    if (origin ? !g_str_has_prefix(origin, "http://") || !is_here(origin + strlen("http://"))
               : post) {
        return "the Origin of this request is not this server's page";
    }
    if (post && !token_is(MHD_lookup_connection_value(c, MHD_HEADER_KIND, "X-Vtegra-Token"))) {
        return "the token is not this server's: open the address that vtegra playground has "
               "printed";
    }
    return NULL;
}

/* --- a program ------------------------------------------------------------------------------- */

static const char *word_of(JsonObject *o, const char *key, const char *otherwise)
{
    JsonNode *n = json_object_get_member(o, key);

    return !n ? otherwise
           : JSON_NODE_HOLDS_VALUE(n) && json_node_get_value_type(n) == G_TYPE_STRING
               ? json_node_get_string(n)
               : "";
}

static gboolean soc_is(const char *name)
{
    g_auto(GStrv) all = profile_list(NULL);

    return g_strv_contains((const char *const *)all, name);
}

static enum MHD_Result answer_run(struct MHD_Connection *c, const GString *body)
{
    static const char *const policies[] = { "lazy", "eager", "seeded", NULL };
    g_autoptr(JsonParser) parser = json_parser_new();
    const char *source, *soc, *policy;
    struct play_result result;
    JsonObject *o;
    JsonNode *seed;
    enum MHD_Result sent;

    if (!json_text_load(parser, "request", body->str, (gssize)body->len, NULL) ||
        !JSON_NODE_HOLDS_OBJECT(json_parser_get_root(parser))) {
        return reply_error(c, MHD_HTTP_BAD_REQUEST, "the request is no JSON object");
    }
    o = json_node_get_object(json_parser_get_root(parser));
    source = word_of(o, "source", "");
    soc = word_of(o, "soc", "orin");
    policy = word_of(o, "policy", "lazy");
    seed = json_object_get_member(o, "seed");
    if (!*source || strlen(source) > PLAY_SOURCE_MAX) {
        return reply_error(c, MHD_HTTP_BAD_REQUEST,
                           *source ? "the program has more than 256 KiB" : "there is no program");
    }
    if (!soc_is(soc) || !g_strv_contains(policies, policy)) {
        return reply_error(c, MHD_HTTP_BAD_REQUEST, "no such SoC or policy");
    }
    if (!g_mutex_trylock(&running)) {
        return reply_error(c, MHD_HTTP_SERVICE_UNAVAILABLE, "another program runs: one at a time");
    }
    play(source, soc, policy,
         seed && JSON_NODE_HOLDS_VALUE(seed) ? (guint64)json_node_get_int(seed) : 1,
         (unsigned)here.seconds, &result);
    g_mutex_unlock(&running);
    sent = reply_result(c, &result);
    play_free(&result);
    return sent;
}

static enum MHD_Result playground_answer(void *unused, struct MHD_Connection *c, const char *url,
                                         const char *method, const char *version, const char *data,
                                         size_t *len, void **state)
{
    GString *body = *state;
    gboolean post = strcmp(method, MHD_HTTP_METHOD_POST) == 0;
    const char *why;

    (void)unused;
    (void)version;
    if (!body) { /* headers alone */
        *state = g_string_new(NULL);
        return MHD_YES;
    }
    if (*len) {
        g_string_append_len(body, data,
                            (gssize)MIN(*len, BODY_MAX + 1 - MIN(body->len, BODY_MAX + 1)));
        *len = 0;
        return MHD_YES;
    }
    why = playground_refused(c, post);
    if (why) {
        return reply_error(c, MHD_HTTP_FORBIDDEN, why);
    }
    if (post && strcmp(url, "/run") == 0) {
        return body->len > BODY_MAX
                   ? reply_error(c, MHD_HTTP_CONTENT_TOO_LARGE, "the program has more than 256 KiB")
                   : answer_run(c, body);
    }
    if (strcmp(method, MHD_HTTP_METHOD_GET) == 0 && strcmp(url, "/") == 0) {
        return playground_reply(c, MHD_HTTP_OK, "text/html; charset=utf-8", here.page);
    }
    if (strcmp(url, "/favicon.ico") == 0) { /* browsers ask for it */
        return playground_reply(c, MHD_HTTP_NO_CONTENT, "text/plain", "");
    }
    return reply_error(c, MHD_HTTP_NOT_FOUND, "there is / and /run here");
}

static void playground_answered(void *unused, struct MHD_Connection *c, void **state,
                                enum MHD_RequestTerminationCode why)
{
    (void)unused;
    (void)c;
    (void)why;
    if (*state) {
        g_string_free(*state, TRUE);
        *state = NULL;
    }
}

/* --- the command ----------------------------------------------------------------------------- */

/* The page may ask this server, and knows that it is there. The token is not in it: it comes with
 * the address. */
static gboolean page_make(void)
{
    g_autofree char *path = paths_get("share/vtegra/viewer/page.html"), *page = NULL;
    char *policy, *play;

    if (!g_file_get_contents(path, &page, NULL, NULL) || !(policy = strstr(page, POLICY_BEGIN)) ||
        !(play = strstr(policy, PLAY_BEGIN))) {
        cmd_error(CMD,
                  "%s is not there, or of another version: this vtegra was built without the page "
                  "(scripts/install-deps.sh)",
                  path);
        return FALSE;
    }
    policy += strlen(POLICY_BEGIN);
    play += strlen(PLAY_BEGIN);
    here.page = g_strdup_printf("%.*s connect-src 'self';%.*shere%s", (int)(policy - page), page,
                                (int)(play - policy), policy, play);
    return TRUE;
}

static gboolean token_make(void)
{
    guint8 random[TOKEN_BYTES];

    if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random)) {
        cmd_error(CMD, "no random numbers: %s", g_strerror(errno));
        return FALSE;
    }
    for (gsize i = 0; i < TOKEN_BYTES; i++) {
        snprintf(here.token + 2 * i, 3, "%02x", random[i]);
    }
    return TRUE;
}

static struct MHD_Daemon *playground_serve(unsigned port)
{
    struct sockaddr_in at = { .sin_family = AF_INET,
                              .sin_port = htons((guint16)port),
                              .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    struct MHD_Daemon *d =
        MHD_start_daemon(MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD,
                         (guint16)port, NULL, NULL, playground_answer, NULL, MHD_OPTION_SOCK_ADDR,
                         (struct sockaddr *)&at, MHD_OPTION_NOTIFY_COMPLETED, playground_answered,
                         NULL, MHD_OPTION_CONNECTION_LIMIT, 16u, MHD_OPTION_END);

    if (!d) {
        cmd_error(CMD, "no server at 127.0.0.1:%u: is the port in use? --port takes another", port);
        return NULL;
    }
    here.port = MHD_get_daemon_info(d, MHD_DAEMON_INFO_BIND_PORT)->port;
    return d;
}

int cmd_playground(int argc, char **argv)
{
    int port = 0, sig;
    const GOptionEntry entries[] = {
        { "port", 0, 0, G_OPTION_ARG_INT, &port, "of 127.0.0.1 (0: a free one)", "N" },
        { "seconds", 0, 0, G_OPTION_ARG_INT, &here.seconds, "that a program may run (30)", "N" },
        { NULL, 0, 0, 0, NULL, NULL, NULL },
    };
    struct MHD_Daemon *d;
    sigset_t ends;

    if (!cmd_options(CMD, "- type a CUDA program in a page, run it on a board, see its memory",
                     description, entries, FALSE, &argc, &argv)) {
        return CMD_USAGE;
    }
    if (argc > 1 || port < 0 || port > 65535 || here.seconds < 1 || here.seconds > 3600) {
        cmd_error(CMD, argc > 1 ? "no argument is expected"
                                : "--port: 0 to 65535; --seconds: 1 to 3600");
        return CMD_USAGE;
    }
    if (play_missing()) {
        cmd_error(CMD, "%s", play_missing());
        return CMD_FAILED;
    }
    sigemptyset(&ends);
    sigaddset(&ends, SIGINT);
    sigaddset(&ends, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &ends, NULL); /* in the server's threads, too */
    if (!page_make() || !token_make() || !(d = playground_serve((unsigned)port))) {
        return CMD_FAILED;
    }
    printf("http://127.0.0.1:%u/#playground&token=%s\n", here.port, here.token);
    fflush(stdout);
    sigwait(&ends, &sig);
    play_stop();
    MHD_stop_daemon(d);
    g_free(here.page);
    return CMD_OK;
}
