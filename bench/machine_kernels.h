/* The loops that show the machine's limits. */
#ifndef LIMBER_BENCH_MACHINE_KERNELS_H
#define LIMBER_BENCH_MACHINE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* Numbers per vector. Arrays are aligned to it and hold a multiple of lb_vectorBlock numbers. */
#if defined(LB_SCALAR)
typedef float lbLanes;
#else
typedef float lbLanes __attribute__((vector_size(32)));
#endif
enum { lb_laneCount = sizeof(lbLanes) / sizeof(float), lb_vectorBlock = 64 };

/* a = b + s c. Plain stores: each line of a is fetched before it is written, so that 16 bytes move per number. */
void lb_kernel_triad(float* a, const float* b, const float* c, float s, size_t count);

/* The sum of all numbers, `repeats` times over: 4 bytes move per number. Reads from eight places of the array at a
 * time: a single place does not keep the memory busy. */
float lb_kernel_read(const float* a, size_t count, int repeats);

/* `rounds` times lb_fmaFlopsPerRound operations, in registers only. Returns something that depends on all. */
float lb_kernel_fma(int64_t rounds, float factor, float summand);
enum { lb_fmaChains = 12, lb_fmaFlopsPerRound = 2 * lb_fmaChains * lb_laneCount };

/* A chain of `count` dependent additions of integers (a multiple of 16), one clock cycle each on any processor. */
uint64_t lb_kernel_count_cycles(int64_t count, uint64_t summand);

#endif
