// Functions that call themselves: numbers, two functions in turns, sorting, a tree
// in memory, a visitor that is a virtual function, and without end.

__device__ __noinline__ int ackermann(int m, int n) {
  if (m == 0)
    return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

__device__ __noinline__ bool isOdd(unsigned n);
__device__ __noinline__ bool isEven(unsigned n) {
  return n == 0 || isOdd(n - 1);
}
__device__ __noinline__ bool isOdd(unsigned n) {
  return n != 0 && isEven(n - 1);
}

extern "C" __global__ void numbers(int *a, int *even) {
  int t = threadIdx.x;
  a[t] = ackermann(t % 3, t % 7);
  even[t] = isEven(t * 3);
}

__device__ __noinline__ void quicksort(int *data, int low, int high) {
  if (low >= high)
    return;
  int pivot = data[(low + high) / 2], i = low, j = high;
  while (i <= j) {
    while (data[i] < pivot)
      ++i;
    while (data[j] > pivot)
      --j;
    if (i <= j) {
      int old = data[i];
      data[i++] = data[j];
      data[j--] = old;
    }
  }
  quicksort(data, low, j);
  quicksort(data, i, high);
}

extern "C" __global__ void sort(int *data, int n) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int mine[40];
  for (int i = 0; i < n; ++i)
    mine[i] = data[t * n + i];
  quicksort(mine, 0, n - 1 - t % 4);
  for (int i = 0; i < n; ++i)
    data[t * n + i] = mine[i];
}

struct Node {
  int left, right, value;
};
struct Path {
  int length, values[6];
};
struct Visitor {
  long long sum = 0;
  const Node *nodes;
  __device__ explicit Visitor(const Node *nodes) : nodes(nodes) {}
  __device__ virtual bool wants(const Path &path) const = 0;
  __device__ virtual void visit(int node, Path path) {
    if (node < 0)
      return;
    if (path.length < 6)
      path.values[path.length] = nodes[node].value;
    ++path.length;
    if (wants(path))
      sum += (long long)nodes[node].value * path.length;
    visit(nodes[node].left, path);
    visit(nodes[node].right, path);
  }
};
struct All : Visitor {
  using Visitor::Visitor;
  __device__ bool wants(const Path &) const override { return true; }
};
struct Rising : Visitor {
  using Visitor::Visitor;
  __device__ bool wants(const Path &path) const override {
    for (int i = 1; i < path.length && i < 6; ++i)
      if (path.values[i] < path.values[i - 1])
        return false;
    return true;
  }
};

extern "C" __global__ void tree(const Node *nodes, const int *roots,
                                long long *sums) {
  int t = threadIdx.x;
  All all(nodes);
  Rising rising(nodes);
  Visitor &visitor = t & 1 ? static_cast<Visitor &>(rising) : all;
  Path path{};
  visitor.visit(roots[t], path);
  sums[t] = visitor.sum;
}

extern "C" __global__ void overflow(int *out, int n) {
  int t = threadIdx.x;
  out[t] = ackermann(1, t == 3 ? n : t);
}
