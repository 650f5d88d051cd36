// SPDX-License-Identifier: MIT
// A detector of bright and of dark squares: the CPU has a photo, the VIC halves it, the DLA scores
// each cell of it, a kernel keeps the best cells, the CPU reads the list.
//
//   detector network.loadable hybrid|standalone [WITHOUT]
//   with: vtegra dla build network.json -o network.loadable
//
//   photo    the CPU writes it, the VIC reads it: its operation is submitted before
//   image    the VIC writes it, the DLA reads it where it lies: nothing is copied
//   scores   the DLA writes them, the kernel reads them
//   found    the kernel writes it, the CPU reads it
//
//   filled   the CPU flushes the photo, then signals; the VIC waits
//            without: filled-flush, filled-wait
//   resized  the VIC signals. standalone: the DLA's task waits; hybrid: the stream of the task
//            without: resized-wait
//   scored   standalone: the DLA signals, the kernel's stream waits; hybrid: an event between the
//            streams of task and kernel        without: scored-wait; standalone: scored-memsync
//   done     CUDA signals behind the kernel; the CPU waits
//            without: done-wait, done-memsync
//
// Scores and list are computed in plain C++ below, and the list is compared with where the squares
// were drawn. Status 1: a frame is wrong.
#include "../sci/dla.h"
#include "../sci/image.h"
#include <string>

// PHOTO: pixels of a side; IMAGE: of the halved one; CELLS: of the score map.
enum { PHOTO = 128, IMAGE = 64, CELLS = 16, CLASSES = 2, FRAMES = 3, THRESHOLD = 30 };
enum { ATOM = 32, SCORES = CELLS * CELLS * ATOM }; // 32 channels of a cell lie together

static std::string without;
static bool hybrid;

static bool has(const char *barrier)
{
    return without != barrier;
}

/* --- the scene -------------------------------------------------------------------------------- */

// A square covers one cell, 4 x 4 pixels of the image. They lie apart, and move with the frame.
struct square {
    int x, y, kind; // kind: 1 bright, 2 dark
};
enum { SQUARES = 4 };

static square square_at(int i, int frame)
{
    static const square first[SQUARES] = { { 2, 3, 1 }, { 9, 2, 2 }, { 4, 10, 2 }, { 11, 11, 1 } };
    square s = first[i];

    s.x += frame;
    s.y += frame * (i % 2);
    return s;
}

static int kind_at(int x, int y, int frame)
{
    for (int i = 0; i < SQUARES; i++) {
        square s = square_at(i, frame);

        if (s.x == x && s.y == y) {
            return s.kind;
        }
    }
    return 0;
}

// R, G, B of a pixel of the image: grey with some noise.
static int component(int x, int y, int c, int frame)
{
    int kind = kind_at(x / 4, y / 4, frame), noise = (x * 7 + y * 13 + c * 5 + frame * 3) % 9 - 4;

    return (kind == 1 ? 230 : kind == 2 ? 20 : 128) + noise;
}

// Four equal pixels of the photo for each of the image: however the VIC filters, half of it is the
// image.
static void fill(const struct image &photo, int frame)
{
    for (unsigned y = 0; y < PHOTO; y++) {
        uint8_t *row = photo.cpu + y * photo.pitch[0];

        for (unsigned x = 0; x < PHOTO * 4; x++) {
            int c = x % 4, px = x / 4;

            row[x] = c < 3 ? (uint8_t)component(px / 2, y / 2, c, frame) : 255; // MARK fill
        }
    }
}

/* --- what should come out --------------------------------------------------------------------- */

// What network.json says, by hand. The DLA rounds shifts half away from zero, and saturates.
static int shifted(int v, int shift)
{
    int half = 1 << (shift - 1), r = v < 0 ? -((-v + half) >> shift) : (v + half) >> shift;

    return r > 127 ? 127 : r < -128 ? -128 : r;
}

