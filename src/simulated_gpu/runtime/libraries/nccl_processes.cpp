// NCCL between processes of one machine: they meet in a folder of shared memory. Each collective has a number there,
// each rank puts down what it has for the others, and a rank that is early waits for those that it needs.
#include "nccl.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <dirent.h>
#include <fstream>
#include <iterator>
#include <sys/stat.h>
#include <unistd.h>

namespace nccl {

namespace {

constexpr double PATIENCE = 600;  // seconds; PyTorch's own default for NCCL

// What ranks have to agree on, before the data.
struct Header {
    int kind, type, operation, root;
    uint64_t count;
};

Header header_of(const Call &call) {
    return {int(call.kind), call.type, call.operation, call.root, call.count};
}

bool message(const Call &call) { return call.kind == Kind::send || call.kind == Kind::receive; }

std::string path(const Call &call, uint64_t number, int rank) {
    const Communicator &own = *call.communicator;
    std::string name = own.clique->folder + "/";
    std::string us = std::to_string(own.rank), them = std::to_string(call.root), end = "." + std::to_string(number);
    if (call.kind == Kind::send) return name + us + "-to-" + them + end;
    if (call.kind == Kind::receive) return name + them + "-to-" + us + end;
    return name + "collective" + end + "." + std::to_string(rank);
}

// Whether a rank's data is needed by the others at all.
bool gives(const Call &call, int rank) { return call.kind != Kind::broadcast || rank == call.root; }
// Whether the caller reads what a rank gives.
bool reads(const Call &call, int rank) {
    if (call.kind == Kind::reduce) return call.communicator->rank == call.root;
    return gives(call, rank);
}

size_t offered_bytes(const Call &call) {
    if (without_values(call)) return 0;
    bool parts = call.kind == Kind::reduce_scatter || call.kind == Kind::all_to_all;
    return part_bytes(call) * (parts ? size_t(call.communicator->clique->ranks) : 1);
}

void write_file(const std::string &path, const Header &header, const void *data, size_t bytes) {
    std::string unfinished = path + ".part";
    std::ofstream file(unfinished, std::ios::binary);
    file.write(reinterpret_cast<const char *>(&header), sizeof header);
    file.write(static_cast<const char *>(data), std::streamsize(bytes));
    file.close();
    std::rename(unfinished.c_str(), path.c_str());  // a reader finds all of it or nothing
}

bool appears(const std::string &path) {
    timespec pause{0, 200'000};
    for (double waited = 0; waited < PATIENCE; waited += 2e-4) {
        if (access(path.c_str(), F_OK) == 0) return true;
        nanosleep(&pause, nullptr);
    }
    return false;
}

std::vector<char> read_file(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// What this rank put down can go once every rank has finished that collective: each says so in a file of its own.
std::string progress_path(const Clique &clique, int rank) {
    return clique.folder + "/finished." + std::to_string(rank);
}

void say_finished(const Communicator &own, uint64_t number) {
    write_file(progress_path(*own.clique, own.rank), {}, &number, sizeof number);
}

uint64_t finished_by_all(const Clique &clique) {
    uint64_t least = UINT64_MAX;
    for (int rank = 0; rank < clique.ranks; ++rank) {
        std::vector<char> data = read_file(progress_path(clique, rank));
        uint64_t number = 0;
        if (data.size() == sizeof(Header) + sizeof number)
            std::memcpy(&number, data.data() + sizeof(Header), sizeof number);
        least = std::min(least, number);
    }
    return least;
}

void tidy(const Call &call, uint64_t number) {
    Communicator &own = *call.communicator;
    uint64_t done = std::min(finished_by_all(*own.clique), number - 1);
    for (; own.tidied < done; ++own.tidied) unlink(path(call, own.tidied + 1, own.rank).c_str());
}

int disagree(const Call &call, int rank) {
    return fail(REMOTE_ERROR, "ranks " + std::to_string(call.communicator->rank) + " and " + std::to_string(rank) +
                                  " called different collectives, or with different sizes: real GPUs would hang");
}

int absent(int rank) { return fail(REMOTE_ERROR, "rank " + std::to_string(rank) + " did not come within ten minutes"); }

}  // namespace

std::string fresh_folder() {
    char name[] = "/dev/shm/simulated-gpu-XXXXXX";
    return mkdtemp(name) ? name : "";
}

uint64_t next_number(const Call &call) {
    Communicator &own = *call.communicator;
    if (call.kind == Kind::send) return ++own.sent[call.root];
    if (call.kind == Kind::receive) return ++own.received[call.root];
    return ++own.calls;
}

void offer(const Call &call, uint64_t number) {
    if (call.kind == Kind::receive) return;
    if (!message(call)) tidy(call, number);
    int rank = call.communicator->rank;
    // A rank that gives nothing still says what it called, so that a disagreement is noticed.
    write_file(path(call, number, rank), header_of(call), call.source, gives(call, rank) ? offered_bytes(call) : 0);
}

int take(const Call &call, uint64_t number) {
    if (call.kind == Kind::send) return SUCCESS;
    if (call.kind == Kind::receive) {
        std::string from = path(call, number, call.root);
        if (!appears(from)) return absent(call.root);
        std::vector<char> data = read_file(from);
        unlink(from.c_str());
        if (data.size() != sizeof(Header) + offered_bytes(call)) return disagree(call, call.root);
        Call source = call;
        source.source = data.data() + sizeof(Header);
        compute({source, call});
        return SUCCESS;
    }
    const Communicator &own = *call.communicator;
    Header expected = header_of(call);
    std::vector<std::vector<char>> data(size_t(own.clique->ranks));
    std::vector<Call> calls(size_t(own.clique->ranks), call);
    for (int rank = 0; rank < own.clique->ranks; ++rank) {
        Call &theirs = calls[size_t(rank)];
        if (rank != own.rank) theirs.target = nullptr;
        if (rank == own.rank || !reads(call, rank)) continue;
        std::string from = path(call, number, rank);
        if (!appears(from)) return absent(rank);
        data[size_t(rank)] = read_file(from);
        if (data[size_t(rank)].size() != sizeof(Header) + offered_bytes(call) ||
            std::memcmp(data[size_t(rank)].data(), &expected, sizeof expected))
            return disagree(call, rank);
        theirs.source = data[size_t(rank)].data() + sizeof(Header);
    }
    if (call.kind != Kind::reduce || own.rank == call.root) compute(calls);
    say_finished(own, number);
    return SUCCESS;
}

int split(Communicator *from, int color, int key, Communicator **made) {
    int ranks = from->clique->ranks;
    std::vector<int> own = {color, key}, all(size_t(ranks) * 2);
    Call gather{Kind::all_gather, own.data(), all.data(), 2, 2, SUM, 0, from, nullptr};
    uint64_t number = next_number(gather);
    offer(gather, number);
    if (int status = take(gather, number)) return status;
    *made = nullptr;
    if (color < 0) return SUCCESS;
    std::vector<std::pair<int, int>> members;  // by key, then rank
    for (int rank = 0; rank < ranks; ++rank)
        if (all[size_t(rank) * 2] == color) members.push_back({all[size_t(rank) * 2 + 1], rank});
    std::sort(members.begin(), members.end());
    std::string folder = from->clique->folder + "-" + std::to_string(number) + "-" + std::to_string(color);
    mkdir(folder.c_str(), 0700);
    auto clique = std::make_shared<Clique>(Clique{int(members.size()), folder, {}});
    auto self = std::find(members.begin(), members.end(), std::make_pair(key, from->rank));
    *made = new Communicator{clique, int(self - members.begin())};
    return SUCCESS;
}

void leave(Communicator *communicator) {
    const Clique &clique = *communicator->clique;
    if (clique.folder.empty()) return;
    std::ofstream(clique.folder + "/left." + std::to_string(communicator->rank)).close();
    for (int rank = 0; rank < clique.ranks; ++rank)
        if (access((clique.folder + "/left." + std::to_string(rank)).c_str(), F_OK)) return;
    if (DIR *folder = opendir(clique.folder.c_str())) {  // the last one clears up
        while (dirent *entry = readdir(folder)) unlink((clique.folder + "/" + entry->d_name).c_str());
        closedir(folder);
    }
    rmdir(clique.folder.c_str());
}

}  // namespace nccl
