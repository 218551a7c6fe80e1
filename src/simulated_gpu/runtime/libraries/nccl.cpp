// NCCL among the devices of one process: DataParallel, and process groups of one process. A collective is computed when
// the last of its ranks has called it, in the group that contains them all. Between processes it is refused.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

extern "C" int cudaMemcpyAsync(void *, const void *, size_t, int, void *);

namespace {

constexpr int SUCCESS = 0, INVALID_ARGUMENT = 4, INVALID_USAGE = 5;
constexpr int SUM = 0, PRODUCT = 1, MAXIMUM = 2, MINIMUM = 3, AVERAGE = 4, FIRST_SCALED = 5;

enum class Kind { broadcast, reduce, all_reduce, reduce_scatter, all_gather, all_to_all, send, receive };

// The ranks that talk to each other.
struct Clique {
    int ranks;
    std::map<int, double> scales;  // of the reductions that multiply first
};

struct Communicator {
    std::shared_ptr<Clique> clique;
    int rank;
};

struct Call {
    Kind kind;
    const void *source;
    void *target;
    size_t count;  // elements, of what one rank sends, or of one part where there are parts
    int type;
    int operation;
    int root;  // or the other side of a send or receive
    Communicator *communicator;
    void *stream;
};

thread_local int depth = 0;
thread_local std::vector<Call> pending;
thread_local std::string last_error;

int fail(int status, const char *why) {
    last_error = why;
    return status;
}

// -- Numbers -------------------------------------------------------------------------------------------------------------

struct Half {
    uint16_t bits;
};
struct BFloat {
    uint16_t bits;
};

float widen(BFloat value) {
    uint32_t bits = uint32_t(value.bits) << 16;
    float result;
    std::memcpy(&result, &bits, 4);
    return result;
}
float widen(Half value) { return float(reinterpret_cast<const _Float16 &>(value)); }
template <class Number> Number widen(Number value) { return value; }

template <class Number, class Wide> Number narrow(Wide value) { return Number(value); }
template <> Half narrow<Half, float>(float value) {
    _Float16 rounded = _Float16(value);
    Half result;
    std::memcpy(&result, &rounded, 2);
    return result;
}
template <> BFloat narrow<BFloat, float>(float value) {
    uint32_t bits;
    std::memcpy(&bits, &value, 4);
    if (value != value) return {0x7fc0};
    bits += 0x7fff + ((bits >> 16) & 1);  // to nearest, ties to even
    return {uint16_t(bits >> 16)};
}

template <class Wide> Wide combine(Wide a, Wide b, int operation) {
    switch (operation) {
        case PRODUCT: return a * b;
        case MAXIMUM: return a > b || a != a ? a : b;
        case MINIMUM: return a < b || a != a ? a : b;
        default: return a + b;
    }
}

// target[i] = the sources' i-th elements, combined in the order of the ranks.
template <class Number>
void reduce_numbers(void *target, const std::vector<const char *> &sources, size_t count, int operation, double scale) {
    for (size_t i = 0; i < count; ++i) {
        auto element = [&](size_t rank) {
            auto value = widen(reinterpret_cast<const Number *>(sources[rank])[i]);
            return operation >= FIRST_SCALED ? decltype(value)(value * scale) : value;
        };
        auto value = element(0);
        for (size_t rank = 1; rank < sources.size(); ++rank) value = combine(value, element(rank), operation);
        if (operation == AVERAGE) value = decltype(value)(value / decltype(value)(sources.size()));
        static_cast<Number *>(target)[i] = narrow<Number>(value);
    }
}

using Reduce = void (*)(void *, const std::vector<const char *> &, size_t, int, double);
struct Type {
    size_t bytes;
    Reduce reduce;
};
constexpr Type TYPES[] = {  // in the order of ncclDataType_t
    {1, reduce_numbers<int8_t>},  {1, reduce_numbers<uint8_t>},  {4, reduce_numbers<int32_t>},
    {4, reduce_numbers<uint32_t>}, {8, reduce_numbers<int64_t>}, {8, reduce_numbers<uint64_t>},
    {2, reduce_numbers<Half>},    {4, reduce_numbers<float>},    {8, reduce_numbers<double>},
    {2, reduce_numbers<BFloat>},
};

// -- Collectives -----------------------------------------------------------------------------------------------------------

size_t part_bytes(const Call &call) { return call.count * TYPES[call.type].bytes; }

void copy(const Call &to, void *target, const void *source, size_t bytes) {
    if (target != source) cudaMemcpyAsync(target, source, bytes, 4, to.stream);
}

// The elements of all ranks from `offset` bytes on, combined.
std::vector<char> reduced(const std::vector<Call> &calls, size_t offset) {
    std::vector<const char *> sources;
    for (const Call &call : calls) sources.push_back(static_cast<const char *>(call.source) + offset);
    const Call &first = calls[0];
    const auto &scales = first.communicator->clique->scales;
    auto scale = scales.find(first.operation);
    std::vector<char> result(part_bytes(first));
    TYPES[first.type].reduce(result.data(), sources, first.count, first.operation,
                             scale == scales.end() ? 1 : scale->second);
    return result;
}

// One call of each rank, in the order of the ranks, all of one kind.
void compute(const std::vector<Call> &calls) {
    const Call &first = calls[0];
    size_t bytes = part_bytes(first);
    switch (first.kind) {
        case Kind::broadcast:
            for (const Call &call : calls) copy(call, call.target, calls[size_t(first.root)].source, bytes);
            break;
        case Kind::reduce: {
            const Call &root = calls[size_t(first.root)];
            copy(root, root.target, reduced(calls, 0).data(), bytes);
            break;
        }
        case Kind::all_reduce: {
            std::vector<char> result = reduced(calls, 0);
            for (const Call &call : calls) copy(call, call.target, result.data(), bytes);
            break;
        }
        case Kind::reduce_scatter: {
            std::vector<std::vector<char>> parts;
            for (size_t rank = 0; rank < calls.size(); ++rank) parts.push_back(reduced(calls, rank * bytes));
            for (size_t rank = 0; rank < calls.size(); ++rank) copy(calls[rank], calls[rank].target, parts[rank].data(), bytes);
            break;
        }
        case Kind::all_gather:
            for (const Call &to : calls)
                for (size_t rank = 0; rank < calls.size(); ++rank)
                    copy(to, static_cast<char *>(to.target) + rank * bytes, calls[rank].source, bytes);
            break;
        case Kind::all_to_all:
            for (size_t to = 0; to < calls.size(); ++to)
                for (size_t from = 0; from < calls.size(); ++from)
                    copy(calls[to], static_cast<char *>(calls[to].target) + from * bytes,
                         static_cast<const char *>(calls[from].source) + to * bytes, bytes);
            break;
        case Kind::send: case Kind::receive: break;  // see exchange
    }
}

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
        copy(call, call.target, send->source, part_bytes(call));
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

int finish() {
    std::vector<Call> calls;
    calls.swap(pending);
    if (exchange(calls) && compute_all(calls)) return SUCCESS;
    return fail(INVALID_USAGE, "NotSimulated: a collective's ranks must all be called in one ncclGroup of one process");
}

int submit(const Call &call) {
    if (call.type < 0 || size_t(call.type) >= sizeof TYPES / sizeof *TYPES)
        return fail(INVALID_ARGUMENT, "NotSimulated: NCCL with 8-bit floating-point numbers");
    pending.push_back(call);
    return depth > 0 ? SUCCESS : finish();
}

int create(Communicator **communicator, int ranks) {
    if (ranks != 1)
        return fail(INVALID_USAGE,
                    "NotSimulated: NCCL between processes; use the gloo backend, or one process with several GPUs");
    *communicator = new Communicator{std::make_shared<Clique>(Clique{1, {}}), 0};
    return SUCCESS;
}

struct UniqueId {
    char bytes[128];
};

}  // namespace

