#!/bin/sh
# What a machine with AMD's kernel driver answers, for programs that ask whether it is loaded.
echo "amdgpu 9999999 0"
