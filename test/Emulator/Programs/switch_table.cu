// A dense switch, which compilers make a table of branches, with fall through
// and a default, in a loop: a small interpreter.

extern "C" __global__ void interpret(const unsigned char *code,
                                     const int *input, int *out, int length) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int a = input[t], b = t;
  // Each thread begins elsewhere, so that the lanes of a warp branch apart.
  for (int i = 0; i < length; ++i) {
    switch (code[(i + t) % length]) {
    case 0:
      a += b;
      break;
    case 1:
      a -= b;
      break;
    case 2:
      b = a ^ (b << 1);
      break;
    case 3:
      a = a * 3 + 1;
    case 4:
      b += 7;
      break;
    case 5: {
      int c = a;
      a = b;
      b = c;
      break;
    }
    case 6:
      a = a < 0 ? -a : a;
      break;
    case 7:
      a >>= 1;
      break;
    case 8:
      b |= 1;
      break;
    case 9:
      a %= b | 1;
      break;
    case 10:
      a = ~a;
      break;
    case 11:
      b *= b;
      break;
    default:
      a += 1000;
      b -= 1;
    }
  }
  out[2 * t] = a;
  out[2 * t + 1] = b;
}
