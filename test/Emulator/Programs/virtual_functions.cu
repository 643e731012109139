// Virtual functions: a base class with data, two levels of overriding, an abstract
// function, a call of another virtual function from within one, objects in local,
// shared and global memory, and made with `new`.

#include <new>

struct Shape {
  int name;
  __device__ explicit Shape(int name) : name(name) {}
  __device__ virtual ~Shape() {}
  __device__ virtual float area() const = 0;
  __device__ virtual int corners() const { return 0; }
  __device__ virtual float cost(float price) const {
    return area() * price + corners();
  }
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float side, int name = 1)
      : Shape(name), side(side) {}
  __device__ float area() const override { return side * side; }
  __device__ int corners() const override { return 4; }
};
struct Rectangle : Square {
  float height;
  __device__ Rectangle(float side, float height)
      : Square(side, 2), height(height) {}
  __device__ float area() const override { return side * height; }
};
struct Circle : Shape {
  float radius;
  __device__ explicit Circle(float radius) : Shape(3), radius(radius) {}
  __device__ float area() const override { return 3.0f * radius * radius; }
  __device__ float cost(float price) const override {
    return 2 * Shape::cost(price);
  }
};

extern "C" __global__ void shapes(const int *kind, const float *size,
                                  float *area, int *corners, float *cost) {
  int t = threadIdx.x;
  Square square(size[t]);
  Rectangle rectangle(size[t], 2.0f);
  Circle circle(size[t]);
  const Shape *all[3] = {&square, &rectangle, &circle};
  const Shape *shape = all[kind[t]];
  area[t] = shape->area();
  corners[t] = shape->corners();
  cost[t] = shape->cost(0.5f) + shape->name;
}

// The same objects in memory that all threads see.
extern "C" __global__ void pool(const int *kind, const float *size, int n,
                                float *total) {
  __shared__ Shape *shapes[64];
  int t = threadIdx.x;
  if (kind[t] == 0)
    shapes[t] = new Square(size[t]);
  else if (kind[t] == 1)
    shapes[t] = new Rectangle(size[t], 2.0f);
  else
    shapes[t] = new Circle(size[t]);
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += shapes[(t + i) % n]->cost(1.0f);
  total[t] = sum;
  __syncthreads();
  delete shapes[t];
}
