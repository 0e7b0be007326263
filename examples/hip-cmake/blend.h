#pragma once

enum { SIZE = 256 };

bool blendOnDevice(int values[SIZE]);
