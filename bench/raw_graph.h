// Graphs of equal kernels made with the driver's own functions, for comparison with hipGraph_t. The
// driver is opened as in bench.hip, without its headers.
#ifndef RAW_GRAPH_H
#define RAW_GRAPH_H

#include <dlfcn.h>

#include <cstddef>
#include <type_traits>
#include <vector>

// The edges of a graph that is measured: a line, or one node, then all others beside each other,
// then one more.
enum class GraphShape { line, wide };

inline std::vector<unsigned> graph_dependencies(GraphShape shape, unsigned node, unsigned count)
{
    std::vector<unsigned> before;
    if (shape == GraphShape::line && node > 0)
        before.push_back(node - 1);
    if (shape == GraphShape::wide && node > 0 && node < count - 1)
        before.push_back(0);
    for (unsigned i = 1; shape == GraphShape::wide && node == count - 1 && i < node; i++)
        before.push_back(i);
    return before;
}

struct RawGraphs {
    // CUDA_KERNEL_NODE_PARAMS as of CUDA 10, which every driver takes
    struct Kernel {
        void *function;
        unsigned grid[3], block[3], shared;
        void **arguments, **extra;
    };

    int (*cuGraphCreate)(void **, unsigned);
    int (*cuGraphDestroy)(void *);
    int (*cuGraphAddKernelNode)(void **, void *, void *const *, size_t, const Kernel *);
    int (*cuGraphInstantiateWithFlags)(void **, void *, unsigned long long);
    int (*cuGraphExecDestroy)(void *);
    int (*cuGraphExecKernelNodeSetParams)(void *, void *, const Kernel *);
    int (*cuGraphUpload)(void *, void *);
    int (*cuGraphLaunch)(void *exec, void *stream);

    // library: of another driver, by hand
    bool open(const char *library = "libcuda.so.1")
    {
        void *driver = dlopen(library, RTLD_NOW);
        auto bind = [&](auto &pointer, const char *name) {
            pointer = driver
                          ? reinterpret_cast<std::decay_t<decltype(pointer)>>(dlsym(driver, name))
                          : nullptr;
            return pointer != nullptr;
        };
        return bind(cuGraphCreate, "cuGraphCreate") && bind(cuGraphDestroy, "cuGraphDestroy") &&
               bind(cuGraphAddKernelNode, "cuGraphAddKernelNode") &&
               bind(cuGraphInstantiateWithFlags, "cuGraphInstantiateWithFlags") &&
               bind(cuGraphExecDestroy, "cuGraphExecDestroy") &&
               bind(cuGraphExecKernelNodeSetParams, "cuGraphExecKernelNodeSetParams") &&
               bind(cuGraphUpload, "cuGraphUpload") && bind(cuGraphLaunch, "cuGraphLaunch");
    }
};

// A graph whose nodes all are the same launch of one block with 32 threads. The function's context
// is current where it is used.
class RawGraph
{
  public:
    RawGraph(const RawGraphs &driver, void *function, void **arguments)
        : driver_(driver), kernel_{function, {1, 1, 1}, {32, 1, 1}, 0, arguments, nullptr}
    {
    }

    RawGraph(const RawGraph &) = delete;
    RawGraph &operator=(const RawGraph &) = delete;

    ~RawGraph()
    {
        drop_exec();
        if (graph_)
            driver_.cuGraphDestroy(graph_);
    }

    // Only once.
    bool build(GraphShape shape, unsigned count)
    {
        bool good = driver_.cuGraphCreate(&graph_, 0) == 0;
        nodes_.assign(count, nullptr);
        for (unsigned i = 0; i < count && good; i++) {
            std::vector<void *> before;
            for (unsigned k : graph_dependencies(shape, i, count))
                before.push_back(nodes_[k]);
            good = driver_.cuGraphAddKernelNode(&nodes_[i], graph_, before.data(), before.size(),
                                                &kernel_) == 0;
        }
        return good;
    }

    // Again and again: the executable graph before it is destroyed.
    bool instantiate()
    {
        drop_exec();
        return driver_.cuGraphInstantiateWithFlags(&exec_, graph_, 0) == 0;
    }

    bool update_node(unsigned index)
    {
        return driver_.cuGraphExecKernelNodeSetParams(exec_, nodes_[index], &kernel_) == 0;
    }

    bool upload(void *stream) { return driver_.cuGraphUpload(exec_, stream) == 0; }
    bool launch(void *stream) { return driver_.cuGraphLaunch(exec_, stream) == 0; }
    void *exec() const { return exec_; } // for RawGraphs::cuGraphLaunch itself

  private:
    void drop_exec()
    {
        if (exec_)
            driver_.cuGraphExecDestroy(exec_);
        exec_ = nullptr;
    }

    const RawGraphs &driver_;
    RawGraphs::Kernel kernel_;
    void *graph_ = nullptr, *exec_ = nullptr;
    std::vector<void *> nodes_;
};

#endif
