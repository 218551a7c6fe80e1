// NCCL's functions. The ranks of a collective are in one process (DataParallel), where it is computed when the last of
// them has called it in a group that contains them all; or each is in a process of its own, and they meet in a folder.
#include "nccl.h"

#include <cstring>
#include <deque>

#define EXPORT extern "C" __attribute__((visibility("default")))

extern "C" int simgpu_refused(const char *);
extern "C" void simgpu_hurry(const char *);
extern "C" int simgpu_failed();

namespace {

thread_local std::string last_error;

}  // namespace

int nccl::fail(int status, const std::string &why) {
    last_error = why;
    return status;
}

namespace {

using namespace nccl;

thread_local int depth = 0;
thread_local std::vector<Call> pending;

// Matches the sends and receives of a group, and removes them. False if one has no other side.
bool exchange(std::vector<Call> &calls) {
    std::vector<Call> others, sends;
    for (const Call &call : calls) (call.kind == Kind::send ? sends : others).push_back(call);
    calls.clear();
    for (const Call &call : others) {
        if (call.kind != Kind::receive) {
            calls.push_back(call);
            continue;
        }
        auto matches = [&](const Call &send) {
            return send.communicator->clique == call.communicator->clique && send.communicator->rank == call.root &&
                   send.root == call.communicator->rank;
        };
        auto send = sends.begin();
        while (send != sends.end() && !matches(*send)) ++send;
        if (send == sends.end()) return false;
        nccl::compute({*send, call});
        sends.erase(send);
    }
    return sends.empty();
}

// Computes the collectives of a group in their order. False if a rank is missing.
bool compute_all(const std::vector<Call> &calls) {
    std::map<Clique *, std::vector<std::deque<Call>>> waiting;
    for (const Call &call : calls) {
        auto &queues = waiting[call.communicator->clique.get()];
        queues.resize(size_t(call.communicator->clique->ranks));
        queues[size_t(call.communicator->rank)].push_back(call);
    }
    for (auto &entry : waiting) {
        auto &queues = entry.second;
        for (const auto &queue : queues)
            if (queue.size() != queues[0].size()) return false;
        while (!queues[0].empty()) {
            std::vector<Call> one;
            for (auto &queue : queues) {
                one.push_back(queue.front());
                queue.pop_front();
            }
            compute(one);
        }
    }
    return true;
}

int compute_in_process(std::vector<Call> calls) {
    if (exchange(calls) && compute_all(calls)) return SUCCESS;
    return nccl::fail(INVALID_USAGE,
                      "NotSimulated: the ranks of a collective within one process must be called in one ncclGroup");
}

int finish() {
    std::vector<Call> calls, here, apart;
    calls.swap(pending);
    if (simgpu_failed()) return nccl::fail(UNHANDLED_CUDA_ERROR, "a kernel failed before, or was not computed");
    simgpu_hurry("NCCL");  // its results are computed now
    for (const Call &call : calls) (call.communicator->clique->folder.empty() ? here : apart).push_back(call);
    std::vector<uint64_t> numbers;
    for (const Call &call : apart) {  // all that is offered first: two ranks may wait for each other
        numbers.push_back(next_number(call));
        offer(call, numbers.back());
    }
    for (size_t i = 0; i < apart.size(); ++i)
        if (int status = take(apart[i], numbers[i])) return status;
    return compute_in_process(here);
}

int submit(const Call &call) {
    if (!known_type(call.type))
        return nccl::fail(INVALID_ARGUMENT, "NotSimulated: NCCL with 8-bit floating-point numbers");
    pending.push_back(call);
    return depth > 0 ? SUCCESS : finish();
}

struct UniqueId {
    char bytes[128];
};

}  // namespace

EXPORT int ncclGetVersion(int *version) {
    *version = NCCL_VERSION;
    return SUCCESS;
}
// The id is the name of the folder where the ranks meet.
EXPORT int ncclGetUniqueId(UniqueId *id) {
    std::memset(id, 0, sizeof *id);
    std::string folder = nccl::fresh_folder();
    if (folder.empty()) return nccl::fail(nccl::SYSTEM_ERROR, "cannot make a folder in /dev/shm");
    std::memcpy(id->bytes, folder.c_str(), folder.size());
    return SUCCESS;
}
EXPORT const char *ncclGetErrorString(int status) {
    switch (status) {
        case SUCCESS: return "no error";
        case UNHANDLED_CUDA_ERROR: return "unhandled cuda error (run with NCCL_DEBUG=INFO for details)";
        case INVALID_ARGUMENT: return "invalid argument (run with NCCL_DEBUG=WARN for details)";
        case REMOTE_ERROR: return "remote process exited or there was a network error";
        case INVALID_USAGE: return "invalid usage (run with NCCL_DEBUG=WARN for details)";
        default: return "unhandled system error (run with NCCL_DEBUG=INFO for details)";
    }
}
EXPORT const char *ncclGetLastError(void *) { return last_error.c_str(); }