static int luma(int x, int y, int frame)
{
    static const int tap[] = { 1, 2, 1 }, weight[] = { 1, 2, 1 };
    int sum = 0;

    for (int i = 0; i < 27; i++) {
        int c = i / 9, dy = i % 9 / 3, dx = i % 3, iy = 2 * y + dy - 1, ix = 2 * x + dx - 1;

        if (iy >= 0 && ix >= 0) { // beside the image: 0, grey
            sum += weight[c] * tap[dy] * tap[dx] * (component(ix, iy, c, frame) - 128);
        }
    }
    return shifted(sum, 6);
}

static int cell(int x, int y, int frame)
{
    int best = -128;

    for (int i = 0; i < 4; i++) {
        int v = luma(2 * x + i % 2, 2 * y + i / 2, frame);

        best = v > best ? v : best;
    }
    return best;
}

static void expect(int8_t *scores, int frame)
{
    int cells[CELLS][CELLS];

    for (int i = 0; i < CELLS * CELLS; i++) {
        cells[i / CELLS][i % CELLS] = cell(i % CELLS, i / CELLS, frame);
    }
    memset(scores, 0, SCORES);
    for (int i = 0; i < CELLS * CELLS; i++) {
        int sum = 9 * cells[i / CELLS][i % CELLS];

        for (int n = 0; n < 9; n++) {
            int y = i / CELLS + n / 3 - 1, x = i % CELLS + n % 3 - 1;

            sum -= y >= 0 && y < CELLS && x >= 0 && x < CELLS ? cells[y][x] : 0;
        }
        for (int k = 0; k < CLASSES; k++) {
            int v = (k ? -sum : sum) - 80;

            scores[i * ATOM + k] = (int8_t)(v > 0 ? shifted(v, 3) : 0);
        }
    }
}

__host__ __device__ static int best_kind(const int8_t *scores, int i)
{
    return scores[i * ATOM] >= scores[i * ATOM + 1] ? 1 : 2;
}

__host__ __device__ static int best_score(const int8_t *scores, int i)
{
    return scores[i * ATOM + best_kind(scores, i) - 1]; // MARK score
}

// Is the cell better than its neighbours (the first of equal ones), and good enough? Its kind,
// times 256, and its score; or 0.
__host__ __device__ static int detect(const int8_t *scores, int i)
{
    int mine = best_score(scores, i), x = i % CELLS, y = i / CELLS;

    for (int n = 0; n < 9; n++) {
        int ny = y + n / 3 - 1, nx = x + n % 3 - 1, at = ny * CELLS + nx;

        if (ny >= 0 && ny < CELLS && nx >= 0 && nx < CELLS && at != i) {
            int other = best_score(scores, at);

            if (other > mine || (other == mine && at < i)) {
                return 0;
            }
        }
    }
    return mine >= THRESHOLD ? best_kind(scores, i) << 8 | mine : 0;
}

__global__ void keep_best(const int8_t *scores, int *found)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    found[i] = detect(scores, i); // MARK keep
}

static bool wrong_in(const int *found, int frame)
{
    static int8_t scores[SCORES];
    bool wrong = false;

    expect(scores, frame);
    for (int i = 0; i < CELLS * CELLS; i++) {
        int is = found[i]; // MARK found

        wrong |= is != detect(scores, i);
        wrong |= is >> 8 != kind_at(i % CELLS, i / CELLS, frame);
    }
    return wrong;
}

/* --- a frame ---------------------------------------------------------------------------------- */

static struct image photo, image;
static NvSciBufObj scores, found;
static NvSciSyncObj filled, resized, scored, done;
static const uint64_t FOUND = CELLS * CELLS * sizeof(int);

