//===- nests.c - Nests as loops of C --------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See the LICENSE file for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What benchmarks/cpu_nests.py compares with: loops in the order in which a
// programmer would write them, with neighbours in the innermost one, compiled
// by -O3 -march=native -fno-math-errno. Sums that vectors may regroup say so
// (-fopenmp-simd).
//
//===----------------------------------------------------------------------===//

#include <math.h>
#include <stdint.h>

#define R restrict
#define FOR(i, begin, end) for (int64_t i = (begin); i < (end); ++i)
#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define SUM(s) PRAGMA(omp simd reduction(+ : s))

void copy_inner_first(const float *R a, float *R b) {
  FOR(i, 0, 2048)
  FOR(j, 0, 2048) b[i * 2048 + j] = a[i * 2048 + j];
}

void transpose(const float *R a, float *R b) {
  FOR(j, 0, 2048)
  FOR(i, 0, 2048) b[j * 2048 + i] = a[i * 2048 + j];
}

void transpose_f64(const double *R a, double *R b) {
  FOR(j, 0, 1500)
  FOR(i, 0, 1000) b[j * 1000 + i] = a[i * 1500 + j];
}

void reverse_modes(const float *R a, float *R b) {
  FOR(k, 0, 112)
  FOR(j, 0, 104)
  FOR(i, 0, 96) b[(k * 104 + j) * 96 + i] = a[(i * 104 + j) * 112 + k];
}

void channels_last(const float *R a, float *R b) {
  FOR(n, 0, 16)
  FOR(h, 0, 56)
  FOR(w, 0, 56)
  FOR(c, 0, 24)
  b[((n * 56 + h) * 56 + w) * 24 + c] = a[((n * 24 + c) * 56 + h) * 56 + w];
}

void sums_of_rows(const float *R a, float *R b) {
  FOR(i, 0, 16384) {
    float s = 0;
    SUM(s)
    FOR(k, 0, 500) s += a[i * 500 + k];
    b[i] = s;
  }
}

void sums_of_the_middle(const float *R a, float *R b) {
  FOR(i, 0, 256) {
    FOR(k, 0, 300) b[i * 300 + k] = 0;
    FOR(j, 0, 64)
    FOR(k, 0, 300) b[i * 300 + k] += a[(i * 64 + j) * 300 + k];
  }
}

void matmul(const float *R a, const float *R b, float *R c) {
  FOR(i, 0, 512) {
    FOR(j, 0, 512) c[i * 512 + j] = 0;
    FOR(k, 0, 512)
    FOR(j, 0, 512) c[i * 512 + j] += a[i * 512 + k] * b[k * 512 + j];
  }
}

void pairs_of_rows(const double *R a, double *R c) {
  FOR(i, 0, 512)
  FOR(j, 0, 512) {
    double s = 0;
    SUM(s)
    FOR(k, 0, 96) {
      double d = a[i * 96 + k] - a[j * 96 + k];
      s += d * d;
    }
    c[i * 512 + j] = s;
  }
}

void stencil(const float *R a, float *R b) {
  enum { Y = 160, X = 160 * 160 };
  FOR(i, 1, 159)
  FOR(j, 1, 159)
  FOR(k, 1, 159) {
    const float *p = a + i * X + j * Y + k;
    b[i * X + j * Y + k] =
        ((p[-1] + p[1]) + (p[-Y] + p[Y])) + (p[-X] + p[X]);
  }
}

void gather(const float *R a, const int64_t *R rows, float *R b) {
  FOR(i, 0, 20000)
  FOR(j, 0, 192) b[i * 192 + j] = a[rows[i] * 192 + j];
}

void broadcast(const float *R a, const float *R v, float *R b) {
  FOR(i, 0, 3000)
  FOR(j, 0, 700) b[i * 700 + j] = a[i * 700 + j] * v[i];
}

void triangle(const float *R a, float *R b) {
  FOR(n, 0, 4000)
  FOR(i, 0, 64) {
    float s = 0;
    SUM(s)
    FOR(k, 0, i) s += a[(n * 64 + i) * 64 + k];
    b[n * 64 + i] = s;
  }
}

void blocks_of_a_transposition(const float *R a, float *R b) {
  enum { N = 2048, B = 32 };
  FOR(bi, 0, N / B)
  FOR(bj, 0, N / B)
  FOR(j, 0, B)
  FOR(i, 0, B) b[(bj * B + j) * N + bi * B + i] = a[(bi * B + i) * N + bj * B + j];
}

