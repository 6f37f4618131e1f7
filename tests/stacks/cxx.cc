// SPDX-License-Identifier: GPL-2.0-only OR MIT
//
// A program that calls through libstdc++, and is called by it: system calls from comparisons,
// from destructors while an exception unwinds, from buffers, threads and regular expressions.
//
//	cxx TIMES

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <future>
#include <iostream>
#include <locale>
#include <map>
#include <memory>
#include <numeric>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <unistd.h>

namespace {

volatile int sink;

struct Asked {
	int value;

	~Asked() { sink = sink + close(-1); }
	bool operator<(const Asked &other) const
	{
		sink = sink + close(-1);
		return value < other.value;
	}
};

struct Node {
	virtual ~Node() { sink = sink + close(-2); }
	virtual int visit(int depth) = 0;
};

struct Inner : Node {
	std::unique_ptr<Node> next;
	int visit(int depth) override;
};

struct Throwing : Node {
	int visit(int depth) override
	{
		Asked on_the_way{depth};

		if (depth > 0)
			throw std::out_of_range("at " + std::to_string(depth));
		return depth;
	}
};

int Inner::visit(int depth)
{
	Asked on_the_way{depth};

	try {
		return next->visit(depth + 1) + 1;
	} catch (const std::invalid_argument &) {
		return 0;
	}
}

class Buffer : public std::streambuf {
	int_type overflow(int_type c) override
	{
		sink = sink + close(-3);
		return c;
	}
};

void sort_some()
{
	std::vector<Asked> all;

	for (int i = 0; i < 12; i++)
		all.push_back({i * 7 % 12});
	std::sort(all.begin(), all.end());
	std::stable_sort(all.rbegin(), all.rend());
}

void map_some()
{
	std::map<Asked, std::string> names;

	for (int i = 0; i < 8; i++)
		names[{i * 5 % 8}] = std::to_string(i);
	std::accumulate(names.begin(), names.end(), 0,
			[](int sum, const auto &pair) { return sum + pair.first.value; });
}

void throw_some()
{
	std::unique_ptr<Node> node = std::make_unique<Throwing>();

	for (int i = 0; i < 10; i++) {
		auto outer = std::make_unique<Inner>();

		outer->next = std::move(node);
		node = std::move(outer);
	}
	try {
		node->visit(0);
	} catch (const std::out_of_range &error) {
		sink = sink + close(-4) + (error.what() != nullptr);
	}
}

void print_some()
{
	Buffer buffer;
	std::ostream to_buffer(&buffer);
	std::ofstream file("/dev/null");

	to_buffer << 12 << ' ' << 1.5 << ' ' << std::boolalpha << true;
	file << std::unitbuf << "text " << 1.25 << std::endl;
	std::getline(std::ifstream("/etc/passwd") >> std::ws, *std::make_unique<std::string>());
}

void call_some()
{
	std::function<int(int)> nested = [&](int n) { return n ? nested(n - 1) : close(-5); };
	auto later = std::async(std::launch::async, nested, 5);

	std::regex pattern("(a|b)*c(d+)");
	sink = sink + later.get() + std::regex_match("ababcddd", pattern);
	std::thread(sort_some).join();
}

} // namespace

int main(int argc, char **argv)
{
	for (int i = argc > 1 ? std::atoi(argv[1]) : 1; i > 0; i--) {
		sort_some();
		map_some();
		throw_some();
		print_some();
		call_some();
	}
	return 0;
}
