// SPDX-License-Identifier: MIT
// CUDA for Tegra 5.1.3 and 5.1.4: cuDLA in standalone mode, without CUDA. Memory and sync objects
// are those of NvSci.
//
//   standalone network.loadable [WITHOUT]      with: vtegra dla build ../cudla_hybrid/network.json
//   -o network.loadable
//
//   a task between two fences, with the times of its start and end (SOF, EOF), submitted before its
//   frame is there and while the frame before is on its way in another handle     WITHOUT:
//   pre-fence, eof-wait deterministic semaphores: waits that the program makes before any signal
//   WITHOUT: deterministic NOOP: a task that the DLA skips, and whose events count events alone:
//   what the next submission waits for and signals fault diagnostics: the built-in module
//
// Status 1: an output is wrong.
#include "../sci/dla.h"
#include <string>

static std::string without;
static NvSciBufObj input, output, before_input, before_output;
static NvSciSyncObj from_cpu, to_cpu;
static uint64_t *in_dla, *out_dla, *to_cpu_dla;
static int8_t *in, *out, *before_in, *before_out;

static bool has(const char *barrier)
{
    return without != barrier;
}

static void buffers_new()
{
    struct users users;

    users.bytes = TENSOR;
    users.gpu = false;
    users.engine = NvSciBufHwEngName_DLA;
    input = buffer_new(users);
    output = buffer_new(users);
    before_input = buffer_new(users);
    before_output = buffer_new(users);
    in = (int8_t *)buffer_cpu(input);
    out = (int8_t *)buffer_cpu(output);
    before_in = (int8_t *)buffer_cpu(before_input);
    before_out = (int8_t *)buffer_cpu(before_output);
}

static void imports()
{
    in_dla = dla_import(input);
    out_dla = dla_import(output);
    dla_import_sync(from_cpu);
    to_cpu_dla = dla_import_sync(to_cpu);
}

static void fill_into(int8_t *bytes, int frame)
{
    for (int i = 0; i < TENSOR; i++) {
        bytes[i] = (int8_t)((i * 29 + frame * 13) % 256 - 128); // MARK fill
    }
}

static void fill(int frame)
{
    fill_into(in, frame);
}

static long sum_of(const int8_t *bytes)
{
    long sum = 0;

    for (int i = 0; i < TENSOR; i++) {
        sum += bytes[i] * (long)(i % 97 + 1); // MARK read
    }
    return sum;
}

// What the network makes of a frame, one task at a time: the reference of the other submissions.
static long result_of(int frame)
{
    NvSciSyncFence done = NvSciSyncFenceInitializer;
    struct task task(in_dla, out_dla, nullptr, to_cpu_dla, &done);

    fill(frame);
    OK(task.submit());
    OK(NvSciSyncFenceWait(&done, context, -1));
    NvSciSyncFenceClear(&done);
    return sum_of(out);
}

// A second handle of the same DLA: what is submitted to one does not wait for the other.
struct handle {
    cudlaDevHandle dla;
    cudlaModule module;
};

static struct handle handle_exchange(struct handle to)
{
    struct handle from = { dla, module };

    dla = to.dla;
    module = to.module;
    return from;
}

// Another handle has the frame before, with buffers and a sync object of its own.
struct frame_before {
    struct handle handle;
    NvSciSyncObj sync;
    NvSciSyncFence done = NvSciSyncFenceInitializer;

    frame_before(const char *loadable, int frame)
    {
        struct handle other = { dla, module };

        dla_open(loadable, CUDLA_STANDALONE);
        sync = sync_new(dla_list(SIGNALS), cpu_list(WAITS));
        {
            struct task task(dla_import(before_input), dla_import(before_output), nullptr,
                             dla_import_sync(sync), &done);

            fill_into(before_in, frame);
            OK(task.submit());
        }
        handle = handle_exchange(other);
    }
    frame_before(const frame_before &) = delete;

    bool is_wrong(long expected)
    {
        long sum;

        OK(NvSciSyncFenceWait(&done, context, -1));
        NvSciSyncFenceClear(&done);
        sum = sum_of(before_out);
        handle = handle_exchange(handle);
        OK(cudlaDestroyDevice(dla));
        NvSciSyncObjFree(sync);
        handle_exchange(handle);
        return sum != expected;
    }
};

// The listings of 5.1.4: submit, signal the wait events, wait for the signal events, read the
// times.
static int between_fences(const char *loadable, const long *expected)
{
    NvSciSyncFence pre = NvSciSyncFenceInitializer, sof = NvSciSyncFenceInitializer,
                   eof = NvSciSyncFenceInitializer;
    NvSciSyncObj starts = sync_new(dla_list(SIGNALS), cpu_list(WAITS | WITH_TIMES | DETERMINISTIC));
    CudlaFence fences[] = { { &sof, CUDLA_NVSCISYNC_FENCE_SOF }, { &eof, CUDLA_NVSCISYNC_FENCE } };
    uint64_t *objects[] = { dla_import_sync(starts), to_cpu_dla }, begin = 0, end = 0;
    cudlaSignalEvents events = { objects, fences, 2 };
    struct task task(in_dla, out_dla, has("pre-fence") ? &pre : nullptr);
    struct frame_before before(loadable, 0);
    bool wrong;
    long sum;

    OK(NvSciSyncObjGenerateFence(from_cpu, &pre));
    task.t.signalEvents = &events;
    OK(task.submit()); // MARK submit
    wrong = before.is_wrong(expected[0]);
    fill(1);
    OK(NvSciSyncObjSignal(from_cpu));
    if (has("eof-wait")) {
        OK(NvSciSyncFenceWait(&eof, context, -1));
    }
    sum = sum_of(out);
    OK(NvSciSyncFenceWait(&eof, context, -1));
    OK(NvSciSyncFenceGetTimestamp(&sof, &begin));
    OK(NvSciSyncFenceGetTimestamp(&eof, &end));
    wrong |= sum != expected[1];
    printf("between fences: %s, %s\n", wrong ? "wrong" : "right",
           begin && end >= begin ? "with both times" : "without times");
    NvSciSyncFenceClear(&pre);
    NvSciSyncFenceClear(&sof);
    NvSciSyncFenceClear(&eof);
    OK(cudlaMemUnregister(dla, objects[0]));
    NvSciSyncObjFree(starts);
    return wrong || !begin || end < begin;
}

