// What NCCL's collectives compute.
#include "nccl.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "simgpu.h"

extern "C" int cudaMemcpyAsync(void *, const void *, size_t, int, void *);

namespace nccl {

namespace {

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
// Not _Float16: compilers of 2021 do not know it in C++.
float widen(Half value) {
    int exponent = value.bits >> 10 & 31, mantissa = value.bits & 1023;
    float size = exponent == 31  ? (mantissa ? NAN : INFINITY)
                 : exponent == 0 ? std::ldexp(float(mantissa), -24)
                                 : std::ldexp(float(mantissa + 1024), exponent - 25);
    return value.bits & 0x8000 ? -size : size;
}
template <class Number> Number widen(Number value) { return value; }

template <class Number, class Wide> Number narrow(Wide value) { return Number(value); }
template <> Half narrow<Half, float>(float value) {
    int sign = std::signbit(value) ? 0x8000 : 0, exponent;
    float size = std::fabs(value);
    if (value != value) return {0x7e00};
    if (size >= 65520) return {uint16_t(sign | 0x7c00)};
    if (size < 0x1p-14f) return {uint16_t(sign | int(std::nearbyint(size * 0x1p24f)))};  // to nearest, ties to even
    std::frexp(size, &exponent);
    int mantissa = int(std::nearbyint(std::ldexp(size, 11 - exponent))) - 1024;  // 1024 carries into the exponent
    return {uint16_t(sign | (((exponent + 14) << 10) + mantissa))};
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

void copy(const Call &to, void *target, const void *source, size_t bytes) {
    if (to.target && target != source) cudaMemcpyAsync(target, source, bytes, 4, to.stream);
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

}  // namespace

bool known_type(int type) { return type >= 0 && size_t(type) < sizeof TYPES / sizeof *TYPES; }
size_t part_bytes(const Call &call) { return call.count * TYPES[call.type].bytes; }

bool without_values(const Call &call) {
    return simgpu_shapes_only() && (simgpu_device_of(call.source) >= 0 || simgpu_device_of(call.target) >= 0);
}

void compute(const std::vector<Call> &calls) {
    if (std::any_of(calls.begin(), calls.end(), without_values)) return;
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
            for (size_t rank = 0; rank < calls.size(); ++rank)
                parts.push_back(calls[rank].target ? reduced(calls, rank * bytes) : std::vector<char>());
            for (size_t rank = 0; rank < calls.size(); ++rank)
                copy(calls[rank], calls[rank].target, parts[rank].data(), bytes);
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
        case Kind::send: case Kind::receive:
            copy(calls[1], calls[1].target, calls[0].source, bytes);
    }
}

}  // namespace nccl
