#include "blend.h"
#include <cstdio>

int main() {
  int values[SIZE];
  for (int i = 0; i < SIZE; i++)
    values[i] = i * 40503 >> 5;
  if (!blendOnDevice(values))
    return 1;
  std::printf("%d %d %d ... %d\n", values[0], values[1], values[2], values[SIZE - 1]);
}
