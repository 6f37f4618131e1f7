// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* The same for C++. */
#include <cstdint>
#include <cstdio>

volatile long sink;

namespace shapes {

enum class Kind : uint8_t { round = 3, square = 250 };

struct Base {
	int id;
	Kind kind;
	static int made;
};

int Base::made = 11;

struct Named {
	char name[8];
	virtual ~Named() {}
	virtual long area() const = 0;
};

class Square : public Base, public Named {
public:
	Square(int id, long side) : side(side)
	{
		this->id = id;
		kind = Kind::square;
		name[0] = 'q';
		made++;
	}
	long area() const override;
	bool operator<(const Square &other) const
	{
		bool less = side < other.side;

		sink = less;
		return less;
	}

private:
	long side;
};

__attribute__((noinline)) long Square::area() const
{
	long area = side * side;

	sink = area;
	return area + id;
}

/* Passed by its address, because it cannot be copied byte by byte. */
struct Owner {
	long what;
	int more;
	explicit Owner(long what) : what(what), more(3) {}
	Owner(const Owner &other) : what(other.what + 1), more(other.more) {}
	~Owner() { sink = what; }
};

__attribute__((noinline)) static long owner_take(Owner owner, int number,
						 int &by_reference)
{
	long sum = owner.what + number;

	sink = sum;
	by_reference += sum;
	sink = by_reference;
	return sum;
}

template <typename T>
__attribute__((noinline)) static T largest(const T *list, unsigned count)
{
	T best = list[0];

	for (unsigned i = 1; i < count; i++) {
		T here = list[i];

		sink = here;
		if (here > best)
			best = here;
	}
	sink = best;
	return best;
}

} // namespace shapes

int main(int argc, char **)
{
	static const short shorts[] = {3, -1, 7};
	static const long longs[] = {1l << 40, -5};
	shapes::Square first(argc, 5), second(argc + 1, 7);
	int changed = argc;
	long total = first.area() + second.area();

	total += first < second;
	total += owner_take(shapes::Owner(argc + 4), 8, changed);
	total += shapes::largest(shorts, 3) + shapes::largest(longs, 2);
	sink = total;
	std::printf("%ld %d\n", total, changed);
	return 0;
}