static NvSciSyncFence resize(NvSciSyncFence *before)
{
    NvSciSyncFence after = NvSciSyncFenceInitializer;
    NvMedia2DComposeParameters params;
    NvMedia2DComposeResult result;

    OK(NvMedia2DGetComposeParameters(vic, &params));
    OK(NvMedia2DSetSrcNvSciBufObj(vic, params, 0, photo.object));
    OK(NvMedia2DSetDstNvSciBufObj(vic, params, image.object)); // other sizes: it is scaled
    OK(NvMedia2DSetSrcFilter(vic, params, 0, NVMEDIA_2D_FILTER_LOW));
    if (has("filled-wait")) {
        OK(NvMedia2DInsertPreNvSciSyncFence(vic, params, before));
    }
    OK(NvMedia2DSetNvSciSyncObjforEOF(vic, params, resized));
    OK(NvMedia2DCompose(vic, params, &result)); // MARK compose
    OK(NvMedia2DGetEOFNvSciSyncFence(vic, &result, &after));
    return after;
}

// What both modes have of buffers and sync objects in CUDA and in cuDLA.
struct ends {
    imported scores, found, image;
    uint64_t *image_dla, *scores_dla, *scored_dla;
    cudaExternalSemaphore_t resized, scored, done;
    cudaStream_t dla_stream, stream;
    cudaEvent_t event;
};

static struct ends ends_new()
{
    struct ends e = {};

    e.scores = buffer_gpu(scores, SCORES);
    e.found = buffer_gpu(found, FOUND);
    e.done = sync_import(done);
    OK(cudaStreamCreateWithFlags(&e.stream, cudaStreamNonBlocking));
    if (hybrid) { // CUDA memory: that of the NvSci buffers
        e.image = buffer_gpu(image.object, image.size);
        e.image_dla = dla_register(e.image.gpu, image.size);
        e.scores_dla = dla_register(e.scores.gpu, SCORES);
        e.resized = sync_import(resized);
        OK(cudaStreamCreateWithFlags(&e.dla_stream, cudaStreamNonBlocking));
        OK(cudaEventCreateWithFlags(&e.event, cudaEventDisableTiming));
    } else {
        e.image_dla = dla_import(image.object, image.size);
        e.scores_dla = dla_import(scores, SCORES);
        dla_import_sync(resized);
        e.scored_dla = dla_import_sync(scored);
        e.scored = sync_import(scored);
    }
    return e;
}

static void ends_free(const struct ends &e)
{
    if (hybrid) {
        OK(cudlaMemUnregister(dla, e.image_dla));
        OK(cudlaMemUnregister(dla, e.scores_dla));
        imported_free(e.image);
        OK(cudaDestroyExternalSemaphore(e.resized));
        OK(cudaStreamDestroy(e.dla_stream));
        OK(cudaEventDestroy(e.event));
    } else {
        OK(cudaDestroyExternalSemaphore(e.scored));
    }
    OK(cudaDestroyExternalSemaphore(e.done));
    OK(cudaStreamDestroy(e.stream));
    imported_free(e.scores);
    imported_free(e.found);
}

// "all operations on the stream order": the task is between the wait and the event.
static void score_hybrid(const struct ends &e, NvSciSyncFence *is_resized)
{
    struct task task(e.image_dla, e.scores_dla);

    if (has("resized-wait")) {
        OK(cuda_wait(e.resized, is_resized, e.dla_stream));
    }
    OK(task.submit(e.dla_stream)); // MARK hybrid
    OK(cudaEventRecord(e.event, e.dla_stream));
    if (has("scored-wait")) {
        OK(cudaStreamWaitEvent(e.stream, e.event, 0));
    }
}

static void score_standalone(const struct ends &e, NvSciSyncFence *is_resized,
                             NvSciSyncFence *is_scored)
{
    struct task task(e.image_dla, e.scores_dla, has("resized-wait") ? is_resized : nullptr,
                     e.scored_dla, is_scored);

    OK(task.submit()); // MARK standalone
    if (has("scored-wait")) {
        OK(cuda_wait(e.scored, is_scored, e.stream,
                     has("scored-memsync") ? 0 : cudaExternalSemaphoreWaitSkipNvSciBufMemSync));
    }
}

