// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* Variables and structs of the same names in namespaces and classes. */
volatile long sink;

namespace outer
{
int count = 1;

namespace inner
{
int count = 2;

__attribute__((noinline)) static int inner_use(int by)
{
	sink = count += by; /* inner */
	return count;
}
} // namespace inner

__attribute__((noinline)) static int outer_use(int by)
{
	sink = count += by; /* outer */
	return count;
}

struct keeper {
	static int count;
	int each;
	struct node {
		int value;
	};
	__attribute__((noinline)) int keep(int by)
	{
		sink = count += by; /* keeper */
		return each + count;
	}
	__attribute__((noipa)) int node_keep(void *any)
	{
		sink = static_cast<node *>(any)->value; /* node_keep */
		return each;
	}
};

int keeper::count = 3;
} // namespace outer

namespace
{
int hidden = 4;
}

namespace away
{
int only = 5;
int twice = 6;
struct rare {
	long gap[2];
	int value;
};
struct common {
	int value;
};
} // namespace away

namespace further
{
int twice = 7;
struct common {
	long gap;
	int value;
};
} // namespace further

int each = 8;
int count = 9;

struct node {
	long gap;
	int value;
};

__attribute__((noipa)) static int free_use(void *any)
{
	sink = count += hidden++ + each++; /* free */
	sink = static_cast<node *>(any)->value;
	return count;
}

int main(int argc, char **)
{
	outer::keeper keeper = {1};
	outer::keeper::node inner = {3};
	away::rare rare = {{1, 2}, 3};
	away::common common = {1};
	further::common other = {1, 2};
	node all = {1, 2};

	sink = away::only++ + away::twice++ + further::twice++ + rare.value +
	       common.value + other.value;
	return outer::inner::inner_use(argc) + outer::outer_use(argc) +
		       keeper.keep(argc) + keeper.node_keep(&inner) +
		       free_use(&all) ==
	       0;
}
