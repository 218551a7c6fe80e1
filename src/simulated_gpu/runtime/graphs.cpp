// Graphs: the sequence of what was recorded, played again by each launch.
#include <unordered_map>

#include "state.h"

namespace {

using Handle = std::shared_ptr<Graph> *;

// What an instantiated graph plays: the nodes that the graph had then.
struct Executable {
    std::vector<std::shared_ptr<Node>> nodes;
    size_t launches;
};

// Something of the program's that lives as long as the graphs that retain it.
struct UserObject {
    std::shared_ptr<Node> node;
};

void nothing(void *) {}

}  // namespace

EXPORT int simgpu_graph_append(const void *stream, void (*run)(void *), void (*drop)(void *), void *data) {
    auto capture = capture_of(stream);
    if (!capture) return 1;
    std::lock_guard<std::mutex> guard(lock);
    capture->graph->nodes.push_back(std::make_shared<Node>(run, drop, data));
    return 0;
}

EXPORT Status cudaGraphInstantiateWithFlags(Executable **executable, Handle graph, unsigned long long) {
    std::lock_guard<std::mutex> guard(lock);
    *executable = new Executable{(*graph)->nodes, (*graph)->launches};
    return SUCCESS;
}
EXPORT Status cudaGraphInstantiate(Executable **executable, Handle graph, unsigned long long flags) {
    return cudaGraphInstantiateWithFlags(executable, graph, flags);
}

EXPORT Status cudaGraphLaunch(Executable *executable, const void *stream) {
    if (Status status = usable()) return result(status);
    if (probing()) return result(NOT_SUPPORTED);
    simgpu_event event{};
    event.kind = SIMGPU_GRAPH_LAUNCH;
    event.what = "cudaGraphLaunch";
    event.stream = stream_id(stream);
    note(event);
    if (auto capture = capture_of(stream)) {
        std::lock_guard<std::mutex> guard(lock);
        auto &nodes = capture->graph->nodes;
        nodes.insert(nodes.end(), executable->nodes.begin(), executable->nodes.end());
        return SUCCESS;
    }
    Line line = line_of(stream);
    for (const auto &node : executable->nodes) do_in_line(line, node);
    return SUCCESS;
}

EXPORT Status cudaGraphExecDestroy(Executable *executable) {
    delete executable;
    return SUCCESS;
}
EXPORT Status cudaGraphDestroy(Handle graph) {
    delete graph;
    return SUCCESS;
}

// PyTorch asks for the number alone, to warn of an empty graph.
EXPORT Status cudaGraphGetNodes(Handle graph, void **nodes, size_t *number) {
    std::lock_guard<std::mutex> guard(lock);
    if (nodes) {
        refuse("cudaGraphGetNodes");
        return result(NOT_SUPPORTED);
    }
    *number = (*graph)->nodes.size() + (*graph)->launches;
    return SUCCESS;
}

EXPORT Status cudaUserObjectCreate(UserObject **object, void *data, void (*destroy)(void *), unsigned, unsigned) {
    *object = new UserObject{std::make_shared<Node>(nothing, destroy, data)};
    return SUCCESS;
}
EXPORT Status cudaGraphRetainUserObject(Handle graph, UserObject *object, unsigned, unsigned) {
    std::lock_guard<std::mutex> guard(lock);
    (*graph)->nodes.push_back(object->node);
    return SUCCESS;
}
EXPORT Status cudaUserObjectRelease(UserObject *object, unsigned) {
    delete object;
    return SUCCESS;
}