EXPORT int ncclGetVersion(int *version) {
    *version = NCCL_VERSION;
    return SUCCESS;
}
EXPORT int ncclGetUniqueId(UniqueId *id) {
    std::memset(id, 0, sizeof *id);
    return SUCCESS;
}
EXPORT const char *ncclGetErrorString(int status) {
    switch (status) {
        case SUCCESS: return "no error";
        case INVALID_ARGUMENT: return "invalid argument (run with NCCL_DEBUG=WARN for details)";
        case INVALID_USAGE: return "invalid usage (run with NCCL_DEBUG=WARN for details)";
        default: return "internal error - please report this issue to the NCCL developers";
    }
}
EXPORT const char *ncclGetLastError(void *) { return last_error.c_str(); }

EXPORT int ncclCommInitAll(Communicator **communicators, int number, const int *) {
    auto clique = std::make_shared<Clique>(Clique{number, {}});
    for (int rank = 0; rank < number; ++rank) communicators[rank] = new Communicator{clique, rank};
    return SUCCESS;
}
EXPORT int ncclCommInitRank(Communicator **communicator, int ranks, UniqueId, int) { return create(communicator, ranks); }
EXPORT int ncclCommInitRankConfig(Communicator **communicator, int ranks, UniqueId, int, void *) {
    return create(communicator, ranks);
}
EXPORT int ncclCommInitRankScalable(Communicator **communicator, int ranks, int, int, UniqueId *, void *) {
    return create(communicator, ranks);
}
EXPORT int ncclCommSplit(Communicator *from, int color, int, Communicator **communicator, void *) {
    *communicator = nullptr;
    return color < 0 ? SUCCESS : create(communicator, from->clique->ranks);
}
EXPORT int ncclCommDestroy(Communicator *communicator) {
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

EXPORT int ncclGroupStart() {
    ++depth;
    return SUCCESS;
}
EXPORT int ncclGroupEnd() { return --depth > 0 ? SUCCESS : finish(); }

EXPORT int ncclRedOpCreatePreMulSum(int *operation, const void *scalar, int type, int, Communicator *communicator) {
    double scale = 0;
    if (type == 7) scale = *static_cast<const float *>(scalar);
    else if (type == 8) scale = *static_cast<const double *>(scalar);
    else return fail(INVALID_ARGUMENT, "NotSimulated: ncclRedOpCreatePreMulSum with 16-bit numbers or integers");
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