static bool frame_is_wrong(const struct ends &e, int frame)
{
    const unsigned skip = cudaExternalSemaphoreSignalSkipNvSciBufMemSync;
    NvSciSyncFence is_filled = NvSciSyncFenceInitializer, is_done = NvSciSyncFenceInitializer;
    NvSciSyncFence is_scored = NvSciSyncFenceInitializer, is_resized;
    bool wrong;

    OK(NvSciSyncObjGenerateFence(filled, &is_filled));
    is_resized = resize(&is_filled); // before its input is there
    if (hybrid) {
        score_hybrid(e, &is_resized);
    } else {
        score_standalone(e, &is_resized, &is_scored);
    }
    keep_best<<<CELLS, CELLS, 0, e.stream>>>((const int8_t *)e.scores.gpu, e.found.gpu);
    OK(cuda_signal(e.done, &is_done, e.stream, has("done-memsync") ? 0 : skip));
    fill(photo, frame);
    if (has("filled-flush")) {
        flush(photo);
    }
    OK(NvSciSyncObjSignal(filled));
    if (has("done-wait")) {
        OK(NvSciSyncFenceWait(&is_done, context, -1));
    }
    wrong = wrong_in(buffer_cpu(found), frame);
    OK(cudaDeviceSynchronize()); // the next frame begins when all of this one is over
    for (NvSciSyncFence *fence : { &is_resized, &is_scored, &is_done, &is_filled }) {
        if (fence != &is_scored || !hybrid) {
            OK(NvSciSyncFenceWait(fence, context, -1));
        }
        NvSciSyncFenceClear(fence);
    }
    return wrong;
}

/* --- from start to end ------------------------------------------------------------------------ */

static void allocate()
{
    struct users users;

    photo = image_new({ PHOTO, PHOTO });
    image = image_new({ IMAGE, IMAGE, false, hybrid, true });
    users.bytes = SCORES;
    users.cpu = false;
    users.engine = NvSciBufHwEngName_DLA;
    scores = buffer_new(users);
    users.bytes = FOUND;
    users.cpu = true;
    users.engine = NvSciBufHwEngName_Invalid;
    found = buffer_new(users);
    filled = sync_new(cpu_list(SIGNALS), vic_list(NVMEDIA_WAITER));
    resized = sync_new(vic_list(NVMEDIA_SIGNALER), hybrid ? cuda_list(WAITS) : dla_list(WAITS));
    scored = hybrid ? nullptr : sync_new(dla_list(SIGNALS), cuda_list(WAITS));
    done = sync_new(cuda_list(SIGNALS), cpu_list(WAITS));
    OK(NvMedia2DRegisterNvSciSyncObj(vic, NVMEDIA_PRESYNCOBJ, filled));
    OK(NvMedia2DRegisterNvSciSyncObj(vic, NVMEDIA_EOFSYNCOBJ, resized));
}

static void release()
{
    image_free(photo);
    image_free(image);
    OK(NvMedia2DUnregisterNvSciSyncObj(vic, filled));
    OK(NvMedia2DUnregisterNvSciSyncObj(vic, resized));
    OK(NvMedia2DDestroy(vic));
    for (NvSciBufObj buffer : { scores, found }) {
        NvSciBufObjFree(buffer);
    }
    for (NvSciSyncObj sync : { filled, resized, scored, done }) {
        if (sync) {
            NvSciSyncObjFree(sync);
        }
    }
    sci_close();
}

int main(int argc, char **argv)
{
    struct ends ends;
    int wrong = 0;

    hybrid = argc > 2 && !strcmp(argv[2], "hybrid");
    without = argc > 3 ? argv[3] : "";
    sci_open();
    OK(cudaSetDevice(0));
    OK(NvMedia2DCreate(&vic, nullptr));
    dla_open(argv[1], hybrid ? CUDLA_CUDA_DLA : CUDLA_STANDALONE);
    allocate();
    ends = ends_new();
    for (int frame = 0; frame < FRAMES; frame++) {
        wrong += frame_is_wrong(ends, frame);
    }
    printf("%d of %d frames wrong\n", wrong, FRAMES);
    ends_free(ends);
    OK(cudlaGetLastError(dla));
    OK(cudlaDestroyDevice(dla));
    release();
    return wrong != 0;
}