void matvec(const float *R a, const float *R x, float *R y) {
  FOR(i, 0, 4096) {
    float s = y[i];
    SUM(s)
    FOR(k, 0, 4096) s += a[i * 4096 + k] * x[k];
    y[i] = s;
  }
}

void conv1d(const float *R x, const float *R w, float *R y) {
  FOR(i, 0, 1048576) {
    float s = y[i];
    FOR(r, 0, 16) s += x[i + r] * w[r];
    y[i] = s;
  }
}

void jacobi2d(const float *R a, float *R b) {
  FOR(i, 1, 4095)
  FOR(j, 1, 4095) {
    const float *p = a + i * 4096 + j;
    b[i * 4096 + j] = 0.2f * (p[0] + p[-1] + p[1] + p[4096] + p[-4096]);
  }
}

void softmax(const float *R a, float *R b) {
  FOR(i, 0, 4096) {
    const float *x = a + i * 1024;
    float *y = b + i * 1024;
    float most = -INFINITY, s = 0;
    PRAGMA(omp simd reduction(max : most))
    FOR(j, 0, 1024) most = x[j] > most ? x[j] : most;
    SUM(s)
    FOR(j, 0, 1024) {
      y[j] = expf(x[j] - most);
      s += y[j];
    }
    FOR(j, 0, 1024) y[j] = y[j] / s;
  }
}

void relax(const float *R a, float *R b) {
  enum { N = 4096 };
  FOR(i, 0, N)
  FOR(j, 0, N) {
    const float *p = a + i * N + j;
    if (i == 0 || i == N - 1 || j == 0 || j == N - 1)
      b[i * N + j] = p[0];
    else
      b[i * N + j] = 0.25f * ((p[-N] + p[N]) + (p[-1] + p[1]));
  }
}

void rownorm(const float *R a, float *R b) {
  FOR(i, 0, 4096) {
    const float *x = a + i * 1024;
    float s = 0, q = 0;
    SUM(s)
    FOR(j, 0, 1024) s += x[j];
    float mean = s / 1024;
    SUM(q)
    FOR(j, 0, 1024) q += (x[j] - mean) * (x[j] - mean);
    float factor = 1 / sqrtf(q / 1024 + 1e-5f);
    FOR(j, 0, 1024) b[i * 1024 + j] = (x[j] - mean) * factor;
  }
}

void argmax(const float *R a, int32_t *R where) {
  FOR(i, 0, 4096) {
    float most = -INFINITY;
    int32_t at = 0;
    FOR(j, 0, 1000)
    if (most < a[i * 1000 + j]) {
      most = a[i * 1000 + j];
      at = (int32_t)j;
    }
    where[i] = at;
  }
}

void scan_columns(const float *R a, float *R b) {
  FOR(j, 0, 4096) b[j] = a[j];
  FOR(i, 1, 1000)
  FOR(j, 0, 4096) b[i * 4096 + j] = b[(i - 1) * 4096 + j] + a[i * 4096 + j];
}

void recurrence(const float *R a, float *R b) {
  FOR(j, 0, 4096) b[j] = a[j];
  FOR(i, 1, 1000)
  FOR(j, 0, 4096)
  b[i * 4096 + j] = b[(i - 1) * 4096 + j] * 0.75f + a[i * 4096 + j];
}

void forces(const float *R x, float *R f) {
  const float *y = x + 3000;
  FOR(i, 0, 3000) {
    float fx = 0, fy = 0;
    PRAGMA(omp simd reduction(+ : fx, fy))
    FOR(j, 0, 3000) {
      float dx = x[j] - x[i], dy = y[j] - y[i];
      float w = 1 / sqrtf(dx * dx + dy * dy + 0.01f);
      fx += dx * w;
      fy += dy * w;
    }
    f[i] = fx;
    f[3000 + i] = fy;
  }
}

void elements(const double *R a, double *R b) {
  FOR(i, 0, 4000000) b[i] = (a[i] * 0.5 - 0.25) * a[i] + 0.125;
}

/// Multiply-adds that wait for nothing, for the rate of a core: 2^30 flops.
void multiply_adds(float x, float y, float *R result) {
  enum { WIDTH = 256 };
  float sums[WIDTH];
  FOR(i, 0, WIDTH) sums[i] = 0;
  FOR(n, 0, (1 << 29) / WIDTH)
  FOR(i, 0, WIDTH) sums[i] = sums[i] * x + y;
  FOR(i, 0, WIDTH) result[i] = sums[i];
}