EXPORT int ncclCommInitAll(Communicator **communicators, int number, const int *) {
    auto clique = std::make_shared<Clique>(Clique{number, "", {}});
    for (int rank = 0; rank < number; ++rank) communicators[rank] = new Communicator{clique, rank};
    return SUCCESS;
}
EXPORT int ncclCommInitRank(Communicator **communicator, int ranks, UniqueId id, int rank) {
    *communicator = new Communicator{std::make_shared<Clique>(Clique{ranks, id.bytes, {}}), rank};
    return SUCCESS;
}
EXPORT int ncclCommInitRankConfig(Communicator **communicator, int ranks, UniqueId id, int rank, void *) {
    return ncclCommInitRank(communicator, ranks, id, rank);
}
EXPORT int ncclCommInitRankScalable(Communicator **communicator, int ranks, int rank, int, UniqueId *ids, void *) {
    return ncclCommInitRank(communicator, ranks, ids[0], rank);
}
EXPORT int ncclCommSplit(Communicator *from, int color, int key, Communicator **communicator, void *) {
    if (from->clique->folder.empty()) {
        simgpu_refused("ncclCommSplit within a process");
        return INVALID_USAGE;
    }
    return nccl::split(from, color, key, communicator);
}
EXPORT int ncclCommDestroy(Communicator *communicator) {
    nccl::leave(communicator);
    delete communicator;
    return SUCCESS;
}
EXPORT int ncclCommAbort(Communicator *communicator) { return ncclCommDestroy(communicator); }
EXPORT int ncclCommFinalize(Communicator *) { return SUCCESS; }
EXPORT int ncclCommGetAsyncError(Communicator *, int *status) {
    *status = SUCCESS;
    return SUCCESS;
}
EXPORT int ncclCommCount(Communicator *communicator, int *count) {
    *count = communicator->clique->ranks;
    return SUCCESS;
}
EXPORT int ncclCommUserRank(Communicator *communicator, int *rank) {
    *rank = communicator->rank;
    return SUCCESS;
}

// Registration lets NCCL reach a buffer faster, which PyTorch 2.15 asks for by itself; it changes no value.
EXPORT int ncclCommRegister(Communicator *, void *buffer, size_t, void **handle) {
    *handle = buffer;
    return SUCCESS;
}
EXPORT int ncclCommDeregister(Communicator *, void *) { return SUCCESS; }

EXPORT int ncclGroupStart() {
    ++depth;
    return SUCCESS;
}
EXPORT int ncclGroupEnd() { return --depth > 0 ? SUCCESS : finish(); }

EXPORT int ncclRedOpCreatePreMulSum(int *operation, const void *scalar, int type, int, Communicator *communicator) {
    double scale = 0;
    if (type == 7) scale = *static_cast<const float *>(scalar);
    else if (type == 8) scale = *static_cast<const double *>(scalar);
    else return nccl::fail(INVALID_ARGUMENT, "NotSimulated: ncclRedOpCreatePreMulSum with 16-bit numbers or integers");
    auto &scales = communicator->clique->scales;
    *operation = FIRST_SCALED + int(scales.size());
    scales[*operation] = scale;
    return SUCCESS;
}
EXPORT int ncclRedOpDestroy(int, Communicator *) { return SUCCESS; }

EXPORT int ncclBroadcast(const void *source, void *target, size_t count, int type, int root, Communicator *c, void *s) {
    return submit({Kind::broadcast, source, target, count, type, SUM, root, c, s});
}
EXPORT int ncclBcast(void *buffer, size_t count, int type, int root, Communicator *c, void *s) {
    return submit({Kind::broadcast, buffer, buffer, count, type, SUM, root, c, s});
}
EXPORT int ncclReduce(const void *source, void *target, size_t count, int type, int operation, int root,
                      Communicator *c, void *s) {
    return submit({Kind::reduce, source, target, count, type, operation, root, c, s});
}
EXPORT int ncclAllReduce(const void *source, void *target, size_t count, int type, int operation, Communicator *c,
                         void *s) {
    return submit({Kind::all_reduce, source, target, count, type, operation, 0, c, s});
}
EXPORT int ncclReduceScatter(const void *source, void *target, size_t count, int type, int operation, Communicator *c,
                             void *s) {
    return submit({Kind::reduce_scatter, source, target, count, type, operation, 0, c, s});
}
EXPORT int ncclAllGather(const void *source, void *target, size_t count, int type, Communicator *c, void *s) {
    return submit({Kind::all_gather, source, target, count, type, SUM, 0, c, s});
}
EXPORT int ncclAlltoAll(const void *source, void *target, size_t count, int type, Communicator *c, void *s) {
    return submit({Kind::all_to_all, source, target, count, type, SUM, 0, c, s});
}
EXPORT int ncclSend(const void *source, size_t count, int type, int peer, Communicator *c, void *s) {
    return submit({Kind::send, source, nullptr, count, type, SUM, peer, c, s});
}
EXPORT int ncclRecv(void *target, size_t count, int type, int peer, Communicator *c, void *s) {
    return submit({Kind::receive, nullptr, target, count, type, SUM, peer, c, s});
}
