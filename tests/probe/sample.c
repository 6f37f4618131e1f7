// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Variables of many kinds, at which a debugger stops (run, debug.c). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum colour { RED = -1, GREEN, BLUE = 200 };
enum wide { FEW = 1, MANY = 0x100000000 };

struct flags {
	unsigned int one : 1, three : 3;
	int negative : 5;
	uint64_t far : 33;
};

struct node {
	struct node *next;
	int value;
	enum colour colour;
	struct flags flags;
	char name[8];
	short table[2][3];
	union {
		uint32_t word;
		uint8_t bytes[4];
	};
	int (*compare)(const struct node *, const struct node *);
};

struct pair {
	long first, second;
};

struct small {
	int low;
	short high;
};

struct mixed {
	long a;
	struct small b;
};

int counter = 7;
static unsigned char letters[4] = "abc";
static struct node nodes[3];
__thread int own_of_thread = 5;
volatile long sink;

static int nodes_compare(const struct node *a, const struct node *b)
{
	return a->value - b->value;
}

static inline __attribute__((always_inline)) long inlined(long x, int times)
{
	long sum = x * 3;

	for (int i = 0; i < times; i++) {
		long part = sum ^ i;

		sink = part;
		sum += part;
	}
	return sum;
}

__attribute__((noinline)) static long pair_sum(struct pair pair, int scale)
{
	long sum = pair.first + pair.second;

	sink = sum;
	sum *= scale;
	sink = sum;
	return sum;
}

__attribute__((noinline)) static long mixed_sum(struct mixed mixed,
						struct small small)
{
	long sum = mixed.a + mixed.b.low;

	sink = sum;
	return sum + mixed.b.high + small.high - small.low;
}

__attribute__((noinline)) static int many(int a, int b, int c, int d, int e,
					  int f, int g, short h,
					  unsigned char i)
{
	int all = a + b + c + d + e + f;

	sink = all;
	all += g + h + i;
	sink = all;
	return all;
}

__attribute__((noinline)) static long first_caller(long value)
{
	long result = inlined(value, 2);

	sink = result;
	return result + 1;
}

__attribute__((noinline)) static long second_caller(int number)
{
	int twice = number * 2;
	long result = inlined(twice, 3);

	sink = result;
	return result + twice;
}

__attribute__((noinline)) static int lost(int used, int unused)
{
	int never = unused * 5;
	int result = used + 1;

	sink = result;
	result *= 2;
	sink = result;
	return result;
}

__attribute__((noinline)) static uint64_t node_walk(struct node *node,
						    const char *text)
{
	uint64_t hash = 5381;
	unsigned char byte;
	static int calls = 3;

	calls++;
	for (; node; node = node->next) {
		struct flags flags = node->flags;

		hash = hash * 33 + node->value;
		sink = hash;
		if (flags.three > 2)
			hash ^= flags.far;
		sink = (long)node->colour;
	}
	while (*text) {
		byte = *text++;
		hash = (hash << 5) ^ byte;
		sink = hash;
	}
	return hash;
}

__attribute__((noinline)) static int counted_down(int number)
{
	number--;
	sink = number;
	return number * 2;
}

__attribute__((noinline)) static double floats(int before, double x, float y,
					       int behind)
{
	double sum = x + y;

	sink = before;
	sum += behind;
	sink = behind;
	return sum;
}

__attribute__((noinline)) static int by_size(int n)
{
	int local[n];
	int8_t tiny = n - 100;
	char edge = n - 130;
	_Bool truth = n > 2;
	enum wide wide = truth ? MANY : FEW;

	for (int i = 0; i < n; i++)
		local[i] = i * i;
	sink = local[n - 1];
	sink = tiny;
	sink = edge;
	sink = wide;
	return local[n / 2] + truth;
}

__attribute__((noinline)) static unsigned int indexed(const unsigned int *list,
						      long index)
{
	unsigned int here = list[index];
	const unsigned int *behind = &list[index + 1];

	sink = here;
	return here + *behind;
}

int main(int argc, char **argv)
{
	static const unsigned int numbers[] = {10, 20, 4000000000u, 40};
	struct pair pair = {argc + 10, -20};
	struct mixed mixed = {argc, {argc + 1, -2}};
	struct small small = {argc + 5, 6};
	long total = 0;

	for (int i = 0; i < 3; i++) {
		nodes[i] = (struct node){
			.next = i < 2 ? &nodes[i + 1] : NULL,
			.value = i * 1000 - 1,
			.colour = i == 1 ? BLUE : RED,
			.flags = {1, i + 2, -3, 0x123456789},
			.name = "node",
			.table = {{1, 2, 3}, {4, -5, 6}},
			.word = 0x01020304,
			.compare = nodes_compare,
		};
	}
	total += pair_sum(pair, argc + 2);
	total += mixed_sum(mixed, small);
	total += many(argc, 2, 3, 4, 5, 6, 7, -8, 249);
	total += first_caller(argc + 100);
	total += second_caller(argc + 200);
	total += lost(argc, 3);
	total += node_walk(nodes, argv[0] ? "text" : "");
	total += floats(argc, 1.5, 2.5f, 9);
	total += counted_down(argc + 30);
	total += by_size(argc + 4);
	total += indexed(numbers, argc);
	total += nodes[0].compare(&nodes[1], &nodes[2]) + counter + letters[1];
	own_of_thread += argc;
	printf("%ld\n", total + own_of_thread);
	return 0;
}
