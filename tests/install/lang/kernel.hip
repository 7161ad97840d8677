#include "../device/kernel.cpp"