// "Deterministic fences allow users to enqueue a wait over the semaphore object even before
// corresponding signal is enqueued."
static int deterministic(long expected)
{
    NvSciSyncFence fences[3] = {}, ignored = NvSciSyncFenceInitializer;
    NvSciSyncObj counts = sync_new(dla_list(SIGNALS), cpu_list(WAITS | DETERMINISTIC));
    uint64_t *signals = dla_import_sync(counts);
    long sum;

    for (uint64_t i = 0; i < 3; i++) {
        OK(NvSciSyncFenceUpdateFence(counts, 0, i + 1, &fences[i]));
    }
    fill(2);
    for (int i = 0; i < 3; i++) { // the first two are skipped, and count
        struct task task(in_dla, out_dla, nullptr, signals, &ignored);

        OK(task.submit(nullptr, i < 2 ? CUDLA_SUBMIT_NOOP : 0));
    }
    OK(NvSciSyncFenceWait(&fences[has("deterministic") ? 2 : 1], context, -1));
    sum = sum_of(out);
    OK(NvSciSyncFenceWait(&fences[2], context, -1));
    printf("deterministic: %s\n", sum == expected ? "right" : "wrong");
    for (NvSciSyncFence &fence : fences) {
        NvSciSyncFenceClear(&fence);
    }
    NvSciSyncFenceClear(&ignored);
    OK(cudlaMemUnregister(dla, signals));
    NvSciSyncObjFree(counts);
    return sum != expected;
}

static int events_alone(long expected)
{
    NvSciSyncFence pre = NvSciSyncFenceInitializer, eof = NvSciSyncFenceInitializer;
    struct task events(nullptr, nullptr, &pre, to_cpu_dla, &eof), task(in_dla, out_dla);
    long sum;

    events.t.inputTensor = nullptr;
    events.t.outputTensor = nullptr;
    events.t.numInputTensors = events.t.numOutputTensors = 0;
    OK(NvSciSyncObjGenerateFence(from_cpu, &pre));
    OK(events.submit());
    OK(task.submit());
    fill(3);
    OK(NvSciSyncObjSignal(from_cpu));
    OK(NvSciSyncFenceWait(&eof, context, -1));
    sum = sum_of(out);
    printf("events alone: %s\n", sum == expected ? "right" : "wrong");
    NvSciSyncFenceClear(&pre);
    NvSciSyncFenceClear(&eof);
    return sum != expected;
}

// "the user is expected to query the number of output tensors, allocate the output tensor memory,
// and pass the same"
static int diagnostics(const char *loadable)
{
    NvSciSyncFence done = NvSciSyncFenceInitializer;
    cudlaModuleAttribute attribute;
    cudlaStatus healthy;

    OK(cudlaDestroyDevice(dla));
    OK(cudlaCreateDevice(0, &dla, CUDLA_STANDALONE));
    OK(cudlaModuleLoadFromMemory(dla, nullptr, 0, &module, CUDLA_MODULE_ENABLE_FAULT_DIAGNOSTICS));
    OK(cudlaModuleGetAttributes(module, CUDLA_NUM_OUTPUT_TENSORS, &attribute));
    GIVES(1, attribute.numOutputTensors);
    imports();
    {
        struct task task(nullptr, out_dla, nullptr, to_cpu_dla, &done);

        task.t.inputTensor = nullptr;
        task.t.numInputTensors = 0;
        OK(task.submit(nullptr, CUDLA_SUBMIT_DIAGNOSTICS_TASK));
    }
    OK(NvSciSyncFenceWait(&done, context, -1));
    healthy = cudlaGetLastError(dla);
    printf("diagnostics: %s\n", healthy == cudlaSuccess ? "no fault" : "a fault");
    NvSciSyncFenceClear(&done);
    dla_reopen(loadable, CUDLA_STANDALONE);
    return healthy != cudlaSuccess;
}

int main(int argc, char **argv)
{
    long expected[4];
    int wrong = 0;

    without = argc > 2 ? argv[2] : "";
    sci_open();
    dla_open(argv[1], CUDLA_STANDALONE);
    buffers_new();
    from_cpu = sync_new(cpu_list(SIGNALS), dla_list(WAITS));
    to_cpu = sync_new(dla_list(SIGNALS), cpu_list(WAITS | WITH_TIMES));
    imports();
    for (int frame = 0; frame < 4; frame++) {
        expected[frame] = result_of(frame);
    }
    wrong += between_fences(argv[1], expected);
    wrong += deterministic(expected[2]);
    wrong += events_alone(expected[3]);
    OK(cudlaGetLastError(dla));
    wrong += diagnostics(argv[1]);
    OK(cudlaDestroyDevice(dla));
    NvSciBufObjFree(input);
    NvSciBufObjFree(output);
    NvSciBufObjFree(before_input);
    NvSciBufObjFree(before_output);
    NvSciSyncObjFree(from_cpu);
    NvSciSyncObjFree(to_cpu);
    sci_close();
    return wrong != 0;
}
