/* The loops that show the machine's limits. */
#ifndef LIMBER_BENCH_MACHINE_KERNELS_H
#define LIMBER_BENCH_MACHINE_KERNELS_H

#include <stddef.h>
#include <stdint.h>

/* Arrays are aligned to a cache line and hold a multiple of this many numbers. */
enum { lb_vectorBlock = 64 };

/* a = b + s c. Plain stores: each line of a is fetched before it is written, so that 16 bytes move per number. */
void lb_kernel_triad(float* a, const float* b, const float* c, float s, size_t count);

/* The sum of all numbers, `repeats` times over: 4 bytes move per number. Reads from eight places of the array at a
 * time: a single place does not keep the memory busy. */
float lb_kernel_read(const float* a, size_t count, int repeats);

/* `rounds` times lb_fmaFlopsPerRound operations, in registers only. Returns something that depends on all. */
float lb_kernel_fma(int64_t rounds, float factor, float summand);
/* A processor with two pipes of four or five cycles needs eight or ten independent chains; twelve and their two
 * operands still fit sixteen registers. ARM has more pipes, and 32 registers. */
#if defined(__aarch64__)
enum { lb_fmaChains = 24 };
#else
enum { lb_fmaChains = 12 };
#endif
enum { lb_fmaFlopsPerRound = 2 * lb_fmaChains * LB_LANES };

/* A chain of `count` dependent additions of integers (a multiple of 16), one clock cycle each on any processor. */
uint64_t lb_kernel_count_cycles(int64_t count, uint64_t summand);

#endif
