// What the parts of NCCL share: who talks to whom, what was called, and what is computed of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace nccl {

constexpr int SUCCESS = 0, UNHANDLED_CUDA_ERROR = 1, SYSTEM_ERROR = 2, INVALID_ARGUMENT = 4, INVALID_USAGE = 5, REMOTE_ERROR = 6;
constexpr int SUM = 0, PRODUCT = 1, MAXIMUM = 2, MINIMUM = 3, AVERAGE = 4, FIRST_SCALED = 5;

enum class Kind { broadcast, reduce, all_reduce, reduce_scatter, all_gather, all_to_all, send, receive };

// The ranks that talk to each other.
struct Clique {
    int ranks;
    std::string folder;            // where its processes meet; empty if all ranks are in this process
    std::map<int, double> scales;  // of the reductions that multiply first
};

struct Communicator {
    std::shared_ptr<Clique> clique;
    int rank;
    uint64_t calls = 0;                      // collectives so far
    uint64_t tidied = 0;                     // of those, how many left nothing behind
    std::map<int, uint64_t> sent{}, received{};  // messages so far, by the other side
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

// Remembers why, for ncclGetLastError, and returns the status.
int fail(int status, const std::string &why);

bool known_type(int type);
// The bytes of `count` elements.
size_t part_bytes(const Call &call);

// Whether a call is of a GPU's memory that holds no values: with shapes only.
bool without_values(const Call &call);

// Moves and adds: one call of each rank, in the order of the ranks, all of one kind. A call without a target gets nothing.
void compute(const std::vector<Call> &calls);

// Between processes: offers the others what this rank has for them, then takes what they have for it.
void offer(const Call &call, uint64_t number);
int take(const Call &call, uint64_t number);
// The number of a call among its communicator's, which is the same in all its ranks.
uint64_t next_number(const Call &call);
// A folder where the ranks of a new clique meet, or "" if none can be made.
std::string fresh_folder();
// Splits a clique by color, and orders each part by key and rank.
int split(Communicator *from, int color, int key, Communicator **made);
// Says that a rank is gone. The last one clears up.
void leave(Communicator *communicator);

}  // namespace nccl
